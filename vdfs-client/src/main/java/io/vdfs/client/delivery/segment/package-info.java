/**
 * Segment delivery: takes a free slot of the segment that the node on this machine made for a
 * connection, and reads from it what the node lays there. The node's side is {@code
 * datanode.segment}.
 */
package io.vdfs.client.delivery.segment;
