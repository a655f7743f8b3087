package io.vdfs.datanode.meta.op;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.ExclusionProto;
import io.vdfs.datanode.meta.state.MetaContext;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The ranges of groups of one file for which a node holds no good copy, in the order in which they
 * were found. Immutable; group numbers are compared unsigned.
 */
record Exclusions(List<ExclusionProto> ranges) {
  /** End of a range while the writer goes on. */
  static final int OPEN_END = 0xffffffff;

  Exclusions {
    ranges = List.copyOf(ranges);
  }

  /**
   * Adds ranges, but those that one of the same node covers already.
   *
   * @throws VdfsException QUOTA_EXCEEDED if there are too many for one file
   */
  Exclusions with(Collection<ExclusionProto> added, MetaContext context) throws VdfsException {
    List<ExclusionProto> all = new ArrayList<>(ranges);
    for (ExclusionProto range : added) {
      if (all.stream().noneMatch(other -> covers(other, range))) {
        all.add(range);
      }
    }
    int limit = context.settings().limits().exclusions();
    if (all.size() > limit) {
      throw new VdfsException(
          ErrorCode.QUOTA_EXCEEDED,
          "too many nodes failed under one file: exclusions=" + all.size() + ", limit=" + limit);
    }
    return new Exclusions(all);
  }

  /** Ends the ranges that are open at {@code groups}, the number of groups of the closed file. */
  Exclusions closedAt(int groups) {
    List<ExclusionProto> closed = new ArrayList<>();
    for (ExclusionProto range : ranges) {
      ExclusionProto ended =
          range.getEndGroup() == OPEN_END ? range.toBuilder().setEndGroup(groups).build() : range;
      boolean isEmpty = compare(ended.getFirstGroup(), ended.getEndGroup()) >= 0;
      if (!isEmpty && closed.stream().noneMatch(other -> covers(other, ended))) {
        closed.add(ended);
      }
    }
    return new Exclusions(closed);
  }

  /** The ranges of each node. */
  Map<ByteString, List<ExclusionProto>> byNode() {
    Map<ByteString, List<ExclusionProto>> byNode = new HashMap<>();
    for (ExclusionProto range : ranges) {
      byNode.computeIfAbsent(range.getNode(), node -> new ArrayList<>()).add(range);
    }
    return byNode;
  }

  static boolean contains(ExclusionProto range, int group) {
    return compare(range.getFirstGroup(), group) <= 0 && compare(group, range.getEndGroup()) < 0;
  }

  private static boolean covers(ExclusionProto outer, ExclusionProto inner) {
    return outer.getNode().equals(inner.getNode())
        && compare(outer.getFirstGroup(), inner.getFirstGroup()) <= 0
        && compare(outer.getEndGroup(), inner.getEndGroup()) >= 0;
  }

  private static int compare(int left, int right) {
    return Integer.compareUnsigned(left, right);
  }
}
