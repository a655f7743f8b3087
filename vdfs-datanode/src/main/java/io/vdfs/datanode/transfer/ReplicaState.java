package io.vdfs.datanode.transfer;

/**
 * What a node holds of a group. Immutable.
 *
 * @param length bytes without a gap from the group's first byte on
 * @param writeEpoch highest write epoch of these bytes, or the fence where that is higher
 */
public record ReplicaState(long length, int writeEpoch) {}
