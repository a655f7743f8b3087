/**
 * The server side of the data plane: write pipelines, block reads and questions about replicas.
 * Each connection and all its streams are confined to the connection's event loop; disk work runs
 * on a bounded executor, in order per pipeline and in turns with the others; reads wait for the
 * stream manager first, then run on threads of their own. Uses {@code common.net}, {@code
 * common.wire}, the stream manager and the block store.
 */
package io.vdfs.datanode.transfer;
