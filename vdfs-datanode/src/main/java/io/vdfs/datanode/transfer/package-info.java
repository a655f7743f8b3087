/**
 * The parts that streams of the data port are made of: the way back to a peer, what all of them
 * share, limits, counters, and the threads that may block. A connection and all its streams are
 * confined to the connection's event loop; disk work runs on bounded executors, reads on threads of
 * their own once the stream manager has their bytes in memory. Used by the packages that answer
 * requests, the deliveries, {@code .write} and {@code .replica}, and by {@code .server}, which
 * knows them all. Uses {@code common.net}, {@code common.wire}, the stream manager and the block
 * store.
 */
package io.vdfs.datanode.transfer;
