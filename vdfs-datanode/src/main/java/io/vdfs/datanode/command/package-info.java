/**
 * The frame of all commands of {@code bin/}: options that each takes, help, exit codes and how
 * failures are told. Confined to the main thread; uses picocli, knows no command.
 */
package io.vdfs.datanode.command;
