/**
 * Socket delivery: reads blocks over the network, from any node, and verifies them on arrival. The
 * node's side is {@code datanode.socket}.
 */
package io.vdfs.client.delivery.socket;
