/**
 * The frame of all commands of {@code bin/}: common options, help, exit codes and messages of
 * failures. Confined to the main thread; uses picocli, knows no command.
 */
package io.vdfs.datanode.command;
