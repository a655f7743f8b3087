package io.vdfs.datanode.ledger.query;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vdfs.datanode.ledger.state.TestPinnedFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class BlockMarksTest {
  private static final int FAR = 2_000_000_000;

  /** The marks of blocks 3 to 6, 10 and 11, and four far behind. */
  private final BlockMarks marks = new BlockMarks(TestPinnedFile.of(3, 4, 10, 2, FAR, 4));

  @Test
  void shouldFindWhatWasMarked() {
    assertEquals(-1, marks.firstMarked(0, Integer.MAX_VALUE));
    marks.mark(5, 7);
    marks.mark(FAR + 1, FAR + 2);
    assertEquals(5, marks.firstMarked(0, 12));
    assertEquals(6, marks.firstMarked(6, 12));
    assertEquals(-1, marks.firstMarked(3, 5));
    assertEquals(-1, marks.firstMarked(7, 12));
    assertEquals(FAR + 1, marks.firstMarked(10, FAR + 4));
    assertEquals(-1, marks.firstMarked(FAR + 2, FAR + 4));
  }

  @Test
  void shouldFindWhatIsMissing() {
    marks.mark(3, 5);
    marks.mark(10, 12);
    assertEquals(5, marks.firstUnmarked(0));
    assertEquals(2, marks.unmarked(0));
    assertEquals(-1, marks.firstUnmarked(1));
    assertEquals(0, marks.unmarked(1));
    assertEquals(FAR, marks.firstUnmarked(2));
    assertEquals(4, marks.unmarked(2));
  }

  @Test
  void shouldFindWhatIsNotToBeHandedOut() {
    assertEquals(-1, marks.firstOutside(3, 7));
    assertEquals(-1, marks.firstOutside(11, 12));
    assertEquals(2, marks.firstOutside(2, 4));
    assertEquals(7, marks.firstOutside(6, 8));
    assertEquals(7, marks.firstOutside(7, 11));
    assertEquals(12, marks.firstOutside(11, FAR + 1));
    assertEquals(FAR + 4, marks.firstOutside(FAR + 3, FAR + 6));
    assertEquals(FAR + 9, marks.firstOutside(FAR + 9, FAR + 10));
  }

  @Test
  void shouldMarkNothingOfWhatIsNotToBeHandedOut() {
    marks.mark(0, 11);
    assertEquals(-1, marks.firstUnmarked(0));
    assertEquals(11, marks.firstUnmarked(1));
    assertEquals(FAR, marks.firstUnmarked(2));
    marks.mark(7, 9);
    marks.mark(FAR + 4, FAR + 8);
    assertEquals(11, marks.firstUnmarked(1));
    assertEquals(4, marks.unmarked(2));
  }

  @Test
  void shouldHoldAFileOfWhichNothingIsHandedOut() {
    BlockMarks none = new BlockMarks(TestPinnedFile.of());
    none.mark(0, 3);
    assertEquals(-1, none.firstMarked(0, 3));
    assertEquals(0, none.firstOutside(0, 3));
  }

  @Test
  @Timeout(5)
  void shouldNotSearchTheWholeFileForEachRange() {
    int ranges = 1 << 22;
    int[] gaps = new int[2 * ranges];
    for (int range = 0; range < ranges; range++) {
      gaps[2 * range] = 2 * range;
      gaps[2 * range + 1] = 1;
    }
    BlockMarks all = new BlockMarks(TestPinnedFile.of(gaps));
    all.mark(2 * ranges - 2, 2 * ranges);
    for (int range = 0; range < ranges - 1; range++) {
      assertEquals(-1, all.firstMarked(2 * range, 2 * range + 1));
    }
    all.mark(0, 2 * ranges);
    for (int range = 0; range < ranges; range++) {
      assertEquals(-1, all.firstUnmarked(range));
    }
  }
}
