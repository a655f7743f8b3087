/**
 * Socket delivery: reads blocks and sends them, to any peer, as fast as it takes them. Each answer
 * is confined to its connection's event loop, and read on a thread that may block. Begun by {@code
 * transfer.server}; uses what streams are made of ({@code transfer}) and the order of reads.
 */
package io.vdfs.datanode.socket;
