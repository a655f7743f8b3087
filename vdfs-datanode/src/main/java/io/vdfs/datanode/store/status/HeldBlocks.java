package io.vdfs.datanode.store.status;

import io.vdfs.common.store.BlockRole;
import java.nio.file.Path;

/**
 * What a node holds on a volume in a role. Immutable.
 *
 * @param role that the node had when the blocks were first put there; a change of the ring does not
 *     change it
 * @param groups whose first block lies there
 * @param bytes of all blocks that lie there
 */
public record HeldBlocks(Path directory, BlockRole role, long groups, long bytes) {}
