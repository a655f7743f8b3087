/**
 * The node's reads: decides in which order its disks are read, and which blocks' heads are kept.
 * Code that reads blocks for others comes here ({@code StoreReads}, {@code BlockWarmer}). Each
 * volume has one reader thread, which owns the volume's {@code DiskQueue} together with its lock;
 * all others ask through {@link io.vdfs.datanode.stream.StreamManager}. What was read lies in the
 * page cache of the machine, which is the buffer that all readers share. Uses the block store.
 */
package io.vdfs.datanode.stream;
