/** Reads Hadoop's configuration files for commands. */
package io.vdfs.cli.hadoop;
