/**
 * What the cluster's record says of nodes: their volumes, and what operators decided about them.
 * Immutable.
 */
package io.vdfs.datanode.meta.state.nodes;
