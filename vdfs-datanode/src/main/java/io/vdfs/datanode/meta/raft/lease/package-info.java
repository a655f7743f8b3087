/**
 * How long the leader may answer from its state alone: the lease that it has by what a majority
 * acknowledged, and what tells it of that within Ratis' transport.
 */
package io.vdfs.datanode.meta.raft.lease;
