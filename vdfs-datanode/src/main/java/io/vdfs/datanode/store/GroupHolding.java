package io.vdfs.datanode.store;

import io.vdfs.common.model.FileKey;
import io.vdfs.common.store.BlockRole;

/**
 * One group that a node holds, for audits. Immutable.
 *
 * @param volume number of the volume of the group's first block
 * @param length bytes without a gap from the group's first byte on
 * @param contentEpoch highest write epoch of these bytes
 */
public record GroupHolding(
    FileKey key, int group, BlockRole role, int volume, long length, long contentEpoch) {}
