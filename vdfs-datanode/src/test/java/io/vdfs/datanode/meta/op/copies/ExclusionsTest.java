package io.vdfs.datanode.meta.op.copies;

import static io.vdfs.datanode.CpuTime.assertCpuTime;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.ClusterRecordProto;
import io.vdfs.common.wire.proto.ExclusionProto;
import io.vdfs.datanode.meta.MetadataHarness;
import io.vdfs.datanode.meta.state.MetaContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Compares how exclusions are joined with {@link ExclusionsOracle}. */
class ExclusionsTest {
  private static final int ROUNDS = 20_000;
  private static final int NODES = 3;

  private final Random random = new Random(11);
  private final Set<String> seen = new HashSet<>();

  private interface Join {
    Exclusions join() throws VdfsException;
  }

  private static MetaContext context(int limit) {
    return new MetaContext(
        null,
        null,
        ClusterRecordProto.getDefaultInstance(),
        Optional.empty(),
        MetadataHarness.settings(limit),
        null,
        0);
  }

  private static ExclusionProto range(int node, int first, int end, int epoch) {
    return ExclusionProto.newBuilder()
        .setNode(MetadataHarness.id(node))
        .setFirstGroup(first)
        .setEndGroup(end)
        .setEpoch(epoch)
        .build();
  }

  private Object outcome(Join join) {
    try {
      List<ExclusionProto> ranges = join.join().ranges();
      seen.add("joined");
      return ranges;
    } catch (VdfsException e) {
      assertEquals(ErrorCode.QUOTA_EXCEEDED, e.code());
      seen.add("refused");
      return e.getMessage();
    }
  }

  /** Ranges in any order, which may overlap, be empty, or be turned round. */
  private List<ExclusionProto> anyRanges(int most, boolean turned) {
    int groups = 1 + random.nextInt(40);
    // group numbers are compared unsigned
    int shift = random.nextInt(20) == 0 ? Integer.MAX_VALUE - groups / 2 : 0;
    List<ExclusionProto> ranges = new ArrayList<>();
    for (int i = random.nextInt(most + 1); i > 0; i--) {
      int first = random.nextInt(groups);
      int end = first + random.nextInt(4);
      boolean turns = turned && random.nextInt(10) == 0;
      ranges.add(
          range(
              random.nextInt(NODES),
              (turns ? end : first) + shift,
              (turns ? first : end) + shift,
              random.nextInt(3)));
    }
    return ranges;
  }

  /** Ranges as operations leave them: a node's ranges share no group, but may adjoin. */
  private List<ExclusionProto> soundRanges(int steps) throws VdfsException {
    Exclusions exclusions = new Exclusions(List.of());
    for (int step = random.nextInt(steps); step > 0; step--) {
      List<ExclusionProto> added = new ArrayList<>();
      for (int i = random.nextInt(4); i >= 0; i--) {
        int first = random.nextInt(40);
        added.add(range(random.nextInt(NODES), first, first + 1, random.nextInt(3)));
      }
      exclusions =
          switch (random.nextInt(6)) {
            case 0 -> exclusions.with(added, context(1000));
            case 1 ->
                exclusions.without(MetadataHarness.id(random.nextInt(NODES)), random.nextInt(40));
            default -> exclusions.withEpochs(added, context(1000));
          };
    }
    return exclusions.ranges();
  }

  private int limit() {
    return random.nextInt(4) == 0 ? 1000 : random.nextInt(16);
  }

  @Test
  void shouldJoinAsItAlwaysDid() throws VdfsException {
    for (int round = 0; round < ROUNDS; round++) {
      List<ExclusionProto> known =
          random.nextBoolean() ? soundRanges(12) : anyRanges(20, random.nextBoolean());
      List<ExclusionProto> added = anyRanges(12, random.nextBoolean());
      int limit = limit();
      MetaContext context = context(limit);
      Exclusions exclusions = new Exclusions(known);
      assertEquals(
          ExclusionsOracle.with(known, added, limit),
          outcome(() -> exclusions.with(added, context)),
          "round=" + round);
      assertEquals(
          ExclusionsOracle.withEpochs(known, added, limit),
          outcome(() -> exclusions.withEpochs(added, context)),
          "round=" + round);
    }
    assertEquals(Set.of("joined", "refused"), seen);
  }

  @Test
  void shouldCollectGroupsAsIfEachWereAnExclusion() throws VdfsException {
    for (int round = 0; round < ROUNDS; round++) {
      List<ExclusionProto> known = random.nextInt(3) > 0 ? soundRanges(12) : anyRanges(20, false);
      int limit = limit();
      LackingGroups lacking = new LackingGroups(new Exclusions(known), context(limit));
      List<ExclusionProto> added = new ArrayList<>();
      int percent = random.nextInt(100);
      for (int group = 0; group < 42; group++) {
        int turn = random.nextInt(NODES);
        for (int i = 0; i < NODES; i++) {
          int node = (turn + i) % NODES;
          if (random.nextInt(100) < percent) {
            added.add(range(node, group, group + 1, 0));
            lacking.add(MetadataHarness.id(node), group);
          }
        }
      }
      assertEquals(
          ExclusionsOracle.with(known, added, limit),
          outcome(lacking::exclusions),
          "round=" + round);
    }
    assertEquals(Set.of("joined", "refused"), seen);
  }

  @Test
  void shouldAddManyGroupsToManyRangesAtOnce() {
    List<ExclusionProto> known = new ArrayList<>();
    List<ExclusionProto> added = new ArrayList<>();
    for (int group = 0; group < 100_000; group += 4) {
      known.add(range(1, group, group + 1, 1));
      added.add(range(2, group, group + 1, 0));
      added.add(range(1, group + 1, group + 2, 0));
    }
    Exclusions joined =
        assertCpuTime(
            Duration.ofSeconds(2),
            () -> new Exclusions(known).with(added, context(Integer.MAX_VALUE)));
    assertEquals(50_000, joined.ranges().size());
    assertEquals(range(1, 0, 2, 1), joined.ranges().get(0));
    assertEquals(range(2, 99_996, 99_997, 0), joined.ranges().get(49_999));
  }

  @Test
  void shouldKeepTheOrderInWhichRangesWereFound() throws VdfsException {
    Exclusions exclusions =
        new Exclusions(List.of(range(1, 8, 9, 2), range(2, 0, 1, 1), range(1, 4, 5, 1)));
    List<ExclusionProto> added = List.of(range(2, 1, 2, 0), range(1, 6, 7, 0), range(1, 5, 6, 0));
    assertEquals(
        List.of(range(1, 8, 9, 2), range(2, 0, 2, 1), range(1, 4, 7, 1)),
        exclusions.with(added, context(3)).ranges());
    assertEquals(
        range(3, 0, 1, 0), exclusions.with(List.of(range(3, 0, 1, 0)), context(4)).ranges().get(3));
  }
}
