package io.vdfs.datanode.meta.op.copies;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.ExclusionProto;
import io.vdfs.datanode.meta.state.MetaContext;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;

/**
 * The ranges of groups of one file for which a node holds no good copy. A node that writers leave
 * out of one group after the other has one range, so that a file takes no more room however long
 * the node stays away. Immutable; group numbers are compared unsigned.
 *
 * @param ranges of which no two of one node share a group; in the order in which they were found, a
 *     range that grew at the place of its first part
 */
public record Exclusions(List<ExclusionProto> ranges) {
  private static final Comparator<ExclusionProto> BY_FIRST_GROUP =
      (left, right) -> compare(left.getFirstGroup(), right.getFirstGroup());

  public Exclusions {
    ranges = List.copyOf(ranges);
  }

  /**
   * Adds ranges, each merged with those of the same node that it overlaps or adjoins.
   *
   * @throws VdfsException QUOTA_EXCEEDED if there are too many for one file
   */
  public Exclusions with(Collection<ExclusionProto> added, MetaContext context)
      throws VdfsException {
    int limit = context.settings().limits().exclusions();
    List<ExclusionProto> all = joined(ranges, added, Exclusions::meet);
    if (all.size() > limit) {
      all = joined(joined(List.of(), ranges, Exclusions::meet), added, Exclusions::meet);
    }
    if (all.size() > limit) {
      throw tooMany(all.size(), limit);
    }
    return new Exclusions(all);
  }

  static VdfsException tooMany(int exclusions, int limit) {
    return new VdfsException(
        ErrorCode.QUOTA_EXCEEDED,
        "too many nodes lack groups of one file: exclusions=" + exclusions + ", limit=" + limit);
  }

  /**
   * As {@link #with}, but ranges that only adjoin are merged only if their epochs are equal, unless
   * there are too many ranges then: so groups that a writer left out can be told from others.
   */
  Exclusions withEpochs(Collection<ExclusionProto> added, MetaContext context)
      throws VdfsException {
    List<ExclusionProto> all = joined(ranges, added, Exclusions::areOne);
    return all.size() <= context.settings().limits().exclusions()
        ? new Exclusions(all)
        : with(added, context);
  }

  private static List<ExclusionProto> joined(
      List<ExclusionProto> known,
      Collection<ExclusionProto> added,
      BiPredicate<ExclusionProto, ExclusionProto> areOne) {
    return MergedRanges.of(known, added.stream().sorted(BY_FIRST_GROUP).toList(), areOne);
  }

  private static boolean areOne(ExclusionProto left, ExclusionProto right) {
    boolean shareGroups =
        compare(left.getFirstGroup(), right.getEndGroup()) < 0
            && compare(right.getFirstGroup(), left.getEndGroup()) < 0;
    return meet(left, right) && (shareGroups || left.getEpoch() == right.getEpoch());
  }

  private static boolean meet(ExclusionProto left, ExclusionProto right) {
    return compare(left.getFirstGroup(), right.getEndGroup()) <= 0
        && compare(right.getFirstGroup(), left.getEndGroup()) <= 0
        && left.getNode().equals(right.getNode());
  }

  /** These ranges without a group that a node holds again. */
  public Exclusions without(ByteString node, int group) {
    List<ExclusionProto> rest = new ArrayList<>();
    for (ExclusionProto range : ranges) {
      if (!range.getNode().equals(node) || !contains(range, group)) {
        rest.add(range);
        continue;
      }
      if (compare(range.getFirstGroup(), group) < 0) {
        rest.add(range.toBuilder().setEndGroup(group).build());
      }
      if (compare(group + 1, range.getEndGroup()) < 0) {
        rest.add(range.toBuilder().setFirstGroup(group + 1).build());
      }
    }
    return new Exclusions(rest);
  }

  /** The ranges of each node. */
  public Map<ByteString, List<ExclusionProto>> byNode() {
    Map<ByteString, List<ExclusionProto>> byNode = new HashMap<>();
    for (ExclusionProto range : ranges) {
      byNode.computeIfAbsent(range.getNode(), node -> new ArrayList<>()).add(range);
    }
    return byNode;
  }

  public static boolean contains(ExclusionProto range, int group) {
    return compare(range.getFirstGroup(), group) <= 0 && compare(group, range.getEndGroup()) < 0;
  }

  private static int compare(int left, int right) {
    return Integer.compareUnsigned(left, right);
  }
}
