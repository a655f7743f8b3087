package io.vdfs.datanode.meta.op.copies;

import io.vdfs.common.wire.proto.ExclusionProto;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.function.BiPredicate;

/**
 * How earlier releases joined exclusions, each added one compared with all. Their entries are in
 * the log, and their members may execute new ones, so every release must come to the same.
 */
final class ExclusionsOracle {
  private static final Comparator<ExclusionProto> BY_FIRST_GROUP =
      (left, right) -> compare(left.getFirstGroup(), right.getFirstGroup());

  private ExclusionsOracle() {}

  /** The ranges, or the message of the refusal. */
  static Object with(List<ExclusionProto> known, Collection<ExclusionProto> added, int limit) {
    List<ExclusionProto> all = joined(known, added, ExclusionsOracle::meet);
    if (all.size() > limit) {
      all = joined(joined(List.of(), known, ExclusionsOracle::meet), added, ExclusionsOracle::meet);
    }
    return all.size() > limit
        ? "too many nodes lack groups of one file: exclusions=" + all.size() + ", limit=" + limit
        : all;
  }

  /** As {@link #with}, for {@link Exclusions#withEpochs}. */
  static Object withEpochs(
      List<ExclusionProto> known, Collection<ExclusionProto> added, int limit) {
    List<ExclusionProto> all = joined(known, added, ExclusionsOracle::areOne);
    return all.size() <= limit ? all : with(known, added, limit);
  }

  private static List<ExclusionProto> joined(
      List<ExclusionProto> known,
      Collection<ExclusionProto> added,
      BiPredicate<ExclusionProto, ExclusionProto> areOne) {
    List<ExclusionProto> all = new ArrayList<>(known);
    added.stream().sorted(BY_FIRST_GROUP).forEach(range -> add(range, all, areOne));
    return all;
  }

  private static void add(
      ExclusionProto added,
      List<ExclusionProto> all,
      BiPredicate<ExclusionProto, ExclusionProto> areOne) {
    ExclusionProto grown = added;
    int place = all.size();
    for (int at = all.size() - 1; at >= 0; at--) {
      if (areOne.test(all.get(at), grown)) {
        grown = union(all.remove(at), grown);
        place = at;
      }
    }
    all.add(place, grown);
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

  private static ExclusionProto union(ExclusionProto left, ExclusionProto right) {
    boolean leftFirst = compare(left.getFirstGroup(), right.getFirstGroup()) <= 0;
    boolean leftLast = compare(left.getEndGroup(), right.getEndGroup()) >= 0;
    return left.toBuilder()
        .setFirstGroup((leftFirst ? left : right).getFirstGroup())
        .setEndGroup((leftLast ? left : right).getEndGroup())
        .setEpoch(Math.max(left.getEpoch(), right.getEpoch()))
        .build();
  }

  private static int compare(int left, int right) {
    return Integer.compareUnsigned(left, right);
  }
}
