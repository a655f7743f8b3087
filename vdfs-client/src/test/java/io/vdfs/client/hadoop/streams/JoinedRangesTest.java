package io.vdfs.client.hadoop.streams;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.EOFException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.fs.FileRange;
import org.junit.jupiter.api.Test;

class JoinedRangesTest {
  private static final int GAP = 10;
  private static final int MOST = 100;
  private static final long FILE = 1000;

  private static FileRange range(long offset, int length) {
    return FileRange.createFileRange(offset, length);
  }

  private static List<JoinedRanges> join(FileRange... ranges) throws EOFException {
    return JoinedRanges.of(Arrays.asList(ranges), FILE, GAP, MOST);
  }

  /** As in {@code "0+10 [0+4, 6+4]"}. */
  private static List<String> shape(List<JoinedRanges> joined) {
    return joined.stream()
        .map(
            part ->
                part.offset()
                    + "+"
                    + part.length()
                    + " "
                    + part.ranges().stream().map(r -> r.getOffset() + "+" + r.getLength()).toList())
        .toList();
  }

  @Test
  void shouldJoinWhatLiesCloseInTheOrderOfOffsets() throws EOFException {
    assertEquals(
        List.of("0+15 [0+4, 13+2]", "25+5 [25+5]"),
        shape(join(range(25, 5), range(0, 4), range(13, 2))),
        "gaps of 9 and of 10");
  }

  @Test
  void shouldReadNoMoreAtOnceThanToldUnlessOneRangeIsLonger() throws EOFException {
    assertEquals(
        List.of("0+100 [0+50, 50+50]", "100+1 [100+1]", "200+150 [200+150]"),
        shape(join(range(0, 50), range(50, 50), range(100, 1), range(200, 150))));
  }

  @Test
  void shouldTakeRangesUpToTheEndAndNone() throws EOFException {
    assertEquals(List.of("999+1 [999+1]"), shape(join(range(999, 1))));
    assertEquals(List.of(), shape(join()));
    assertEquals(List.of("7+0 [7+0]"), shape(join(range(7, 0))));
  }

  @Test
  void shouldRefuseWhatIsNoRangeOfTheFile() {
    assertThrows(EOFException.class, () -> join(range(990, 11)));
    assertThrows(EOFException.class, () -> join(range(1000, 0)));
    assertThrows(EOFException.class, () -> join(range(Long.MAX_VALUE, 5)));
    assertThrows(EOFException.class, () -> join(range(-1, 5)));
    assertThrows(IllegalArgumentException.class, () -> join(range(0, -1)));
    assertThrows(IllegalArgumentException.class, () -> join(range(4, 5), range(0, 5)));
    assertThrows(NullPointerException.class, () -> join(range(4, 5), null));
  }

  @Test
  void shouldCutOutTheBytesOfARange() throws EOFException {
    FileRange second = range(106, 3);
    JoinedRanges part = join(range(100, 2), second).get(0);
    ByteBuffer filled = ByteBuffer.wrap(new byte[] {0, 1, 2, 3, 4, 5, 6, 7, 8});

    assertEquals(ByteBuffer.wrap(new byte[] {6, 7, 8}), part.slice(filled, second));
    assertEquals(0, filled.position());
  }
}
