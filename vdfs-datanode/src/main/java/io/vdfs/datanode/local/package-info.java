/**
 * Local delivery: lets processes on this machine read closed groups from the combined files by
 * themselves, under names that die with their connections, and answers their requests. An answer is
 * confined to its connection's event loop; the work for it is done on threads of its own, none of
 * which waits for a disk. Begun by {@code transfer.server}, which it does not know; uses what
 * streams are made of ({@code transfer}), the block store and the order of reads.
 */
package io.vdfs.datanode.local;
