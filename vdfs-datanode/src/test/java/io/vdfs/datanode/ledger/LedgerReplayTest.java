package io.vdfs.datanode.ledger;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.LedgerRecord;
import io.vdfs.common.wire.proto.RunTakenRecord;
import io.vdfs.common.wire.proto.StreamFile;
import io.vdfs.common.wire.proto.StreamRun;
import io.vdfs.common.wire.proto.TaskSlice;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class LedgerReplayTest {
  private static final long BLOCKS_OF_100_TB = 12_500_000;

  @Test
  void shouldGiveSameStateFromLogAndFromSnapshotAtEveryStep() throws VdfsException {
    StreamDriver driver = new StreamDriver(new TestStream(1, 2, 3, 2).file(95, 0, 1, 2).file(0));
    driver.host.call(driver.stream.chunks(2).get(0), LedgerHost.USER, 5);
    assertSameEverywhere(driver);
    driver.host.call(driver.stream.chunks(2).get(1), LedgerHost.USER, 6);
    assertSameEverywhere(driver);
    driver.host.call(driver.stream.seal(), LedgerHost.USER, 7);
    for (int position = 0; position < 5; position++) {
      driver.run(0, position, position % 4 - 1, 3);
      assertSameEverywhere(driver);
    }
    driver.close(0);
    assertSameEverywhere(driver);
  }

  @Test
  void shouldKeepStreamsApartAndInOrder() throws VdfsException {
    StreamDriver driver = StreamDriver.created(new TestStream(2, 1, 1, 1).file(20, 0));
    TestStream other = new TestStream(1, 1, 1, 1).file(30, 0);
    driver.host.call(other.chunks(1).get(0), LedgerHost.USER, 5);
    driver.run(0, 0, 0, 1);
    assertEquals(2, driver.host.ledger().streamCount());
    assertEquals(
        other.id(), LedgerHost.records(driver.host.ledger()).get(0).getStreamId(), "by id");
    assertSameEverywhere(driver);
  }

  @Test
  void shouldStopAtRecordThatDoesNotFit() throws VdfsException {
    StreamDriver driver = StreamDriver.created(new TestStream(1, 2, 2, 4).file(80, 0, 1));
    driver.run(0, 0, 0, 1);
    List<LedgerRecord> log = driver.host.log();
    LedgerRecord created = log.get(0);
    LedgerRecord sealed = log.get(2);
    LedgerRecord taken = log.get(3);
    assertDoesNotFit(driver, created);
    assertDoesNotFit(driver, log.get(1));
    assertDoesNotFit(driver, sealed);
    assertDoesNotFit(driver, taken);
    assertDoesNotFit(driver, bent(taken, r -> r.setPosition(1)));
    assertDoesNotFit(driver, bent(taken, r -> r.setPosition(1).setFirstBlock(4)));
    assertDoesNotFit(driver, bent(taken, r -> r.setPosition(1).setFirstBlock(1).setBlockCount(4)));
    assertDoesNotFit(driver, bent(taken, r -> r.setPosition(1).setBlockCount(0)));
    assertDoesNotFit(driver, bent(taken, r -> r.setPosition(1).setFirstBlock(1).setPool(1)));
    assertThrows(IllegalStateException.class, () -> new Ledger().replay(taken));
    driver.host.append(bent(taken, r -> r.setPosition(1).setFirstBlock(1)));
  }

  @Test
  void shouldHoldStreamOf100Terabytes() throws VdfsException {
    int nodes = 20;
    int groupBlocks = 16;
    TestStream stream = new TestStream(1, 320, nodes, groupBlocks);
    long length = BLOCKS_OF_100_TB * TestStream.BLOCK_SIZE;
    int perMessage = 160_000;
    for (long first = 0; first < BLOCKS_OF_100_TB; first += perMessage) {
      long count = Math.min(perMessage, BLOCKS_OF_100_TB - first);
      StreamFile.Builder part =
          stream
              .newFile(length)
              .setIndex(0)
              .setPath("/in/big")
              .addRanges(TestStream.range(first, count));
      part.getFileBuilder().setFileId(100);
      for (long group = first / groupBlocks; group * groupBlocks < first + count; group++) {
        part.addGroupNodes((int) (group % nodes));
      }
      stream.add(part.build(), count, count * TestStream.BLOCK_SIZE);
    }
    StreamDriver driver = new StreamDriver(stream);
    for (int chunk = 0; chunk < stream.files().size(); chunk++) {
      driver.host.call(
          stream.chunk(chunk, stream.files().subList(chunk, chunk + 1)), LedgerHost.USER, 1);
    }
    driver.host.call(stream.seal(), LedgerHost.USER, 1);
    assertEquals(BLOCKS_OF_100_TB, driver.status().getRemainingBlocks());
    for (int position = 0; position < 1000; position++) {
      StreamRun run = driver.run(position % 320, position / 320, position % nodes, 16);
      assertTrue(run.getBlockCount() <= groupBlocks);
    }
    long bytes = 0;
    for (LedgerRecord record : LedgerHost.records(driver.host.ledger())) {
      assertTrue(record.getSerializedSize() < 1 << 20, "records stay small");
      bytes += record.getSerializedSize();
    }
    assertTrue(bytes < 8 << 20, "a compact snapshot");
  }

  @Test
  void shouldHoldManyStreamsWhoseTasksHaveNotDrawn() throws VdfsException {
    StreamDriver driver =
        StreamDriver.created(new TestStream(1, TestStream.MOST_TASKS, 1, 4).file(60, 0));
    for (int id = 2; id <= 1000; id++) {
      TestStream idle = new TestStream(id, TestStream.MOST_TASKS, 0, 1);
      driver.host.call(idle.chunks(1).get(0), LedgerHost.USER, driver.time);
    }
    assertEquals(1000, driver.host.ledger().streamCount());
    driver.run(TestStream.MOST_TASKS - 1, 0, 0, 1);
    driver.close(7);
    assertSameEverywhere(driver);
    assertTrue(driver.status().getTasks(7).getClosed());
    assertEquals(1, driver.status().getTasks(TestStream.MOST_TASKS - 1).getRuns());
    assertEquals(0, driver.status().getTasks(8).getRuns());
  }

  @Test
  void shouldStopAtAListOfATaskThatTheStreamHasNot() throws VdfsException {
    StreamDriver driver = StreamDriver.created(new TestStream(1, 2, 1, 4).file(60, 0));
    LedgerRecord unknown =
        LedgerRecord.newBuilder()
            .setStreamId(driver.stream.id())
            .setTaskSlice(TaskSlice.newBuilder().setTask(2).setClosed(true))
            .build();
    assertThrows(IndexOutOfBoundsException.class, () -> driver.host.ledger().replay(unknown));
  }

  @Test
  void shouldHoldOneRangeForFileOnSingleNode() throws VdfsException {
    TestStream stream = new TestStream(1, 4, 1, 4096).file(10L * TestStream.BLOCK_SIZE * 4096, 0);
    StreamDriver driver = StreamDriver.created(stream);
    long cells =
        LedgerHost.records(driver.host.ledger()).stream()
            .mapToLong(record -> record.getPoolSlice().getCellsCount())
            .sum();
    assertEquals(3, cells);
  }

  @Test
  void shouldCutAFileOfVeryManyRangesInSnapshots() throws VdfsException {
    int ranges = 200_000;
    TestStream stream = new TestStream(1, 2, 2, 1).file(30, 0);
    StreamFile.Builder gaps = stream.newFile(2L * ranges * TestStream.BLOCK_SIZE);
    for (int range = 0; range < ranges; range++) {
      gaps.addRanges(TestStream.range(2L * range, 1)).addGroupNodes(range % 2);
    }
    stream.add(gaps.build(), ranges, (long) ranges * TestStream.BLOCK_SIZE);
    stream.file(0);
    StreamFile again = gaps.setIndex(3).build();
    stream.add(again, ranges, (long) ranges * TestStream.BLOCK_SIZE).file(30, 1);
    StreamDriver driver = StreamDriver.created(stream);
    driver.run(0, 0, 0, 1);
    assertSmallRecords(driver);
    assertSameEverywhere(driver);
    long pinned =
        LedgerHost.records(driver.host.ledger()).stream()
            .flatMap(record -> record.getFilesSlice().getFilesList().stream())
            .mapToLong(StreamFile::getRangesCount)
            .sum();
    assertEquals(2L * ranges + 2, pinned, "each range once");
  }

  @Test
  void shouldCutLongPathsAndManyChunksInSnapshots() throws VdfsException {
    StreamDriver driver = new StreamDriver(new TestStream(1, 1, 1, 1));
    int chunks = 150_000;
    for (int chunk = 0; chunk < chunks; chunk++) {
      List<StreamFile> files =
          chunk < 500
              ? List.of(
                  driver.stream.newFile(0).setIndex(chunk).setPath("/" + "x".repeat(7999)).build())
              : List.of();
      driver.host.call(driver.stream.chunk(chunk, files), LedgerHost.USER, 1);
    }
    assertSmallRecords(driver);
    assertSameEverywhere(driver);
  }

  private static void assertSmallRecords(StreamDriver driver) {
    for (LedgerRecord record : LedgerHost.records(driver.host.ledger())) {
      int length = record.getSerializedSize();
      assertTrue(length < 1 << 20, () -> record.getRecordCase() + " of " + length + " bytes");
    }
  }

  private static LedgerRecord bent(LedgerRecord record, Consumer<RunTakenRecord.Builder> change) {
    LedgerRecord.Builder bent = record.toBuilder();
    change.accept(bent.getRunTakenBuilder());
    return bent.build();
  }

  private static void assertDoesNotFit(StreamDriver driver, LedgerRecord record) {
    byte[] before = LedgerHost.canonical(driver.host.ledger());
    assertThrows(IllegalStateException.class, () -> driver.host.ledger().replay(record));
    assertArrayEquals(before, LedgerHost.canonical(driver.host.ledger()));
  }

  private static void assertSameEverywhere(StreamDriver driver) {
    byte[] state = LedgerHost.canonical(driver.host.ledger());
    assertArrayEquals(state, LedgerHost.canonical(driver.host.rebuilt()));
    Ledger restored = new Ledger();
    new ArrayList<>(LedgerHost.records(driver.host.ledger())).forEach(restored::replay);
    assertArrayEquals(state, LedgerHost.canonical(restored));
  }
}
