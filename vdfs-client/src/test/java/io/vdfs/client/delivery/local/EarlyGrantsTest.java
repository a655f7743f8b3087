package io.vdfs.client.delivery.local;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vdfs.client.io.WantedRange;
import io.vdfs.client.io.replica.FileView;
import io.vdfs.client.io.replica.ReplicaNode;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataAddress;
import io.vdfs.common.wire.proto.LocalGrant;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class EarlyGrantsTest {
  private static final int BLOCK = 2048;
  private static final FileKey FILE = new FileKey(7, 1);
  private static final ReplicaNode NODE =
      new ReplicaNode(NodeId.random(), new DataAddress("127.0.0.1", 1), true, true);

  private long now = Long.MAX_VALUE;
  private final EarlyGrants grants = new EarlyGrants(() -> now);

  @Test
  void shouldGiveEachGrantOnceToTheRangeThatItCovers() {
    keep(wanted(FILE, 4, 0), granted(2));

    assertEquals(Optional.empty(), grants.take(wanted(FILE, 4, 0)));
    assertEquals(Optional.empty(), grants.take(wanted(new FileKey(7, 2), 5, 0)));
    assertEquals(Optional.empty(), grants.take(range(FILE, 5, 512, BLOCK, 0)));
    assertEquals(position(1), grants.take(wanted(FILE, 6, 0)).map(LocalGrant::getPosition));
    assertEquals(position(0), grants.take(wanted(FILE, 5, 0)).map(LocalGrant::getPosition));
    assertEquals(Optional.empty(), grants.take(wanted(FILE, 5, 0)));
    assertEquals(Optional.empty(), grants.take(wanted(FILE, 7, 0)));
  }

  @Test
  void shouldGiveNoGrantThatIsOld() {
    keep(wanted(FILE, 4, 0), granted(1));
    now += EarlyGrants.AGE_NANOS;
    keep(wanted(FILE, 14, 0), granted(1));
    assertEquals(position(0), grants.take(wanted(FILE, 5, 0)).map(LocalGrant::getPosition));

    now++;
    keep(wanted(FILE, 4, 0), granted(1));
    now += EarlyGrants.AGE_NANOS;

    assertEquals(Optional.empty(), grants.take(wanted(FILE, 15, 0)));
    assertEquals(position(0), grants.take(wanted(FILE, 5, 0)).map(LocalGrant::getPosition));
  }

  @Test
  void shouldGiveNoGrantOfWhichTheNodeDidNotMakeSureThatItIsNewEnough() {
    keep(wanted(FILE, 4, 3), granted(2));

    assertEquals(Optional.empty(), grants.take(wanted(FILE, 5, 4)));
    assertEquals(position(0), grants.take(wanted(FILE, 5, 3)).map(LocalGrant::getPosition));
    assertEquals(position(1), grants.take(wanted(FILE, 6, 2)).map(LocalGrant::getPosition));
  }

  @Test
  void shouldKeepABoundedNumber() {
    keep(wanted(FILE, 0, 0), granted(1000));
    assertEquals(Optional.empty(), grants.take(wanted(FILE, 8, 0)), "more than asked for");
    for (int block = 0; block < EarlyGrants.MOST_KEPT; block++) {
      keep(wanted(FILE, 100 + block, 0), granted(1));
    }

    assertEquals(Optional.empty(), grants.take(wanted(FILE, 7, 0)), "the oldest went");
    assertEquals(position(0), grants.take(wanted(FILE, 101, 0)).map(LocalGrant::getPosition));
  }

  @Test
  void shouldAskForNoMoreThanTheReaderWants() {
    assertEquals(EarlyGrants.MOST_FOLLOWING, grants.ask(wanted(FILE, 0, 0)));
    assertEquals(3, grants.ask(new WantedRange(NODE, view(FILE), 9, 0, BLOCK, 0, 3)));
  }

  @Test
  void shouldAskForNoneForAWhileWhereMostComeToNothing() {
    int half = EarlyGrants.SAMPLE / 2;
    useAndWaste(half, half);
    assertEquals(EarlyGrants.MOST_FOLLOWING, grants.ask(wanted(FILE, 0, 0)));

    useAndWaste(half - 1, half + 1);

    assertEquals(0, grants.ask(wanted(FILE, 0, 0)));
    now += EarlyGrants.PAUSE_NANOS - 1;
    assertEquals(0, grants.ask(wanted(FILE, 0, 0)));
    now++;
    assertEquals(EarlyGrants.MOST_FOLLOWING, grants.ask(wanted(FILE, 0, 0)));
  }

  @Test
  void shouldExpectNoBlockTwice() {
    assertEquals(7, grants.ask(wanted(FILE, 0, 0)));
    assertEquals(0, grants.ask(wanted(FILE, 0, 0)), "those behind are expected");
    assertEquals(0, grants.ask(wanted(FILE, 1, 0)), "it is expected itself");
    assertEquals(0, grants.ask(wanted(FILE, 7, 0)), "the last one of them");
    assertEquals(7, grants.ask(wanted(FILE, 8, 0)));

    grants.keep(wanted(FILE, 0, 0), granted(7));
    grants.onAnswered(wanted(FILE, 0, 0));

    assertEquals(Optional.empty(), grants.take(wanted(FILE, 1, 0)), "was asked for");
    assertEquals(position(1), grants.take(wanted(FILE, 2, 0)).map(LocalGrant::getPosition));
    assertEquals(Optional.empty(), grants.take(wanted(FILE, 7, 0)), "was asked for");
    assertEquals(0, grants.ask(wanted(FILE, 2, 0)), "the next one is here");
  }

  @Test
  void shouldKeepTheGrantsOfAnAnswerThatALaterOneOvertook() {
    grants.ask(wanted(FILE, 0, 0));
    grants.ask(wanted(FILE, 1, 0));
    grants.keep(wanted(FILE, 1, 0), List.of());
    grants.onAnswered(wanted(FILE, 1, 0));

    grants.keep(wanted(FILE, 0, 0), granted(7));

    assertEquals(position(1), grants.take(wanted(FILE, 2, 0)).map(LocalGrant::getPosition));
    assertEquals(position(6), grants.take(wanted(FILE, 7, 0)).map(LocalGrant::getPosition));
  }

  @Test
  void shouldCountFromTheLastGrantOfABlock() {
    keep(wanted(FILE, 6, 0), granted(3));
    now += EarlyGrants.AGE_NANOS;
    keep(wanted(FILE, 4, 0), granted(3));
    now++;

    assertEquals(Optional.empty(), grants.take(wanted(FILE, 8, 0)), "too old");
    assertEquals(position(2), grants.take(wanted(FILE, 7, 0)).map(LocalGrant::getPosition));
  }

  @Test
  void shouldExpectNothingMoreOfAnAnswerThatHasCome() {
    grants.ask(wanted(FILE, 0, 0));
    grants.onAnswered(wanted(FILE, 0, 0));

    grants.keep(wanted(FILE, 0, 0), granted(7));

    assertEquals(Optional.empty(), grants.take(wanted(FILE, 1, 0)));
    assertEquals(7, grants.ask(wanted(FILE, 1, 0)));
  }

  /** An answer to a question of its own. */
  private void keep(WantedRange range, List<LocalGrant> answer) {
    grants.ask(range);
    grants.keep(range, answer);
    grants.onAnswered(range);
  }

  private void useAndWaste(int used, int unused) {
    for (int block = 0; block < used + unused; block++) {
      keep(wanted(FILE, block, 0), granted(1));
      if (block < used) {
        grants.take(wanted(FILE, block + 1, 0));
      }
    }
    now += EarlyGrants.AGE_NANOS + 1;
    grants.take(wanted(FILE, 0, 0));
  }

  private static Optional<Long> position(long position) {
    return Optional.of(position);
  }

  /** Grants of whole blocks; each one's position is its number. */
  private static List<LocalGrant> granted(int count) {
    return IntStream.range(0, count)
        .mapToObj(index -> LocalGrant.newBuilder().setLength(BLOCK).setPosition(index).build())
        .toList();
  }

  private static WantedRange wanted(FileKey file, long block, long firstEpoch) {
    return range(file, block, 0, BLOCK, firstEpoch);
  }

  private static WantedRange range(FileKey file, long block, int start, int end, long firstEpoch) {
    return new WantedRange(NODE, view(file), block, start, end, firstEpoch, 9);
  }

  private static FileView view(FileKey file) {
    return new FileView(file, 1000L * BLOCK, false, 1, 1, List.of());
  }
}
