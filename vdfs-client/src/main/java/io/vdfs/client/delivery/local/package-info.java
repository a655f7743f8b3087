/**
 * Local delivery: decides when blocks are read from the files of this machine's node, and when the
 * page cache loses so much that another delivery is better. The node's side is {@code
 * datanode.local}.
 */
package io.vdfs.client.delivery.local;
