package io.vdfs.common.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import org.junit.jupiter.api.Test;

class BlockDigestTest {
  private static final FileKey FILE = new FileKey(7, 1);

  @Test
  void shouldAddUpOverDisjointRuns() {
    long whole = BlockDigest.of(FILE, 0, 100);
    assertEquals(whole, BlockDigest.of(FILE, 0, 33) + BlockDigest.of(FILE, 33, 67));
    assertEquals(0, BlockDigest.of(FILE, 5, 0));
  }

  @Test
  void shouldTellBlocksFilesAndGenerationsApart() {
    long one = BlockDigest.of(FILE, 3, 1);
    assertNotEquals(one, BlockDigest.of(FILE, 4, 1));
    assertNotEquals(one, BlockDigest.of(new FileKey(8, 1), 3, 1));
    assertNotEquals(one, BlockDigest.of(new FileKey(7, 2), 3, 1));
    assertNotEquals(BlockDigest.of(FILE, 0, 2), BlockDigest.of(FILE, 1, 1) * 2);
  }

  /** It is compared between processes and releases. */
  @Test
  void shouldNeverChange() {
    assertEquals(1535364046046495477L, BlockDigest.of(FILE, 0, 3));
  }
}
