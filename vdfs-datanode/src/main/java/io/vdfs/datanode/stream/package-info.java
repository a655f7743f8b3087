/**
 * The block stream manager: decides in which order the disks of the node are read. Each volume has
 * one reader thread, which owns the volume's {@code DiskQueue} together with its lock; everybody
 * else asks through {@link io.vdfs.datanode.stream.StreamManager}. What was read lies in the page
 * cache of the machine, which is the buffer that all readers share. Uses the block store.
 */
package io.vdfs.datanode.stream;
