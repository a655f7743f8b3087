package io.vdfs.datanode.ledger.draw;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class LastToFinishStealPolicyTest {
  private static final int[] NOBODY = {};

  private final StealPolicy policy = new LastToFinishStealPolicy();

  @Test
  void shouldHelpTheNodeThatWouldFinishLast() {
    long[] left = {0, 4, 9, 9};
    long[] taken = {20, 0, 8, 17};
    assertEquals(1, policy.victim(0, left, taken, NOBODY));
    assertEquals(2, policy.victim(0, left, taken, new int[] {2, 3}));
    assertEquals(3, policy.victim(0, left, taken, new int[] {3}));
  }

  @Test
  void shouldGoBeyondItsNeighboursWhenTheyHaveNothingLeft() {
    assertEquals(2, policy.victim(0, new long[] {0, 0, 1}, new long[3], new int[] {1}));
  }

  @Test
  void shouldSpreadThievesOverEqualVictims() {
    long[] left = {5, 5, 0, 5, 0};
    long[] taken = new long[5];
    assertEquals(3, policy.victim(2, left, taken, NOBODY));
    assertEquals(0, policy.victim(4, left, taken, NOBODY));
    assertEquals(0, policy.victim(-1, left, taken, NOBODY));
  }

  @Test
  void shouldCompareLargeAmounts() {
    long most = Integer.MAX_VALUE;
    assertEquals(1, policy.victim(0, new long[] {0, most, most}, new long[] {0, 0, most}, NOBODY));
    assertEquals(2, policy.victim(0, new long[] {0, 1, most}, new long[] {0, most, 0}, NOBODY));
  }
}
