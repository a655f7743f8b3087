package io.vdfs.datanode.store;

/**
 * What a node holds of a group. Immutable.
 *
 * @param length bytes without a gap from the group's first byte on
 * @param contentEpoch highest write epoch of these bytes; 0 if there are none
 * @param fenceEpoch lowest epoch a writer may have
 */
public record GroupState(long length, long contentEpoch, long fenceEpoch) {}
