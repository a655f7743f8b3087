package io.vdfs.it.workload;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.Arrays;
import org.junit.jupiter.api.Test;

class FileContentTest {
  private final FileContent content = FileContent.EMPTY.with(1, 1_000).with(2, 30).with(3, 5_000);

  @Test
  void shouldGiveTheSameBytesWhateverRangeIsAskedFor() {
    assertArrayEquals(Arrays.copyOfRange(content.bytes(), 990, 1_050), content.bytes(990, 1_050));
    assertEquals(6_030, content.bytes().length);
  }

  @Test
  void shouldTellPiecesAtTheSamePlaceApart() {
    FileContent other = FileContent.EMPTY.with(1, 1_000).with(9, 30);

    assertArrayEquals(content.bytes(0, 1_000), other.bytes(0, 1_000));
    assertNotEquals(
        Arrays.hashCode(content.bytes(1_000, 1_030)), Arrays.hashCode(other.bytes(1_000, 1_030)));
  }

  @Test
  void shouldCutInsideAPiece() {
    FileContent cut = content.prefix(1_010);

    assertEquals(1_010, cut.length());
    assertArrayEquals(content.bytes(0, 1_010), cut.bytes());
    assertEquals(FileContent.EMPTY, content.prefix(0));
  }
}
