/** Socket delivery: reads blocks over the network, from any node, and verifies them on arrival. */
package io.vdfs.client.delivery.socket;
