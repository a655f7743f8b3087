/**
 * Write pipelines: this node's stage of each, which checks packets, writes them and passes them on
 * to the next node. A stage is confined to its connection's event loop; disk work runs on threads
 * of {@code TransferThreads}, in order per stage and in turns with the others. Opened by {@code
 * transfer.server}; uses {@code transfer}, the block store and connections to other nodes.
 */
package io.vdfs.datanode.transfer.write;
