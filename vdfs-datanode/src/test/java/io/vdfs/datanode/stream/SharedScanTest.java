package io.vdfs.datanode.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.FileKey;
import io.vdfs.datanode.stream.SharedScan.Blocks;
import io.vdfs.datanode.stream.SharedScan.Head;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SharedScanTest {
  private static final FileKey FILE = new FileKey(1, 1);
  private static final FileKey OTHER = new FileKey(2, 1);
  private static final FileKey LAST_OTHER = new FileKey(1099, 1);

  private final Counters<StreamManagerCounter> counters =
      new Counters<>(StreamManagerCounter.class);
  private final Set<Long> memory = new HashSet<>();
  private long now = -5;
  private final SharedScan scan =
      new SharedScan((file, block) -> memory.contains(block), () -> now, counters);

  private void read(FileKey file, long first, long end) {
    for (long block = first; block < end; block++) {
      scan.onAsked(file, block);
      memory.add(block);
      scan.onRead(file, block);
    }
  }

  private static Blocks firstOf(FileKey file, List<Blocks> hints) {
    return hints.stream().filter(hint -> hint.file().equals(file)).findFirst().orElse(null);
  }

  @Test
  void shouldHintAtNothingBeforeAnythingWasRead() {
    assertEquals(List.of(), scan.inMemory());
    assertEquals(List.of(), scan.heads());
  }

  @Test
  void shouldHintAtWhatIsInMemoryAndPutWhatIsAboutToGoLast() {
    read(FILE, 0, 32);
    for (long block = 0; block < 16; block++) {
      memory.remove(block);
    }
    assertEquals(List.of(new Blocks(FILE, 18, 14), new Blocks(FILE, 16, 2)), scan.inMemory());
  }

  @Test
  void shouldHintAtWhatWasGrantedAndIsNotReadYetButNotForEver() {
    scan.onGranted(new Blocks(FILE, 40, 4), false);
    assertEquals(List.of(new Blocks(FILE, 40, 4)), scan.inMemory());
    now += TimeUnit.MINUTES.toNanos(3);
    assertEquals(List.of(), scan.inMemory(), "whoever was to read it is dead");
  }

  @Test
  void shouldHintAtWhatIsReadOnceMore() {
    read(FILE, 0, 16);
    memory.clear();
    assertEquals(List.of(), scan.inMemory());
    scan.onGranted(new Blocks(FILE, 2, 3), false);
    assertEquals(List.of(new Blocks(FILE, 2, 3)), scan.inMemory());
  }

  @Test
  void shouldForgetWhatWillNotBeRead() {
    scan.onAsked(FILE, 3);
    scan.onAsked(FILE, 4);
    scan.onGivenUp(FILE, 3);
    assertEquals(List.of(new Blocks(FILE, 4, 1)), scan.inMemory());
  }

  @Test
  void shouldPutTogetherWhatSeveralTasksRead() {
    for (long block = 0; block < 4; block++) {
      read(FILE, block, block + 1);
      read(FILE, 10 + block, 11 + block);
      read(OTHER, block, block + 1);
    }
    List<Blocks> hints = scan.inMemory();
    assertTrue(hints.contains(new Blocks(FILE, 10, 4)), hints::toString);
    assertTrue(hints.contains(new Blocks(OTHER, 0, 4)), hints::toString);
    assertEquals(12, hints.stream().mapToInt(Blocks::count).sum());
  }

  @Test
  void shouldLeaveRoomForTheFileInUseAmongManyFilesOfOthers() {
    for (int other = 100; other <= LAST_OTHER.fileId(); other++) {
      read(new FileKey(other, 1), 0, 2);
    }
    for (long block = 60; block < 200; block += 2) {
      read(FILE, block, block + 1);
    }
    List<Blocks> hints = scan.inMemory();
    assertEquals(new Blocks(FILE, 60, 1), firstOf(FILE, hints), hints::toString);
    assertTrue(hints.stream().filter(hint -> hint.file().equals(FILE)).count() > 10, "a few");
    assertEquals(new Blocks(LAST_OTHER, 0, 2), firstOf(LAST_OTHER, hints), hints::toString);
    assertTrue(hints.size() <= 64, hints::toString);
  }

  @Test
  void shouldTellWhereTheDiskGoesOn() {
    scan.onGranted(new Blocks(FILE, 40, 4), false);
    scan.onGranted(new Blocks(OTHER, 0, 1), false);
    assertEquals(List.of(new Head(OTHER, 1), new Head(FILE, 44)), scan.heads());
    scan.onGranted(new Blocks(FILE, 10, 4), true);
    assertEquals(
        List.of(new Head(OTHER, 1), new Head(FILE, 44)), scan.heads(), "who follows does not lead");
    assertEquals(1, counters.get(StreamManagerCounter.SHARED_GRANTS));
    assertEquals(4, counters.get(StreamManagerCounter.SHARED_GRANT_BLOCKS));
  }

  @Test
  void shouldRememberABoundedNumberOfBlocks() {
    read(FILE, 0, 10_000);
    int hinted = scan.inMemory().stream().mapToInt(Blocks::count).sum();
    assertEquals(4096, hinted);
  }
}
