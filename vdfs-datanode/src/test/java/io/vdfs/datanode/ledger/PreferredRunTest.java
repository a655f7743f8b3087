package io.vdfs.datanode.ledger;

import static io.vdfs.datanode.ledger.StreamDriver.text;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.wire.proto.FileKeyProto;
import io.vdfs.common.wire.proto.NextRunOp;
import io.vdfs.common.wire.proto.NextRunResult;
import io.vdfs.common.wire.proto.PreferredBlocks;
import io.vdfs.common.wire.proto.ScanHead;
import io.vdfs.common.wire.proto.StreamFile;
import io.vdfs.datanode.ledger.op.StreamBounds;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class PreferredRunTest {
  private static FileKeyProto key(int file) {
    return FileKeyProto.newBuilder().setFileId(100 + file).setGeneration(1).build();
  }

  private static PreferredBlocks blocks(int file, long first, int count) {
    return PreferredBlocks.newBuilder().setFile(key(file)).setFirst(first).setCount(count).build();
  }

  private static ScanHead head(int file, long block) {
    return ScanHead.newBuilder().setFile(key(file)).setBlock(block).build();
  }

  private static NextRunOp.Builder ask(StreamDriver driver, int task, int position) {
    return Requests.next(driver.stream.id(), task, position, 0, 8);
  }

  private static StreamDriver oneNode(int groupBlocks) throws VdfsException {
    return StreamDriver.created(new TestStream(1, 1, 1, groupBlocks).file(1000, 0).file(1000, 0));
  }

  @Test
  void shouldTakeWhatTheNodeHasInMemoryFirst() throws VdfsException {
    StreamDriver driver = oneNode(64);
    NextRunResult first = driver.next(ask(driver, 0, 0).addPreferred(blocks(1, 7, 3)));
    assertEquals("1:7+1", text(first.getRun()));
    assertTrue(first.getPreferred());
    NextRunResult second = driver.next(ask(driver, 0, 1).addPreferred(blocks(1, 7, 3)));
    assertEquals("1:8+2", text(second.getRun()), "up to the end of what is preferred");
    NextRunResult third =
        driver.next(ask(driver, 0, 2).addPreferred(blocks(1, 7, 3)).addPreferred(blocks(0, 9, 99)));
    assertEquals("0:9+8", text(third.getRun()), "the next one that has any left");
    NextRunResult fourth = driver.next(ask(driver, 0, 3).addPreferred(blocks(1, 7, 3)));
    assertEquals("0:0+8", text(fourth.getRun()), "none left: the front");
    assertFalse(fourth.getPreferred());
  }

  @Test
  void shouldGoOnWhereTheDiskReadsAndComeRound() throws VdfsException {
    StreamDriver driver = oneNode(64);
    assertEquals("1:97+1", text(driver.next(ask(driver, 0, 0).addScanHeads(head(1, 97))).getRun()));
    NextRunResult end = driver.next(ask(driver, 0, 1).addScanHeads(head(1, 98)));
    assertEquals("1:98+2", text(end.getRun()));
    assertFalse(end.getPreferred(), "the disk has to read it");
    assertEquals("0:0+8", text(driver.next(ask(driver, 0, 2).addScanHeads(head(1, 100))).getRun()));
    assertEquals(
        "1:0+8",
        text(driver.next(ask(driver, 0, 3).addScanHeads(head(0, 100))).getRun()),
        "behind the end of a file lies the next one");
    assertEquals(
        "0:50+8",
        text(
            driver
                .next(ask(driver, 0, 4).addScanHeads(head(9, 1)).addScanHeads(head(0, 50)))
                .getRun()),
        "files of other jobs do not matter");
  }

  @Test
  void shouldStayWithinGroups() throws VdfsException {
    StreamDriver driver = oneNode(4);
    driver.run(0, 0, 0, 1);
    assertEquals(
        "0:10+2", text(driver.next(ask(driver, 0, 1).addPreferred(blocks(0, 10, 9))).getRun()));
    assertEquals("0:23+1", text(driver.next(ask(driver, 0, 2).addScanHeads(head(0, 23))).getRun()));
  }

  @Test
  void shouldGiveWholeGroupsWhole() throws VdfsException {
    TestStream rows = new TestStream(1, 1, 1, 4).file(300, 0);
    rows.header().setWholeGroups(true);
    StreamDriver driver = StreamDriver.created(rows);
    assertEquals(
        "0:8+4", text(driver.next(ask(driver, 0, 0).addPreferred(blocks(0, 10, 1))).getRun()));
    assertEquals("0:20+4", text(driver.next(ask(driver, 0, 1).addScanHeads(head(0, 22))).getRun()));
    assertEquals(
        "0:28+2", text(driver.next(ask(driver, 0, 2).addPreferred(blocks(0, 29, 1))).getRun()));
  }

  @Test
  void shouldNotStealWhatTheNodePrefers() throws VdfsException {
    StreamDriver driver = StreamDriver.created(new TestStream(1, 1, 2, 4).file(160, 0, 1));
    NextRunResult own = driver.next(ask(driver, 0, 0).addPreferred(blocks(0, 4, 4)));
    assertEquals("0:0+1", text(own.getRun()));
    assertFalse(own.getPreferred());
  }

  @Test
  void shouldSurviveNonsense() throws VdfsException {
    StreamDriver driver = oneNode(64);
    PreferredBlocks noFile = PreferredBlocks.newBuilder().setFirst(1).setCount(1).build();
    NextRunOp.Builder ask =
        ask(driver, 0, 0)
            .addPreferred(noFile)
            .addPreferred(blocks(0, -1, 3))
            .addPreferred(blocks(0, 1L << 40, 3))
            .addPreferred(blocks(0, Long.MAX_VALUE, -1))
            .addScanHeads(ScanHead.getDefaultInstance())
            .addScanHeads(head(0, -7));
    assertEquals("0:0+1", text(driver.next(ask).getRun()));
  }

  @Test
  void shouldRepeatARunThatWasPreferredOnce() throws VdfsException {
    StreamDriver driver = oneNode(64);
    driver.next(ask(driver, 0, 0).addPreferred(blocks(1, 7, 3)));
    NextRunResult again = driver.next(ask(driver, 0, 0).addPreferred(blocks(0, 3, 3)));
    assertEquals("1:7+1", text(again.getRun()));
    assertFalse(again.getPreferred(), "nothing was taken now");
  }

  @Test
  void shouldPreferEitherOfAFileNamedTwice() throws VdfsException {
    TestStream twice = new TestStream(1, 1, 1, 64).file(40, 0);
    twice.add(twice.files().get(0).toBuilder().setIndex(1).build(), 4, 40);
    StreamDriver driver = StreamDriver.created(twice);
    Set<String> seen = new HashSet<>();
    for (int position = 0; position < 2; position++) {
      seen.add(text(driver.next(ask(driver, 0, position).addPreferred(blocks(0, 3, 1))).getRun()));
    }
    assertEquals(Set.of("0:3+1", "1:3+1"), seen);
  }

  @Test
  @Timeout(5)
  void shouldNotSearchAllPlacesOfAFileThatIsNamedVeryOften() throws VdfsException {
    StreamDriver driver = StreamDriver.created(namedOften(100_000));
    driver.host.bound(StreamBounds.of(ClusterGeometry.DEFAULT, 100, Long.MAX_VALUE));
    for (int draw = 0; draw < 100; draw++) {
      NextRunOp.Builder ask = ask(driver, 0, draw);
      for (int hint = 0; hint < 64; hint++) {
        ask.addPreferred(blocks(1, 0, 1));
      }
      for (int head = 0; head < 16; head++) {
        ask.addScanHeads(head(1, 0));
      }
      assertEquals("0:" + draw + "+1", text(driver.next(ask.setWantedBlocks(1)).getRun()));
    }
  }

  @Test
  void shouldFindTheSeventeenthPlaceOfAFileOnlyInDrawsThatAreNotBounded() throws VdfsException {
    TestStream places = namedOften(16);
    StreamFile.Builder seventeenth = places.newFile(10).setFile(key(1));
    places.add(seventeenth.addRanges(TestStream.range(0, 1)).addGroupNodes(0).build(), 1, 10);
    StreamDriver driver = StreamDriver.created(places);
    driver.host.bound(StreamBounds.of(ClusterGeometry.DEFAULT, 100, Long.MAX_VALUE));
    NextRunResult bounded = driver.next(ask(driver, 0, 0).addPreferred(blocks(1, 0, 1)));
    assertEquals("0:0+1", text(bounded.getRun()), "the front");
    driver.host.bound(StreamBounds.NONE);
    NextRunResult old = driver.next(ask(driver, 0, 1).addPreferred(blocks(1, 0, 1)));
    assertEquals("17:0+1", text(old.getRun()));
  }

  /** A file for the asking node, then another one that has nothing for it, often. */
  private static TestStream namedOften(int times) {
    TestStream stream = new TestStream(1, 1, 2, 64).file(2000, 0);
    for (int time = 0; time < times; time++) {
      StreamFile.Builder named = stream.newFile(10).setFile(key(1));
      stream.add(named.addRanges(TestStream.range(0, 1)).addGroupNodes(1).build(), 1, 10);
    }
    return stream;
  }
}
