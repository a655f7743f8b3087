package io.vdfs.client.io.replica;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ExclusionProto;

/**
 * A node holds no good copy of a file's groups from {@code firstGroup} to below {@code endGroup}.
 * Immutable.
 */
public record Exclusion(NodeId node, int firstGroup, long endGroup) {
  /**
   * @throws VdfsException INVALID_ARGUMENT if the message names no node
   */
  public static Exclusion of(ExclusionProto message) throws VdfsException {
    return new Exclusion(
        WireIds.nodeId(message.getNode()),
        message.getFirstGroup(),
        Integer.toUnsignedLong(message.getEndGroup()));
  }

  public boolean covers(NodeId candidate, int group) {
    return node.equals(candidate) && group >= firstGroup && group < endGroup;
  }
}
