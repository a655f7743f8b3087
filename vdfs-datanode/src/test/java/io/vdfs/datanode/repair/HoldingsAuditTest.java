package io.vdfs.datanode.repair;

import static io.vdfs.datanode.repair.FakeNodes.group;
import static io.vdfs.datanode.repair.RepairRings.node;
import static io.vdfs.datanode.repair.RepairRings.ring;
import static io.vdfs.datanode.repair.RepairRings.serving;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.concurrent.Causes;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.ArcReplicas;
import io.vdfs.datanode.meta.service.ManualLoop;
import io.vdfs.datanode.repair.FakeLeader.File;
import io.vdfs.datanode.repair.copy.GroupKey;
import io.vdfs.datanode.repair.copy.Surroundings;
import io.vdfs.datanode.repair.copy.WantedGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class HoldingsAuditTest {
  private static final ClusterGeometry GEOMETRY = new ClusterGeometry(4096, 4, 1024, 8);
  private static final int GROUP = (int) GEOMETRY.groupSize();
  private static final NodeId SELF = node(1);
  private static final NodeId B = node(2);
  private static final NodeId C = node(3);

  private final ManualLoop loop = new ManualLoop();
  private final FakeNodes nodes = new FakeNodes(SELF, GEOMETRY);
  private final FakeLeader leader = new FakeLeader(GEOMETRY, ring(7, 3, 8, serving(B, SELF, C)));

  private HoldingsAudit audit() {
    Surroundings around =
        new Surroundings(
            SELF, nodes, nodes, Optional::empty, () -> Set.of(), GEOMETRY, loop, loop, loop);
    return new HoldingsAudit(around, new RepairCalls(SELF, leader::call), key -> false);
  }

  private HoldingsAudit.Lot next(HoldingsAudit audit) {
    CompletableFuture<HoldingsAudit.Lot> lot = audit.next();
    loop.run();
    return lot.join();
  }

  private List<Lacking> all(HoldingsAudit audit) {
    List<Lacking> all = new ArrayList<>();
    for (HoldingsAudit.Lot lot = next(audit); ; lot = next(audit)) {
      all.addAll(lot.groups());
      if (lot.last()) {
        return all;
      }
    }
  }

  private List<GroupKey> keys(HoldingsAudit audit) {
    return all(audit).stream().map(Lacking::key).toList();
  }

  @Test
  void shouldFindWhatIsShort() {
    leader.file(1, 2 * GROUP + 10);
    nodes.put(SELF, group(1, 0), GROUP, 1, 0);
    nodes.put(SELF, group(1, 1), GROUP - 1, 1, 0);
    nodes.put(SELF, group(1, 2), 20, 1, 0);
    leader.file(2, 0);
    HoldingsAudit audit = audit();
    List<Lacking> lacking = all(audit);
    assertEquals(1, lacking.size());
    assertEquals(
        new Lacking(
            new WantedGroup(group(1, 1), GROUP, 0, 1, Map.of(), true), Duty.KEEP, false, false, 0),
        lacking.get(0));
    assertEquals(leader.sequence, audit.sequence());
    assertEquals(leader.ring, audit.ring());
    assertEquals(3, audit.looked());
  }

  @Test
  void shouldFindSoundBytesThatAreNotThoseWritten() {
    File file = leader.file(1, 3 * GROUP + 10);
    int right = FakeNodes.checksum(group(1, 0), GROUP);
    file.checksums = List.of(right, right, 0, FakeNodes.checksum(group(1, 3), 10));
    nodes.put(SELF, group(1, 0), GROUP, 1, 0);
    nodes.put(SELF, group(1, 1), GROUP, 1, 5);
    nodes.put(SELF, group(1, 2), GROUP, 1, 5);
    nodes.put(SELF, group(1, 3), 20, 1, 5);
    AtomicInteger told = new AtomicInteger();
    HoldingsAudit audit = audit().comparing(told::incrementAndGet);
    List<Lacking> lacking = all(audit);
    assertEquals(List.of(group(1, 1), group(1, 3)), lacking.stream().map(Lacking::key).toList());
    assertEquals(right, lacking.get(0).wanted().checksum());
    assertEquals(2, told.get());
    assertTrue(lacking.stream().allMatch(Lacking::differing));
    assertEquals(List.of(), all(audit()), "only lengths are compared");
  }

  @Test
  void shouldPassOverWhatIsKeptElsewhereAndWhatIsKnownToLack() {
    leader.file(1, 10).replication = 1;
    leader.file(2, 10).leftOut(0).add(SELF);
    File mine = leader.file(3, 10);
    mine.replication = 1;
    mine.leftOut(0).add(B);
    List<Lacking> lacking = all(audit());
    assertEquals(List.of(group(3, 0)), lacking.stream().map(Lacking::key).toList());
    assertEquals(Set.of(B), lacking.get(0).wanted().leftOut().keySet());
  }

  @Test
  void shouldGoByTheArcOfEachGroup() {
    List<ArcReplicas> arcs = new ArrayList<>();
    for (int arc = 0; arc < 8; arc++) {
      arcs.add(arc % 2 == 0 ? serving(B, C) : serving(B, C, SELF));
    }
    leader.ring = ring(7, 3, arcs);
    leader.file(1, 6L * GROUP);
    List<GroupKey> odd = new ArrayList<>();
    for (int number = 0; number < 6; number++) {
      if (leader.ring.arcOf(1, number) % 2 == 1) {
        odd.add(group(1, number));
      }
    }
    assertEquals(3, odd.size());
    assertEquals(odd, keys(audit()));
  }

  @Test
  void shouldHaveAJoiningNodeCompareWhatIsNotOfTheFilesEpoch() {
    leader.ring = ring(7, 3, 8, new ArcReplicas(List.of(B, C), List.of(SELF)));
    for (int id = 1; id <= 4; id++) {
      leader.file(id, 100).epoch = 2;
    }
    nodes.put(SELF, group(1, 0), 100, 2, 0);
    nodes.put(SELF, group(2, 0), 100, 1, 0);
    nodes.put(SELF, group(3, 0), 100, 2, 0);
    leader.files.get(3L).leftOut(0).add(SELF);
    leader.files.get(4L).replication = 2;
    List<Lacking> lacking = all(audit());
    assertEquals(
        List.of(group(2, 0), group(3, 0), group(4, 0)),
        lacking.stream().map(Lacking::key).toList());
    assertTrue(lacking.get(1).recorded() && !lacking.get(0).recorded());
    assertTrue(lacking.stream().allMatch(item -> item.duty() == Duty.PREPARE));
  }

  @Test
  void shouldFailWhereALaterPageWentByAnotherMap() {
    leader.pageFiles = 2;
    for (int id = 1; id <= 6; id++) {
      leader.file(id, 10);
    }
    leader.inMidPass = Optional.of(() -> leader.ring = ring(8, 3, 8, serving(SELF, B, C)));
    HoldingsAudit audit = audit();
    assertEquals(2, next(audit).groups().size());
    CompletableFuture<HoldingsAudit.Lot> second = audit.next();
    loop.run();
    assertEquals(ErrorCode.STALE_RING, failure(second).code());
  }

  private static VdfsException failure(CompletableFuture<?> failed) {
    try {
      failed.join();
    } catch (CompletionException e) {
      return Causes.asVdfs(e);
    }
    throw new AssertionError("did not fail");
  }

  @Test
  void shouldFailWithoutALeader() {
    leader.away = true;
    CompletableFuture<HoldingsAudit.Lot> lot = audit().next();
    loop.run();
    assertEquals(ErrorCode.UNAVAILABLE, failure(lot).code());
  }

  @Test
  void shouldAskForNoPageBeforeTheLastOneIsHandedOver() {
    leader.pageFiles = 2 * HoldingsAudit.LOT;
    for (int id = 1; id <= 3 * HoldingsAudit.LOT; id++) {
      leader.file(id, 10);
    }
    HoldingsAudit audit = audit();
    assertEquals(HoldingsAudit.LOT, next(audit).groups().size());
    assertEquals(HoldingsAudit.LOT, next(audit).groups().size());
    assertEquals(1, leader.requests.size());
    assertEquals(HoldingsAudit.LOT, all(audit).size());
    assertEquals(2, leader.requests.size());
  }
}
