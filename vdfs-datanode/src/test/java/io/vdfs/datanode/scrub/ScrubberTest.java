package io.vdfs.datanode.scrub;

import static io.vdfs.datanode.store.StoreFixture.BLOCK;
import static io.vdfs.datanode.store.StoreFixture.GROUP;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.datanode.meta.service.ManualLoop;
import io.vdfs.datanode.store.BlockLocation;
import io.vdfs.datanode.store.BlockStore;
import io.vdfs.datanode.store.BlockWriter;
import io.vdfs.datanode.store.DoubtedBlocks;
import io.vdfs.datanode.store.StoreFixture;
import io.vdfs.datanode.store.disk.DiskFile;
import io.vdfs.datanode.store.disk.SimulatedDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScrubberTest {
  private static final Duration PERIOD = Duration.ofDays(7);
  private static final long DEMANDED_RATE = 64 << 20;

  @TempDir private Path directory;

  private final SimulatedDisk disk = new SimulatedDisk();
  private final ManualLoop loop = new ManualLoop();
  private final DoubtedBlocks doubts = new DoubtedBlocks();
  private final List<String> damaged = new ArrayList<>();
  private Instant now = Instant.parse("2026-11-25T12:00:00Z");
  private BlockStore store;
  private Scrubber scrubber;

  @BeforeEach
  void open() throws VdfsException {
    store = StoreFixture.open(disk, StoreFixture.ONE_VOLUME);
  }

  @AfterEach
  void close() throws VdfsException {
    store.close();
  }

  private static FileKey key(int file) {
    return new FileKey(file, 1);
  }

  private void write(int file, int length) throws VdfsException {
    byte[] content = StoreFixture.content(file, length);
    for (int group = 0; group * GROUP < length; group++) {
      StoreFixture.write(store, key(file), group, content, 1);
    }
  }

  private ScrubMemory file() {
    return new ScrubFile(directory.resolve("scrub"), ScrubberTest::put);
  }

  private static void put(Path file, ByteBuffer content) throws IOException {
    byte[] bytes = new byte[content.remaining()];
    content.get(bytes);
    Files.write(file, bytes);
  }

  private long size(Path path) {
    try (DiskFile open = disk.open(path)) {
      return open.size();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void scrub() {
    scrub(file());
  }

  private void scrub(ScrubMemory memory) {
    scrubber =
        new Scrubber(
            store,
            doubts,
            PERIOD,
            DEMANDED_RATE,
            memory,
            (file, group) -> damaged.add(file + ":" + group),
            () -> now,
            loop);
    scrubber.start();
  }

  private void pass(Duration time) {
    now = now.plus(time);
    loop.advance(time);
  }

  private long count(ScrubCounter counter) {
    return scrubber.read(counter);
  }

  @Test
  void shouldReadEachGroupOnceInAPassAndFindWhatIsRotten() throws VdfsException {
    write(3, 2 * GROUP + 10);
    write(1, 5);
    write(2, GROUP);
    BlockLocation second = store.locate(key(3), StoreFixture.GROUP_BLOCKS).orElseThrow();
    Path rotten =
        disk.files().stream()
            .filter(path -> path.toString().endsWith(".vcf"))
            .max(Comparator.comparingLong(this::size))
            .orElseThrow();
    disk.flip(rotten, (second.position() + 17) * 8);
    scrub();
    pass(Duration.ofMinutes(1));
    assertEquals(List.of("3.1:1"), damaged);
    assertEquals(5, count(ScrubCounter.GROUPS));
    assertEquals(1, count(ScrubCounter.DAMAGED));
    assertEquals(1, count(ScrubCounter.PASSES));
    assertTrue(count(ScrubCounter.BYTES) >= 2L * GROUP);
    assertEquals(Duration.ofMinutes(1), scrubber.oldestUnverified());

    pass(Duration.ofDays(3));
    assertEquals(1, count(ScrubCounter.PASSES), "the next one begins half a period after it");
    pass(Duration.ofDays(1));
    assertEquals(2, count(ScrubCounter.PASSES));
    assertEquals(10, count(ScrubCounter.GROUPS));
    assertEquals(List.of("3.1:1", "3.1:1"), damaged);
  }

  @Test
  void shouldTakeItsTime() throws VdfsException {
    for (int file = 1; file <= 50; file++) {
      write(file, GROUP);
    }
    scrub();
    loop.advance(Duration.ZERO);
    assertEquals(1, count(ScrubCounter.GROUPS));
    Duration rest = Duration.ofNanos((long) (49 * GROUP * 1e9 / Scrubber.LEAST_RATE));
    pass(rest.dividedBy(2));
    long half = count(ScrubCounter.GROUPS);
    assertTrue(half > 20 && half < 30, "read " + half);
    pass(rest.dividedBy(2).plusMillis(10));
    assertEquals(50, count(ScrubCounter.GROUPS));
  }

  @Test
  void shouldNotHurryThroughADeadDisk() throws VdfsException {
    for (int file = 1; file <= 50; file++) {
      write(file, GROUP);
    }
    disk.breakDown(StoreFixture.ONE_VOLUME.get(0));
    scrub();
    loop.advance(Duration.ZERO);
    assertEquals(1, count(ScrubCounter.FAILED) + count(ScrubCounter.DAMAGED));
    pass(Duration.ofMinutes(1));
    assertEquals(50, count(ScrubCounter.FAILED) + count(ScrubCounter.DAMAGED));
    assertEquals(1, count(ScrubCounter.PASSES));
    disk.mend(StoreFixture.ONE_VOLUME.get(0));
  }

  @Test
  void shouldGoOnWhereItWasAfterARestart() throws VdfsException {
    for (int file = 1; file <= 30; file++) {
      write(file, BLOCK);
    }
    ScrubPosition[] kept = new ScrubPosition[1];
    ScrubMemory memory = file();
    scrub(memory);
    loop.advance(Duration.ZERO);
    scrubber.stop();
    kept[0] = ScrubPosition.first(now.toEpochMilli()).at(key(20), 0);
    scrub(
        new ScrubMemory() {
          @Override
          public Optional<ScrubPosition> load() {
            return Optional.of(kept[0]);
          }

          @Override
          public void save(ScrubPosition position) throws IOException {
            memory.save(position);
          }
        });
    pass(Duration.ofMinutes(1));
    assertEquals(10, count(ScrubCounter.GROUPS), "behind the twentieth");
    assertTrue(file().load().orElseThrow().ended());
    scrubber.stop();

    scrub();
    pass(Duration.ofDays(3));
    assertEquals(0, count(ScrubCounter.GROUPS), "the pass is over");
    pass(Duration.ofDays(1));
    assertEquals(30, count(ScrubCounter.GROUPS));
  }

  @Test
  void shouldBeginAnewWithAnUnreadablePosition() throws Exception {
    write(1, BLOCK);
    Files.writeString(directory.resolve("scrub"), "pass.begun.millis=yesterday\n");
    scrub();
    pass(Duration.ofMinutes(1));
    assertEquals(1, count(ScrubCounter.PASSES));
    now = now.minus(Duration.ofDays(400));
    pass(Duration.ofHours(1));
    assertEquals(2, count(ScrubCounter.PASSES), "a clock that was set back puts nothing off");
  }

  @Test
  void shouldLeaveAloneWhatIsBeingWrittenAndPassOverWhatIsGone() throws VdfsException {
    BlockWriter writer = StoreFixture.writer(store, key(1), 0, 1, 0);
    StoreFixture.append(writer, StoreFixture.content(1, BLOCK), 0, BLOCK);
    writer.checkpoint();
    write(2, BLOCK);
    write(3, BLOCK);
    scrub();
    loop.advance(Duration.ZERO);
    store.delete(key(3));
    pass(Duration.ofMinutes(1));
    assertEquals(1, count(ScrubCounter.GROUPS));
    assertEquals(List.of(), damaged);
    writer.close(true);
  }

  /** From here on the bytes of a block on disk are not what its writer sent. */
  private void rot(int file, int block) throws VdfsException {
    BlockLocation held = store.locate(key(file), block).orElseThrow();
    disk.flip(held.path(), (held.position() + 17) * 8);
  }

  private void doubt(int file, int block) {
    assertTrue(
        doubts.add(new DoubtedBlocks.Doubt(key(file), block / StoreFixture.GROUP_BLOCKS, block)));
  }

  @Test
  void shouldVerifyDoubtedBlocksItself() throws VdfsException {
    write(1, 2 * GROUP);
    write(2, GROUP);
    scrub();
    pass(Duration.ofMinutes(1));
    int rotten = StoreFixture.GROUP_BLOCKS + 1;
    rot(1, rotten);
    doubt(2, 0);
    doubt(1, 0);
    doubt(1, rotten);
    doubt(1, rotten);
    doubt(7, 0);
    doubt(2, 5_000);
    pass(Duration.ofSeconds(10));
    assertEquals(List.of("1.1:1"), damaged);
    assertEquals(3, count(ScrubCounter.DOUBTED), "those that are held, once each");
    assertEquals(1, count(ScrubCounter.DOUBTS_CONFIRMED));
    assertEquals(0, count(ScrubCounter.DAMAGED), "no pass was due");
  }

  @Test
  void shouldTakeItsTimeWithDoubtsAndNoMoreThanItCanWorkOff() throws VdfsException {
    int blocks = 20 * StoreFixture.GROUP_BLOCKS;
    write(1, 20 * GROUP);
    scrub();
    pass(Duration.ofMinutes(1));
    for (int block = 0; block < blocks; block++) {
      doubt(1, block);
    }
    loop.advance(Scrubber.DOUBTS_PAUSE);
    Duration all = Duration.ofNanos((long) (20L * GROUP * 1e9 / Scrubber.DOUBTS_RATE));
    pass(all.dividedBy(2));
    long half = count(ScrubCounter.DOUBTED);
    assertTrue(half > blocks / 3 && half < blocks * 2 / 3, "looked at " + half);
    pass(all);
    assertEquals(blocks, count(ScrubCounter.DOUBTED));

    scrubber.stop();
    for (int block = 0; block < DoubtedBlocks.MOST; block++) {
      doubt(3, block);
    }
    DoubtedBlocks.Doubt more = new DoubtedBlocks.Doubt(key(4), 0, 0);
    assertFalse(doubts.add(more));
    assertTrue(doubts.add(new DoubtedBlocks.Doubt(key(3), 0, 0)), "it waits already");
  }

  @Test
  void shouldBeginAPassAtOnceAndGoFasterWhenAsked() throws VdfsException {
    for (int file = 1; file <= 50; file++) {
      write(file, GROUP);
    }
    scrub();
    pass(Duration.ofMinutes(1));
    rot(7, 0);
    CompletableFuture<Scrubber.Begun> asked = scrubber.passNow();
    loop.run();
    Scrubber.Begun begun = asked.join();
    assertEquals(new Scrubber.Begun(1, 50, 50L * GROUP, 0, 0, 50L * GROUP), begun);
    Duration rest = Duration.ofNanos((long) (49 * GROUP * 1e9 / DEMANDED_RATE));
    pass(rest.dividedBy(2));
    assertTrue(count(ScrubCounter.GROUPS) < 90, "it keeps its rate");
    pass(rest);
    assertEquals(begun.passes() + 1, count(ScrubCounter.PASSES));
    assertEquals(List.of("7.1:0"), damaged);
    assertEquals(begun.groups() + 50, count(ScrubCounter.GROUPS));

    asked = scrubber.passNow();
    pass(rest.dividedBy(2));
    assertTrue(asked.isDone());
    asked = scrubber.passNow();
    pass(rest.plusSeconds(1));
    assertEquals(begun.passes() + 1, asked.join().passes());
    assertEquals(begun.passes() + 2, count(ScrubCounter.PASSES), "the one under way began anew");
    long groups = count(ScrubCounter.GROUPS);
    pass(Duration.ofDays(4));
    assertEquals(groups + 50, count(ScrubCounter.GROUPS), "one chain of steps goes on");
  }
}
