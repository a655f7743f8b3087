package io.vdfs.client.delivery.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.wire.proto.LocalReadsProto;
import org.junit.jupiter.api.Test;

class LocalReadsTest {
  private static final long WINDOW = 1000;

  @Test
  void shouldJudgeEachWindowByItself() {
    LocalReads reads = new LocalReads(WINDOW, 50);
    assertFalse(reads.onRead(500, 500), "not a window yet");
    assertFalse(reads.onRead(500, 0), "half of it is not more than half");
    assertFalse(reads.onRead(999, 501));
    assertTrue(reads.onRead(1, 0));
    assertFalse(reads.onRead(1000, 0), "what was before does not count any more");
  }

  @Test
  void shouldNeverHaveTooMuchWhereAllOfItMayComeFromTheDisk() {
    LocalReads reads = new LocalReads(WINDOW, 100);
    assertFalse(reads.onRead(1000, 1000));
    assertFalse(reads.onRead(1000, 5000), "the system read ahead");
  }

  @Test
  void shouldTellEverythingOnce() {
    LocalReads reads = new LocalReads(WINDOW, 50);
    reads.onRead(700, 30);
    reads.onRead(800, 4);
    assertTold(1500, 34, reads.tell());
    assertTold(0, 0, reads.tell());
    reads.onRead(1, 0);
    assertTold(1, 0, reads.tell());
  }

  private static void assertTold(long read, long fetched, LocalReadsProto told) {
    assertEquals(read, told.getReadBytes());
    assertEquals(fetched, told.getFetchedBytes());
  }
}
