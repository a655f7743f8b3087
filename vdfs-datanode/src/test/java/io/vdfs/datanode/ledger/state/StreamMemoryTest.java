package io.vdfs.datanode.ledger.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.datanode.ledger.TestStream;
import org.junit.jupiter.api.Test;

class StreamMemoryTest {
  private static final int GROUP = 4;
  private static final long PART = StreamMemory.ofRange(0, 0, 1, GROUP);

  @Test
  void shouldCountTheGroupsOfARange() {
    assertEquals(PART, StreamMemory.ofRange(0, 0, 4, GROUP));
    assertEquals(2 * PART, StreamMemory.ofRange(0, 3, 2, GROUP));
    assertEquals(3 * PART, StreamMemory.ofRange(2, 3, 6, GROUP));
    assertEquals(PART, StreamMemory.ofRange(1, 2, 1, GROUP), "a gap in a group makes two parts");
  }

  @Test
  void shouldCountARangeHoweverItIsCut() {
    long whole = StreamMemory.ofRange(0, 2, 13, GROUP);
    for (int cut = 3; cut < 15; cut++) {
      assertEquals(
          whole,
          StreamMemory.ofRange(0, 2, cut - 2L, GROUP)
              + StreamMemory.ofRange(cut, cut, 15L - cut, GROUP),
          "cut=" + cut);
    }
  }

  @Test
  void shouldLeaveRoomForAMillionSmallFilesInHalfAGibibyte() {
    TestStream one = new TestStream(1, 1, 1, 16);
    long file = StreamMemory.of(one.newFile(10).setPath("/" + "x".repeat(59)).build()) + PART;
    long most = (512L << 20) / file;
    assertTrue(most > 1_000_000, () -> "files=" + most);
  }
}
