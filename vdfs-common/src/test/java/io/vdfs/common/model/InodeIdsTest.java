package io.vdfs.common.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class InodeIdsTest {
  private static final long LAST = (256L << 46) - 1;

  /** On-disk contract. */
  @Test
  void shouldKeepItsLayout() {
    assertEquals(256, InodeIds.directory(0, 0));
    assertEquals(512 + 7, InodeIds.file(1, 7));
    assertEquals(512 + 256 + 7, InodeIds.directory(1, 7));
    assertEquals(Long.MAX_VALUE, InodeIds.directory(LAST, 255));
  }

  @Test
  void shouldTellFromAnIdWhatItIsMadeOf() {
    for (long number : new long[] {1, 255, 256, 1L << 45, (1L << 46) - 1, 1L << 46, LAST}) {
      for (int partition : new int[] {0, 1, 128, 255}) {
        long file = InodeIds.file(number, partition);
        long directory = InodeIds.directory(number, partition);
        assertFalse(InodeIds.isDirectory(file));
        assertTrue(InodeIds.isDirectory(directory));
        for (long id : new long[] {file, directory}) {
          assertTrue(id > 0);
          assertEquals(number, InodeIds.number(id));
          assertEquals(partition, InodeIds.partition(id));
        }
      }
      assertEquals(number >> 46, InodeIds.series(number));
      assertEquals(number % (1L << 46), InodeIds.count(number));
    }
  }

  @Test
  void shouldRefuseNumbersOutOfRange() {
    assertThrows(IllegalArgumentException.class, () -> InodeIds.file(0, 0));
    assertThrows(IllegalArgumentException.class, () -> InodeIds.directory(-1, 0));
    assertThrows(IllegalArgumentException.class, () -> InodeIds.file(LAST + 1, 0));
    assertThrows(IllegalArgumentException.class, () -> InodeIds.file(1, 256));
    assertThrows(IllegalArgumentException.class, () -> InodeIds.file(1, -1));
  }
}
