package io.vdfs.common.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SlotTableTest {
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 63, 64})
  void shouldHandOutEachSlotOnceUntilItIsGivenBack(int slots) {
    SlotTable table = new SlotTable(new SegmentLayout(slots, 1));
    for (int slot = 0; slot < slots; slot++) {
      assertEquals(OptionalInt.of(slot), table.takeAny());
    }
    assertEquals(OptionalInt.empty(), table.takeAny());
    assertEquals(0, table.freeSlots());

    table.give(slots - 1);

    assertEquals(1, table.freeSlots());
    assertTrue(table.take(slots - 1));
    assertFalse(table.take(slots - 1));
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, -64, 4, 64, 68, Integer.MAX_VALUE, Integer.MIN_VALUE})
  void shouldRefuseSlotsThatAreNotThere(int slot) {
    SlotTable table = new SlotTable(new SegmentLayout(4, 1));

    assertFalse(table.take(slot));
    assertThrows(IllegalStateException.class, () -> table.give(slot));
    assertEquals(4, table.freeSlots());
  }

  @Test
  void shouldNoticeASlotThatIsGivenTwice() {
    SlotTable table = new SlotTable(new SegmentLayout(4, 1));
    assertTrue(table.take(2));
    table.give(2);

    assertThrows(IllegalStateException.class, () -> table.give(2));
  }

  @Test
  void shouldRefuseLayoutsOfAHostilePeer() throws VdfsException {
    assertEquals(8L << 26, SegmentLayout.ofPeer(8, 64 << 20).bytes());
    assertEquals(3L << 26, SegmentLayout.ofPeer(8, 64 << 20).position(3));
    int[][] unsound = {{0, 1}, {65, 1}, {-1, 1}, {1, 0}, {1, -1}, {1, (64 << 20) + 1}};
    for (int[] layout : unsound) {
      VdfsException refused =
          assertThrows(VdfsException.class, () -> SegmentLayout.ofPeer(layout[0], layout[1]));
      assertEquals(ErrorCode.INVALID_ARGUMENT, refused.code());
    }
    assertThrows(IllegalArgumentException.class, () -> new SegmentLayout(65, 1));
  }
}
