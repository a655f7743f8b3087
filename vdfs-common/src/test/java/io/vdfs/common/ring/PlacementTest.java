package io.vdfs.common.ring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.model.InodeIds;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class PlacementTest {
  private static final int ARCS = 2520;

  /** On-disk contract: a change of any of these numbers loses the blocks of every cluster. */
  @Test
  void shouldKeepTheArcsThatFormattedClustersRelyOn() {
    assertEquals(0xb456bcfc34c2cb2cL, RingHash.mix(1));
    assertEquals(0x64b5720b4b825f21L, RingHash.mix(-1));
    assertEquals(0, RingHash.mix(0));
    assertEquals(
        Map.of(
            Placement.TURN,
            List.of(2270, 2271, 2274, 2273, 2372, 690, 2135, 1194, 1634),
            Placement.HASH,
            List.of(454, 1989, 237, 2451, 1401, 911, 324, 1591, 86),
            Placement.RANDOM,
            List.of(1341, 38, 346, 2136, 1768, 2141, 391, 107, 1745)),
        Map.of(
            Placement.TURN,
            firstArcs(Placement.TURN),
            Placement.HASH,
            firstArcs(Placement.HASH),
            Placement.RANDOM,
            firstArcs(Placement.RANDOM)));
  }

  private static List<Integer> firstArcs(Placement placement) {
    return List.of(1L, 2L, 3L, 4L, 100L, 3359L, 3360L, 1L << 40, (1L << 46) + 1).stream()
        .map(number -> placement.arcOf(InodeIds.file(number, 5), 0, ARCS))
        .toList();
  }

  @Test
  void shouldPlaceGroupsOfAFileOnConsecutiveArcsUnlessAtRandom() {
    for (Placement placement : List.of(Placement.TURN, Placement.HASH)) {
      for (long number = 1; number < 2000; number++) {
        long id = InodeIds.file(number, 3);
        int first = placement.arcOf(id, 0, ARCS);
        for (int group : new int[] {1, 2, ARCS, Integer.MAX_VALUE}) {
          assertEquals((int) ((first + (long) group) % ARCS), placement.arcOf(id, group, ARCS));
        }
      }
    }
    Set<Integer> arcs = new HashSet<>();
    for (int group = 0; group < ARCS; group++) {
      arcs.add(Placement.RANDOM.arcOf(InodeIds.file(1, 3), group, ARCS));
    }
    assertTrue(arcs.size() > 1400 && arcs.size() < 1800, "arcs of 2520 draws: " + arcs.size());
  }

  /** A window takes as many consecutive arcs as it has files, whatever its number. */
  @Test
  void shouldFillWholeWindows() {
    Random random = new Random(1);
    for (int round = 0; round < 200; round++) {
      long window = random.nextLong(1L << 38);
      Set<Integer> arcs = new TreeSet<>();
      for (long file = 0; file < TurnOrder.WINDOW; file++) {
        arcs.add(TurnOrder.arc(window * TurnOrder.WINDOW + file, ARCS));
      }
      int first = TurnOrder.arc(window * TurnOrder.WINDOW, ARCS);
      assertEquals(TurnOrder.WINDOW, arcs.size());
      for (int arc : arcs) {
        int off = Math.floorMod(arc - first, ARCS);
        assertTrue(Math.min(off, ARCS - off) < TurnOrder.WINDOW, "off=" + off);
      }
    }
  }

  @Test
  void shouldBeginSeriesFarFromEachOther() {
    Set<Integer> eighths = new HashSet<>();
    for (int series = 0; series < 8; series++) {
      eighths.add(TurnOrder.seriesStart(series, ARCS) * 8 / ARCS);
    }
    assertEquals(8, eighths.size());
  }

  @Test
  void shouldWorkOnAnyRing() {
    for (int arcs : new int[] {1, 2, 3, 7, 104, 65_536}) {
      for (Placement placement : Placement.values()) {
        for (int number = 1; number < 1000; number++) {
          int arc = placement.arcOf(InodeIds.file(number, 0), number, arcs);
          assertTrue(arc >= 0 && arc < arcs, placement + ": arc=" + arc);
        }
      }
    }
  }

  @Test
  void shouldBeWrittenAsItIsRead() {
    for (Placement placement : Placement.values()) {
      assertEquals(placement, Placement.ofWire(placement.wireNumber()));
      assertEquals(placement, Placement.named(placement.toString()));
    }
    assertEquals(
        "unknown placement: placement=golden; use one of turn, hash, random",
        assertThrows(IllegalArgumentException.class, () -> Placement.named("golden")).getMessage());
    for (int unknown : new int[] {0, 4, -1}) {
      String message =
          assertThrows(IllegalArgumentException.class, () -> Placement.ofWire(unknown))
              .getMessage();
      assertTrue(message.startsWith("unknown placement: placement="), message);
      assertTrue(message.contains("use the release"), message);
    }
  }
}
