/**
 * The data port: accepts connections, hands their frames to the streams that answer them, and cuts
 * off peers that do what no sound peer would or take more than their share. The only package that
 * knows which answers there are: the deliveries ({@code Deliveries}), pipelines and questions about
 * replicas. A connection is confined to its event loop. Opened and closed by the composition root.
 */
package io.vdfs.datanode.transfer.server;
