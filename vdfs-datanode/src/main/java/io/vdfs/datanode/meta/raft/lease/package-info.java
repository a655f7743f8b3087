/**
 * How long the leader may answer from its state alone: the lease that it has by what a majority
 * acknowledged, and the parts of Ratis' transport that tell it of that.
 */
package io.vdfs.datanode.meta.raft.lease;
