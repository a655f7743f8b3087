/**
 * How requests are packed into entries of the log, and their answers taken apart. Knows no Ratis
 * but its bytes.
 */
package io.vdfs.datanode.meta.raft.batch;
