package io.vdfs.datanode.transfer.replica;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.store.VerifiedBlock;
import io.vdfs.common.store.VerifiedGroup;
import io.vdfs.common.wire.proto.ReplicaResponse;
import io.vdfs.common.wire.proto.VerifiedBlockProto;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The findings of a node in a group, as they stand in answers. A whole sound block takes few bytes,
 * so that the largest group fits. Stateless.
 */
final class VerifiedGroups {
  private VerifiedGroups() {}

  static ReplicaResponse encode(VerifiedGroup group, ClusterGeometry geometry) {
    ReplicaResponse.Builder response = ReplicaResponse.newBuilder().setLength(group.verified());
    for (VerifiedBlock block : group.blocks()) {
      VerifiedBlockProto.Builder encoded =
          response
              .addVerifiedBuilder()
              .setWriteEpoch((int) block.writeEpoch())
              .setLacking(geometry.blockSize() - block.length())
              .setDamaged(block.length() - block.verified())
              .setCrc(block.crc());
      block
          .prefixes()
          .forEach((length, crc) -> encoded.addPrefixesBuilder().setLength(length).setCrc(crc));
      if (block.isDamaged()) {
        block.promised().ifPresent(encoded::setPromised);
      }
    }
    return response.build();
  }

  /**
   * @throws VdfsException INVALID_ARGUMENT if no sound node would answer so
   */
  static VerifiedGroup decode(ReplicaResponse response, ClusterGeometry geometry)
      throws VdfsException {
    List<VerifiedBlock> blocks = new ArrayList<>();
    for (VerifiedBlockProto block : response.getVerifiedList()) {
      boolean isLast = blocks.size() + 1 == response.getVerifiedCount();
      int length = geometry.blockSize() - block.getLacking();
      int verified = length - block.getDamaged();
      boolean sound =
          block.getLacking() >= 0
              && block.getDamaged() >= 0
              && length > 0
              && verified >= 0
              && (isLast || length == geometry.blockSize())
              && blocks.size() < geometry.groupBlocks();
      if (!sound) {
        throw new VdfsException(
            ErrorCode.INVALID_ARGUMENT,
            "no group looks like this: block=%s, length=%s, verified=%s, blocks=%s"
                .formatted(blocks.size(), length, verified, response.getVerifiedCount()));
      }
      Map<Integer, Integer> prefixes = new HashMap<>();
      block.getPrefixesList().forEach(prefix -> prefixes.put(prefix.getLength(), prefix.getCrc()));
      blocks.add(
          new VerifiedBlock(
              Integer.toUnsignedLong(block.getWriteEpoch()),
              length,
              verified,
              block.getCrc(),
              prefixes,
              promised(block)));
    }
    return new VerifiedGroup(blocks);
  }

  private static Optional<Integer> promised(VerifiedBlockProto block) {
    if (block.getDamaged() == 0) {
      return Optional.of(block.getCrc());
    }
    return block.hasPromised() ? Optional.of(block.getPromised()) : Optional.empty();
  }
}
