package io.vdfs.datanode.meta.op.copies;

import com.google.protobuf.ByteString;
import io.vdfs.common.wire.proto.ExclusionProto;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;

/**
 * Joins ranges of groups that nodes lack. Each added range is merged, one after the other, with
 * those ranges that are one with it, from the last in the list to the first: the merged range grows
 * on the way, but what was passed stays what it was. It takes the place of its first part in the
 * list, or the end where it is merged with none.
 *
 * <p>Ranges that are one, or become so, touch each other, or others that touch them, and are of one
 * node. So only such ranges are compared, and the list is made once. Confined to one call.
 */
final class MergedRanges {
  private static final Comparator<Placed> BY_LOWEST_GROUP =
      (left, right) -> Integer.compareUnsigned(left.lowest(), right.lowest());

  private final int known;
  private final BiPredicate<ExclusionProto, ExclusionProto> areOne;
  private final List<Placed> joined = new ArrayList<>();

  /**
   * A range at its place in the list.
   *
   * @param place of its first part
   */
  private record Placed(int place, ExclusionProto range) {
    /** The lower one of its bounds, which no operation turns round. */
    int lowest() {
      return isInOrder() ? range.getFirstGroup() : range.getEndGroup();
    }

    int highest() {
      return isInOrder() ? range.getEndGroup() : range.getFirstGroup();
    }

    private boolean isInOrder() {
      return Integer.compareUnsigned(range.getFirstGroup(), range.getEndGroup()) <= 0;
    }

    Placed with(Placed later) {
      return new Placed(place, union(range, later.range));
    }
  }

  private MergedRanges(int known, BiPredicate<ExclusionProto, ExclusionProto> areOne) {
    this.known = known;
    this.areOne = areOne;
  }

  /**
   * @param added in the order in which they are added
   * @param areOne whether two ranges are one; never of ranges that do not touch, or of two nodes
   */
  static List<ExclusionProto> of(
      List<ExclusionProto> known,
      List<ExclusionProto> added,
      BiPredicate<ExclusionProto, ExclusionProto> areOne) {
    return new MergedRanges(known.size(), areOne).join(known, added);
  }

  private List<ExclusionProto> join(List<ExclusionProto> old, List<ExclusionProto> added) {
    Map<ByteString, List<Placed>> byNode = new HashMap<>();
    for (int i = 0; i < added.size(); i++) {
      byNode
          .computeIfAbsent(added.get(i).getNode(), node -> new ArrayList<>())
          .add(new Placed(known + i, added.get(i)));
    }
    for (int place = 0; place < known; place++) {
      byNode.getOrDefault(old.get(place).getNode(), joined).add(new Placed(place, old.get(place)));
    }
    byNode.values().forEach(this::joinOfNode);
    joined.sort(Comparator.comparingInt(Placed::place));
    return joined.stream().map(Placed::range).toList();
  }

  private void joinOfNode(List<Placed> ranges) {
    ranges.sort(BY_LOWEST_GROUP);
    int from = 0;
    int reach = 0;
    for (int i = 0; i < ranges.size(); i++) {
      Placed range = ranges.get(i);
      if (i > from && Integer.compareUnsigned(range.lowest(), reach) > 0) {
        joinTouching(ranges.subList(from, i));
        from = i;
      }
      boolean isFurthest = i == from || Integer.compareUnsigned(range.highest(), reach) > 0;
      reach = isFurthest ? range.highest() : reach;
    }
    joinTouching(ranges.subList(from, ranges.size()));
  }

  private void joinTouching(List<Placed> ranges) {
    List<Placed> inPlace = new ArrayList<>(ranges);
    inPlace.sort(Comparator.comparingInt(Placed::place));
    List<Placed> done = new ArrayList<>();
    for (Placed range : inPlace) {
      if (range.place() < known) {
        done.add(range);
      } else {
        add(range, done);
      }
    }
    joined.addAll(done);
  }

  private void add(Placed added, List<Placed> done) {
    Placed grown = added;
    int index = done.size();
    // from the end, where the ranges of groups that are being written stand
    for (int at = done.size() - 1; at >= 0; at--) {
      if (areOne.test(done.get(at).range(), grown.range())) {
        grown = done.remove(at).with(grown);
        index = at;
      }
    }
    done.add(index, grown);
  }

  private static ExclusionProto union(ExclusionProto left, ExclusionProto right) {
    boolean leftFirst = Integer.compareUnsigned(left.getFirstGroup(), right.getFirstGroup()) <= 0;
    boolean leftLast = Integer.compareUnsigned(left.getEndGroup(), right.getEndGroup()) >= 0;
    return left.toBuilder()
        .setFirstGroup((leftFirst ? left : right).getFirstGroup())
        .setEndGroup((leftLast ? left : right).getEndGroup())
        .setEpoch(Math.max(left.getEpoch(), right.getEpoch()))
        .build();
  }
}
