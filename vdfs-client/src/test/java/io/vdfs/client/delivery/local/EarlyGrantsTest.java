package io.vdfs.client.delivery.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.io.WantedRange;
import io.vdfs.client.io.replica.FileView;
import io.vdfs.client.io.replica.ReplicaNode;
import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataAddress;
import io.vdfs.common.wire.WireChecksums;
import io.vdfs.common.wire.proto.LocalGrant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class EarlyGrantsTest {
  private static final int BLOCK = 2048;
  private static final FileKey FILE = new FileKey(7, 1);
  private static final ReplicaNode NODE =
      new ReplicaNode(NodeId.random(), new DataAddress("127.0.0.1", 1), true, true);

  private long now = Long.MAX_VALUE;
  private boolean open = true;
  private final EarlyGrants grants = new EarlyGrants(BLOCK, () -> now);

  @Test
  void shouldGiveEachGrantToTheRangeThatItCovers() {
    keep(wanted(FILE, 4, 0), answer(2));

    assertEquals(Optional.empty(), grants.take(wanted(FILE, 4, 0)));
    assertEquals(Optional.empty(), grants.take(wanted(new FileKey(7, 2), 5, 0)));
    assertEquals(position(1), grants.take(wanted(FILE, 6, 0)).map(LocalGrant::getPosition));
    assertEquals(position(0), grants.take(wanted(FILE, 5, 0)).map(LocalGrant::getPosition));
    assertEquals(Optional.empty(), grants.take(wanted(FILE, 7, 0)));
    assertEquals(
        position(0), grants.take(wanted(FILE, 5, 0)).map(LocalGrant::getPosition), "again");
  }

  @Test
  void shouldGiveAGrantAgainAsLongAsItIsUsedOften() {
    keep(wanted(FILE, 4, 0), answer(1));
    for (long age = 0; age <= EarlyGrants.LIFE_NANOS; age += EarlyGrants.AGE_NANOS) {
      assertEquals(0, following(wanted(FILE, 4, 0)), "the next one is here");
      assertTrue(grants.take(wanted(FILE, 5, 0)).isPresent(), "age=" + age);
      now += EarlyGrants.AGE_NANOS;
    }

    assertFalse(grants.has(wanted(FILE, 5, 0)), "the block may have moved by now");
    assertEquals(Optional.empty(), grants.take(wanted(FILE, 5, 0)));
    assertEquals(15, following(wanted(FILE, 14, 0)));
    EarlyGrants.Question rest = grants.ask(range(FILE, 5, 0, 512, 0));
    assertTrue(rest.rest(), "it is not known any more");
  }

  @Test
  void shouldGiveAGrantNoLongerForReadsThatStopBeforeItsEnd() {
    keep(wanted(FILE, 4, 0), answer(1));
    now += EarlyGrants.AGE_NANOS;
    assertTrue(grants.take(range(FILE, 5, 0, 1024, 0)).isPresent());
    now++;

    assertEquals(Optional.empty(), grants.take(range(FILE, 5, 1024, BLOCK, 0)));
  }

  @Test
  void shouldGiveNoGrantOfAConnectionThatHasEnded() {
    keep(wanted(FILE, 4, 0), answer(2));
    open = false;

    assertFalse(grants.has(wanted(FILE, 5, 0)));
    assertEquals(Optional.empty(), grants.take(wanted(FILE, 5, 0)));
    assertEquals(15, following(wanted(FILE, 4, 0)));
  }

  @Test
  void shouldDropAGrantThatIsOfNoUseAlone() {
    keep(wanted(FILE, 4, 0), answer(2));
    LocalGrant stale = grants.take(wanted(FILE, 5, 0)).orElseThrow();
    grants.drop(wanted(FILE, 5, 0), stale);
    assertFalse(grants.has(wanted(FILE, 5, 0)));
    assertTrue(grants.has(wanted(FILE, 6, 0)));

    keep(wanted(FILE, 5, 0), grant(0, BLOCK, 7));
    grants.drop(wanted(FILE, 5, 0), stale);

    assertTrue(grants.has(wanted(FILE, 5, 0)), "it is a newer one");
  }

  @Test
  void shouldGiveABlockAgainThatWasAskedFor() {
    keep(wanted(FILE, 4, 0), grant(0, BLOCK, 7));
    keep(range(FILE, 6, 512, BLOCK, 0), grant(512, BLOCK - 512, 8));

    assertEquals(position(7), grants.take(wanted(FILE, 4, 0)).map(LocalGrant::getPosition));
    assertEquals(
        position(8), grants.take(range(FILE, 6, 1024, BLOCK, 0)).map(LocalGrant::getPosition));
    assertEquals(Optional.empty(), grants.take(wanted(FILE, 6, 0)));
  }

  @Test
  void shouldNotKeepWhatDoesNotReachToTheEndOfItsBlockOrLiesInNoFile() {
    LocalGrant sent = grant(0, BLOCK, 7).toBuilder().clearPath().build();
    keep(wanted(FILE, 4, 0), sent);
    keep(wanted(FILE, 5, 0), grant(0, BLOCK - 512, 7));
    keep(range(FILE, 6, 0, 512, 0), grant(0, 512, 7));

    for (int block = 4; block < 7; block++) {
      assertEquals(Optional.empty(), grants.take(range(FILE, block, 0, 512, 0)));
    }
  }

  @Test
  void shouldGiveTheFirstRangeOfABlockAgainWithItsRest() {
    LocalGrant first = checksummed(grant(0, 512, 1000), 1);
    LocalGrant rest = checksummed(grant(512, BLOCK - 512, 1512), 2, 3, 4);
    keep(range(FILE, 4, 0, 512, 0), first.toBuilder().setRest(rest).addFollowing(rest).build());

    LocalGrant whole = checksummed(grant(0, BLOCK, 1000), 1, 2, 3, 4);
    assertEquals(Optional.of(whole), grants.take(range(FILE, 4, 0, 512, 0)));
    assertEquals(Optional.of(whole), grants.take(wanted(FILE, 4, 0)));
  }

  @Test
  void shouldKeepTheGrantOfMostOfABlock() {
    keep(range(FILE, 4, 1024, BLOCK, 0), grant(1024, BLOCK - 1024, 1));
    EarlyGrants.Question before = grants.ask(wanted(FILE, 3, 0));
    assertEquals(15, before.following(), "4 is not known as a whole");
    grants.onAnswered(before);

    EarlyGrants.Question first = grants.ask(range(FILE, 4, 0, 512, 0));
    assertTrue(first.rest(), "begins before what is known");
    grants.keep(
        first,
        grant(0, 512, 0).toBuilder().setRest(grant(512, BLOCK - 512, 512)).build(),
        () -> open);
    grants.onAnswered(first);
    keep(range(FILE, 4, 1024, BLOCK, 0), grant(1024, BLOCK - 1024, 1));

    assertEquals(position(0), grants.take(wanted(FILE, 4, 0)).map(LocalGrant::getPosition));
    assertFalse(grants.ask(range(FILE, 4, 0, 512, 0)).rest(), "is known");
  }

  @Test
  void shouldKeepTheRestAloneWhereTheRangeBeforeItLiesElsewhere() {
    LocalGrant rest = grant(512, BLOCK - 512, 1512);
    LocalGrant first = grant(0, 512, 1000);
    keep(range(FILE, 0, 0, 512, 0), first.toBuilder().setPosition(999).setRest(rest).build());
    keep(range(FILE, 1, 0, 512, 0), first.toBuilder().setPath("other").setRest(rest).build());
    keep(range(FILE, 2, 0, 512, 0), first.toBuilder().clearPath().setRest(rest).build());
    keep(range(FILE, 3, 0, 512, 0), first.toBuilder().setLength(511).setRest(rest).build());

    for (int block = 0; block < 4; block++) {
      assertEquals(Optional.empty(), grants.take(range(FILE, block, 0, 512, 0)));
      assertEquals(Optional.of(rest), grants.take(range(FILE, block, 512, BLOCK, 0)));
    }
  }

  @Test
  void shouldGiveNothingAfterBytesWereNotWhereANodeSaid() {
    keep(wanted(FILE, 4, 0), answer(2));

    grants.clear();

    assertEquals(Optional.empty(), grants.take(wanted(FILE, 5, 0)));
    assertEquals(15, following(wanted(FILE, 4, 0)));
  }

  private static LocalGrant checksummed(LocalGrant grant, int... checksums) {
    return grant.toBuilder()
        .setChecksums(WireChecksums.encode(ChunkChecksums.of(checksums)))
        .build();
  }

  @Test
  void shouldGiveNoGrantThatIsOld() {
    keep(wanted(FILE, 4, 0), answer(1));
    now += EarlyGrants.AGE_NANOS;
    keep(wanted(FILE, 14, 0), answer(2));
    assertEquals(position(0), grants.take(wanted(FILE, 5, 0)).map(LocalGrant::getPosition));
    now++;
    assertEquals(position(0), grants.take(wanted(FILE, 15, 0)).map(LocalGrant::getPosition));

    now += EarlyGrants.AGE_NANOS;

    assertEquals(Optional.empty(), grants.take(wanted(FILE, 5, 0)), "was used before");
    assertEquals(Optional.empty(), grants.take(wanted(FILE, 16, 0)), "came before");
    assertEquals(position(0), grants.take(wanted(FILE, 15, 0)).map(LocalGrant::getPosition));
  }

  @Test
  void shouldGiveNoGrantOfWhichTheNodeDidNotMakeSureThatItIsNewEnough() {
    keep(wanted(FILE, 4, 3), answer(2));

    assertEquals(Optional.empty(), grants.take(wanted(FILE, 5, 4)));
    assertEquals(position(0), grants.take(wanted(FILE, 5, 3)).map(LocalGrant::getPosition));
    assertEquals(position(1), grants.take(wanted(FILE, 6, 2)).map(LocalGrant::getPosition));
  }

  @Test
  void shouldKeepABoundedNumber() {
    keep(wanted(FILE, 3000, 0), grant(0, BLOCK, 0));
    keep(wanted(FILE, 0, 0), answer(1000));
    assertEquals(Optional.empty(), grants.take(wanted(FILE, 16, 0)), "more than asked for");
    for (int block = 0; block < EarlyGrants.MOST_KEPT; block++) {
      grants.take(wanted(FILE, 3000, 0));
      keep(wanted(FILE, 100 + block, 0), answer(1));
    }
    assertTrue(grants.has(wanted(FILE, 3000, 0)), "used often");

    assertEquals(Optional.empty(), grants.take(wanted(FILE, 15, 0)), "the oldest went");
    assertEquals(position(0), grants.take(wanted(FILE, 102, 0)).map(LocalGrant::getPosition));
  }

  @Test
  void shouldAskForNoMoreThanTheReaderWants() {
    assertEquals(EarlyGrants.MOST_FOLLOWING, following(wanted(FILE, 0, 0)));
    assertEquals(3, following(new WantedRange(NODE, view(FILE), 90, 0, BLOCK, 0, false, false, 3)));
  }

  @Test
  void shouldAskForNoneForAWhileWhereMostComeToNothing() {
    int half = EarlyGrants.SAMPLE / 2;
    useAndWaste(half, half);
    assertEquals(EarlyGrants.MOST_FOLLOWING, following(wanted(FILE, 9120, 0)));

    useAndWaste(half - 1, half + 1);

    assertEquals(0, following(wanted(FILE, 9220, 0)));
    now += EarlyGrants.PAUSE_NANOS - 1;
    assertEquals(0, following(wanted(FILE, 9320, 0)));
    now++;
    assertEquals(EarlyGrants.MOST_FOLLOWING, following(wanted(FILE, 9420, 0)));
  }

  @Test
  void shouldExpectNoBlockTwice() {
    EarlyGrants.Question first = grants.ask(wanted(FILE, 0, 0));
    assertEquals(15, first.following());
    assertEquals(0, following(wanted(FILE, 0, 0)), "those behind are expected");
    assertEquals(0, following(wanted(FILE, 1, 0)), "it is expected itself");
    assertEquals(0, following(wanted(FILE, 15, 0)), "the last one of them");
    assertEquals(15, following(wanted(FILE, 16, 0)));

    grants.keep(first, answer(15), () -> open);
    grants.onAnswered(first);

    assertEquals(Optional.empty(), grants.take(wanted(FILE, 1, 0)), "was asked for");
    assertEquals(position(1), grants.take(wanted(FILE, 2, 0)).map(LocalGrant::getPosition));
    assertEquals(Optional.empty(), grants.take(wanted(FILE, 15, 0)), "was asked for");
    assertEquals(0, following(wanted(FILE, 2, 0)), "the next one is here");
  }

  @Test
  void shouldKeepTheGrantsOfAnAnswerThatALaterOneOvertook() {
    EarlyGrants.Question first = grants.ask(wanted(FILE, 0, 0));
    EarlyGrants.Question later = grants.ask(wanted(FILE, 1, 0));
    grants.keep(later, answer(0), () -> open);
    grants.onAnswered(later);

    grants.keep(first, answer(7), () -> open);

    assertEquals(position(1), grants.take(wanted(FILE, 2, 0)).map(LocalGrant::getPosition));
    assertEquals(position(6), grants.take(wanted(FILE, 7, 0)).map(LocalGrant::getPosition));
  }

  @Test
  void shouldExpectNothingMoreOfAnAnswerThatHasCome() {
    EarlyGrants.Question asked = grants.ask(wanted(FILE, 0, 0));
    grants.onAnswered(asked);

    grants.keep(asked, answer(7), () -> open);

    assertEquals(Optional.empty(), grants.take(wanted(FILE, 1, 0)));
    assertEquals(15, following(wanted(FILE, 1, 0)));
  }

  @Test
  void shouldGiveTheRestOfABlockPieceByPiece() {
    keep(range(FILE, 4, 512, 1024, 0), withRest(1024, BLOCK - 1024, 1));

    assertEquals(Optional.empty(), grants.take(range(FILE, 4, 512, BLOCK, 0)), "begins before it");
    assertEquals(Optional.empty(), grants.take(range(FILE, 4, 1024, BLOCK + 1, 0)));
    assertEquals(
        position(99), grants.take(range(FILE, 4, 1024, 1536, 0)).map(LocalGrant::getPosition));
    assertEquals(
        position(99), grants.take(range(FILE, 4, 1536, BLOCK, 0)).map(LocalGrant::getPosition));
    assertEquals(position(0), grants.take(range(FILE, 5, 0, 512, 0)).map(LocalGrant::getPosition));
    assertEquals(
        position(0), grants.take(range(FILE, 5, 512, BLOCK, 0)).map(LocalGrant::getPosition));
  }

  @Test
  void shouldCountABlockThatIsUsedInPiecesOnce() {
    int half = EarlyGrants.SAMPLE / 2;
    for (int block = 0; block < half - 1; block++) {
      keep(wanted(FILE, block, 0), answer(1));
      for (int start = 0; start < BLOCK; start += 512) {
        assertTrue(grants.take(range(FILE, block + 1, start, start + 512, 0)).isPresent());
      }
    }
    now += EarlyGrants.AGE_NANOS + 1;
    useAndWaste(0, half + 1);

    assertEquals(0, following(wanted(FILE, 900, 0)), "most came to nothing");
  }

  @Test
  void shouldNameOnlyWhatIsNotKnown() {
    keep(wanted(FILE, 10, 0), answer(3));
    grants.ask(wanted(FILE, 20, 0));

    assertEquals(6, following(wanted(FILE, 4, 0)), "11 is here");
    assertEquals(6, following(wanted(FILE, 13, 0)), "20 is asked for");
    EarlyGrants.Question known = grants.ask(range(FILE, 12, 512, 1024, 0));
    assertFalse(known.rest(), "12 is here as a whole");
    assertEquals(0, known.following(), "nothing behind without the rest");
    EarlyGrants.Question unknown = grants.ask(range(FILE, 60, 0, 512, 0));
    assertTrue(unknown.rest());
    assertEquals(15, unknown.following());
    EarlyGrants.Question second = grants.ask(range(FILE, 60, 512, 1024, 0));
    assertFalse(second.rest(), "is on its way");
    assertEquals(0, second.following(), "are on their way");
  }

  @Test
  void shouldKeepNoGrantOfOtherBytesThanThoseThatWereNamed() {
    keep(range(FILE, 4, 512, 1024, 0), withRest(512, BLOCK - 512, 0));
    keep(range(FILE, 5, 512, 1024, 0), withRest(1024, BLOCK, 0));
    keep(wanted(FILE, 6, 0), withRest(0, BLOCK, 0));
    keep(wanted(FILE, 7, 0), LocalGrant.newBuilder().addFollowing(grant(0, BLOCK - 1, 1)).build());

    for (int block = 4; block < 9; block++) {
      assertEquals(Optional.empty(), grants.take(range(FILE, block, 1024, BLOCK, 0)));
    }
  }

  @Test
  void shouldWaitForWhatIsNamedOnlyWhereTheLastAnswerGrantedSuch() {
    assertFalse(waitsFor(answer(0)), "nothing was granted yet");
    keep(range(FILE, 0, 0, 512, 0), withRest(512, BLOCK - 512, 0));
    assertTrue(waitsFor(answer(0)));
    assertFalse(waitsFor(answer(0)), "the last answer had nothing");
    keep(wanted(FILE, 500, 0), answer(1));
    keep(new WantedRange(NODE, view(FILE), 600, 0, BLOCK, 0, false, false, 0), answer(0));
    assertTrue(waitsFor(answer(1)), "one that names nothing does not count");
    keep(wanted(FILE, 700, 0), withRest(0, BLOCK, 0));
    assertFalse(waitsFor(answer(1)), "what was not asked for does not count");
  }

  /** Whether a range can wait for a question under way that names it. */
  private boolean waitsFor(LocalGrant answer) {
    AtomicInteger told = new AtomicInteger();
    EarlyGrants.Question question = grants.ask(wanted(FILE, 20, 0));
    boolean waits = grants.await(wanted(FILE, 21, 0), told::incrementAndGet);
    assertFalse(grants.await(wanted(FILE, 20, 0), told::incrementAndGet), "it was asked for");
    assertFalse(grants.await(wanted(FILE, 21, 1), told::incrementAndGet), "of a newer epoch");
    assertFalse(grants.await(wanted(FILE, 36, 0), told::incrementAndGet), "not named");
    grants.keep(question, answer, () -> open);
    assertEquals(0, told.get());
    grants.onAnswered(question);
    assertEquals(waits ? 1 : 0, told.get());
    assertEquals(answer.getFollowingCount() > 0, grants.has(wanted(FILE, 21, 0)));
    assertFalse(grants.await(wanted(FILE, 21, 0), told::incrementAndGet), "the answer is here");
    grants.clear();
    return waits;
  }

  @Test
  void shouldWaitInABlockThatIsAskedForOnlyForItsRest() {
    keep(wanted(FILE, 500, 0), answer(1));
    grants.ask(range(FILE, 4, 512, 1024, 0));
    grants.ask(new WantedRange(NODE, view(FILE), 40, 0, 512, 0, false, false, 0));

    assertFalse(grants.await(range(FILE, 4, 0, 512, 0), () -> {}));
    assertFalse(grants.await(range(FILE, 4, 512, 1024, 0), () -> {}));
    assertTrue(grants.await(range(FILE, 4, 1024, BLOCK, 0), () -> {}));
    assertTrue(grants.await(range(FILE, 5, 0, 512, 0), () -> {}));
    assertFalse(grants.await(range(FILE, 40, 512, BLOCK, 0), () -> {}), "its rest is not named");
  }

  private int following(WantedRange range) {
    return grants.ask(range).following();
  }

  /** An answer to a question of its own. */
  private void keep(WantedRange range, LocalGrant answer) {
    EarlyGrants.Question question = grants.ask(range);
    grants.keep(question, answer, () -> open);
    grants.onAnswered(question);
  }

  private void useAndWaste(int used, int unused) {
    for (int block = 0; block < used + unused; block++) {
      keep(new WantedRange(NODE, view(FILE), block, 0, BLOCK, 0, false, false, 1), answer(1));
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

  /** Grants whole blocks behind; each one's position is its number. */
  private static LocalGrant answer(int following) {
    LocalGrant.Builder answer = LocalGrant.newBuilder();
    IntStream.range(0, following).forEach(index -> answer.addFollowing(grant(0, BLOCK, index)));
    return answer.build();
  }

  /** As the other one, with a rest at position 99. */
  private static LocalGrant withRest(int offset, int length, int following) {
    return answer(following).toBuilder().setRest(grant(offset, length, 99)).build();
  }

  private static LocalGrant grant(int offset, int length, int position) {
    return LocalGrant.newBuilder()
        .setPath("combined")
        .setOffset(offset)
        .setLength(length)
        .setPosition(position)
        .build();
  }

  private static WantedRange wanted(FileKey file, long block, long firstEpoch) {
    return range(file, block, 0, BLOCK, firstEpoch);
  }

  private static WantedRange range(FileKey file, long block, int start, int end, long firstEpoch) {
    return new WantedRange(NODE, view(file), block, start, end, firstEpoch, false, end < BLOCK, 19);
  }

  private static FileView view(FileKey file) {
    return new FileView(file, 1000L * BLOCK, false, 1, 1, List.of());
  }
}
