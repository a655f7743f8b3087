package io.vdfs.datanode.meta.op.copies;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.ExclusionProto;
import io.vdfs.datanode.meta.state.MetaContext;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The groups of one file, from the first one on, that nodes are not known to have, beside those
 * that they are left out of already. Comes to what {@link Exclusions#with} comes to with one
 * exclusion for each group, the number in its refusal included, as the state keeps answers for
 * retries. But adjoining groups of a node are one range from the start, and once there are too many
 * ranges they are only counted. Confined to one operation.
 */
public final class LackingGroups {
  private final Exclusions known;
  private final MetaContext context;
  private final int limit;
  private final Map<ByteString, OfNode> byNode = new HashMap<>();
  private final List<ExclusionProto.Builder> added = new ArrayList<>();
  private int ranges;

  public LackingGroups(Exclusions known, MetaContext context) {
    this.known = known;
    this.context = context;
    this.limit = context.settings().limits().exclusions();
    known.byNode().forEach((node, ofNode) -> byNode.put(node, new OfNode(ofNode)));
  }

  /**
   * @param group not negative, and not below that of any earlier call
   */
  public void add(ByteString node, int group) {
    OfNode ofNode = byNode.computeIfAbsent(node, id -> new OfNode(List.of()));
    ranges += ofNode.count(group);
    if (ranges > limit) {
      // what follows can only add to them
      added.clear();
    } else if (!ofNode.grows(group)) {
      added.add(ofNode.begin(node, group));
    }
  }

  /**
   * The file's exclusions with these groups.
   *
   * @throws VdfsException QUOTA_EXCEEDED if there are too many for one file
   */
  public Exclusions exclusions() throws VdfsException {
    if (ranges > limit) {
      int rest = byNode.values().stream().mapToInt(OfNode::countRest).sum();
      throw Exclusions.tooMany(ranges + rest, limit);
    }
    return known.with(added.stream().map(ExclusionProto.Builder::build).toList(), context);
  }

  /** One node's ranges, where all that meet are one, as far as the groups have come. */
  private static final class OfNode {
    private final List<ExclusionProto> known;
    private int nextKnown;
    private boolean any;
    private int end;
    private ExclusionProto.Builder open = ExclusionProto.newBuilder();

    OfNode(List<ExclusionProto> known) {
      this.known =
          known.stream()
              .sorted(Comparator.comparing(ExclusionProto::getFirstGroup, Integer::compareUnsigned))
              .toList();
    }

    /** Whether the group adjoins the one added last, which it is one range with then. */
    boolean grows(int group) {
      boolean adjoins = open.getEndGroup() == group && group > 0;
      if (adjoins) {
        open.setEndGroup(group + 1);
      }
      return adjoins;
    }

    ExclusionProto.Builder begin(ByteString node, int group) {
      open = Repairs.doubt(node, group).toBuilder();
      return open;
    }

    /** The ranges that begin up to a group which is added, and were not counted yet. */
    int count(int group) {
      return countKnown(group) + count(group, group + 1);
    }

    int countRest() {
      return countKnown(-1);
    }

    /**
     * @param last compared unsigned
     */
    private int countKnown(int last) {
      int begun = 0;
      while (nextKnown < known.size()
          && Integer.compareUnsigned(known.get(nextKnown).getFirstGroup(), last) <= 0) {
        begun += count(known.get(nextKnown).getFirstGroup(), known.get(nextKnown).getEndGroup());
        nextKnown++;
      }
      return begun;
    }

    private int count(int firstGroup, int endGroup) {
      boolean begins = !any || Integer.compareUnsigned(firstGroup, end) > 0;
      any = true;
      end = begins || Integer.compareUnsigned(endGroup, end) > 0 ? endGroup : end;
      return begins ? 1 : 0;
    }
  }
}
