package io.vdfs.common.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.model.InodeIds;
import io.vdfs.common.ring.BalanceReport.NodeLoad;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BalanceReportTest {
  private static final long GROUP = 1000;

  private final RingMap ring =
      RingPlanner.plan(Optional.empty(), RingNodes.dealt(new Random(1), 5, 1), 3, 60).map();

  @Test
  void shouldCountALongFileOnAllNodesAlike() {
    BalanceReport.Sum sum = new BalanceReport.Sum(ring, GROUP);
    sum.add(InodeIds.file(1, 0), 10 * GROUP - 1, 3);
    BalanceReport report = sum.report();

    assertEquals(10, report.groups());
    assertEquals(30, report.copies());
    assertEquals(10 * GROUP - 1, report.bytes());
    assertEquals(3 * (10 * GROUP - 1), report.copyBytes());
    assertEquals(5, report.nodes().size());
    for (NodeLoad node : report.nodes()) {
      assertEquals(2, node.groups());
      assertEquals(6, node.copies());
      assertFalse(report.isBeyond(node));
    }
    assertEquals(0, report.variance());
    assertEquals(0, report.manhattanDistance());
    assertEquals(3.0 * 2 * 10 / 25, report.randomVariance(), 1e-9);
  }

  /** One group with one copy, worked out by hand: one node has 1, four have 0; the mean is 0.2. */
  @Test
  void shouldTellHowFarNodesAreFromTheMean() {
    BalanceReport.Sum sum = new BalanceReport.Sum(ring, GROUP);
    sum.add(InodeIds.file(7, 3), 1, 1);
    sum.add(InodeIds.file(8, 3), 0, 3);
    BalanceReport report = sum.report();

    assertEquals(1, report.copies());
    assertEquals(0.2, report.mean(), 1e-9);
    assertEquals(0.16, report.variance(), 1e-9);
    assertEquals(0.4, report.standardDeviation(), 1e-9);
    assertEquals(0.16, report.randomVariance(), 1e-9);
    assertEquals(0.8 + 4 * 0.2, report.manhattanDistance(), 1e-9);
    NodeLoad owner =
        report.nodes().stream()
            .filter(node -> node.node().equals(ring.owner(InodeIds.file(7, 3), 0)))
            .findFirst()
            .orElseThrow();
    assertEquals(new NodeLoad(owner.node(), 1, 1, 1), owner);
    assertEquals(2, report.deviations(owner), 1e-9);
    assertEquals(List.of(owner), report.nodes().stream().filter(report::isBeyond).toList());
  }

  @Test
  void shouldKeepNoMoreCopiesThanTheRingLists() {
    BalanceReport.Sum sum = new BalanceReport.Sum(ring, GROUP);
    sum.add(InodeIds.file(1, 0), 1, 10);
    assertEquals(3, sum.report().copies());
  }

  /** The formula is right where places are random. */
  @Test
  void shouldExpectWhatRandomPlacesGive() {
    RingMap random = ring.placing(Placement.RANDOM);
    double measured = 0;
    double expected = 0;
    for (int round = 0; round < 300; round++) {
      BalanceReport.Sum sum = new BalanceReport.Sum(random, GROUP);
      for (int file = 0; file < 100; file++) {
        sum.add(InodeIds.file(1 + 100L * round + file, 0), 1, 1 + file % 3);
      }
      measured += sum.report().variance();
      expected += sum.report().randomVariance();
    }
    assertTrue(Math.abs(measured / expected - 1) < 0.1, measured + " for " + expected);
  }
}
