/**
 * The server side of the data plane: write pipelines, block reads and questions about replicas.
 * Each connection and all its streams are confined to the connection's event loop; disk work runs
 * on a bounded executor, in order per pipeline, or on the store's reader threads. Uses {@code
 * common.net}, {@code common.wire} and the block store.
 */
package io.vdfs.datanode.transfer;
