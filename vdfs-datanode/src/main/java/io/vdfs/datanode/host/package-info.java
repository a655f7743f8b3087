/**
 * Hosts this node's member of the metadata group: decides when the node becomes a member, goes on
 * without one that failed, and, while it leads, which members change and when the feature level
 * rises. Keeps this node's memory of the cluster. Each duty has a loop of its own.
 */
package io.vdfs.datanode.host;
