package io.vdfs.client.delivery.local;

import com.google.protobuf.ByteString;
import io.vdfs.client.io.WantedRange;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.wire.proto.LocalGrant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Grants of one node for bytes that may be read without asking. Those that nobody has asked for yet
 * lie behind a range that was asked for and are in memory there: the rest of its block, and whole
 * blocks behind that. What reaches to the end of a whole block can be read again as well. All can
 * be used only soon after they came, or were read to their end last, as what is in memory may leave
 * it, and only while the connection that brought them is open. Where most come to nothing, as
 * readers are slow or stop, none are asked for during a while. Thread-safe: the monitor guards all
 * fields.
 */
final class EarlyGrants {
  /** Most blocks behind another one that are asked for with it. */
  static final int MOST_FOLLOWING = 15;

  /** Most grants kept; the one that came, or was read to its end, longest ago goes first. */
  static final int MOST_KEPT = 1024;

  /** How long a grant can be used after it came, or was last read to its end. */
  static final long AGE_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** How long a grant can be used at all: the node may have deleted the block, or moved it. */
  static final long LIFE_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** How long none are asked for after most of a sample came to nothing. */
  static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Grants, used or not, after which it is judged whether they are of use. */
  static final int SAMPLE = 128;

  private final int blockSize;
  private final LongSupplier nanoClock;

  /** In the order in which they came, or were last read to their ends. */
  private final Map<Block, Early> kept = new LinkedHashMap<>();

  /** By blocks, the last question under way that asks for them or names them. */
  private final Map<Block, Question> expected = new HashMap<>();

  private int used;
  private int unused;
  private boolean paused;
  private long pausedSince;

  /** Whether the last answer to a question that named anything granted something of it. */
  private boolean granting;

  private record Block(FileKey file, long number) {
    // written out as those of NodeId, so that clients start sooner

    @Override
    public boolean equals(Object other) {
      return other instanceof Block block && block.number == number && block.file.equals(file);
    }

    @Override
    public int hashCode() {
      return 31 * file.hashCode() + Long.hashCode(number);
    }
  }

  /** What the node is asked for beyond a range; each is one of its own. */
  static final class Question {
    private final WantedRange range;
    private final boolean rest;
    private final int following;

    /** Of those who wait for what is named; guarded as the grants are. */
    private final List<Runnable> waiting = new ArrayList<>();

    /** Whether the connection that brought the answer is open; guarded as the grants are. */
    private BooleanSupplier connected = () -> false;

    private Question(WantedRange range, boolean rest, int following) {
      this.range = range;
      this.rest = rest;
      this.following = following;
    }

    /** Whether what is behind the range in its block is asked for. */
    boolean rest() {
      return rest;
    }

    /** How many blocks behind the range's are asked for. */
    int following() {
      return following;
    }

    private boolean namesAnything() {
      return rest || following > 0;
    }

    /**
     * Whether a range is named, and not asked for itself.
     *
     * @param wanted of one of the question's blocks
     */
    private boolean names(WantedRange wanted) {
      boolean behind = wanted.block() != range.block() || (rest && wanted.start() >= range.end());
      return behind && wanted.firstEpoch() <= range.firstEpoch();
    }
  }

  /**
   * @param from first byte of the block that it covers; it reaches to the block's end
   * @param firstEpoch lowest write epoch that the node made sure of
   * @param connected whether the connection by which it came is open
   * @param came when it was granted
   * @param since when it came, or was last read to its end
   * @param used whether it was, or was asked for as a whole
   */
  private record Early(
      LocalGrant grant,
      int from,
      long firstEpoch,
      BooleanSupplier connected,
      long came,
      long since,
      boolean used) {
    Early usedIn(long time) {
      return new Early(grant, from, firstEpoch, connected, came, time, true);
    }
  }

  /**
   * @param blockSize bytes of a whole block
   */
  EarlyGrants(int blockSize, LongSupplier nanoClock) {
    this.blockSize = blockSize;
    this.nanoClock = nanoClock;
  }

  /**
   * The node is asked for a range; {@link #onAnswered} is to follow.
   *
   * @return what it should be asked for as well, up to what it was asked for already; nothing where
   *     it was asked for some of the range's block
   */
  synchronized Question ask(WantedRange range) {
    dropOld();
    if (paused && nanoClock.getAsLong() - pausedSince >= PAUSE_NANOS) {
      paused = false;
    }
    Block own = behind(range, 0);
    boolean more =
        !paused && !expected.containsKey(own) && !(range.rest() && keeps(own, range.end()));
    boolean rest = more && range.rest();
    int following = 0;
    while (more
        && following < Math.min(range.following(), MOST_FOLLOWING)
        && !isKnown(behind(range, following + 1))) {
      following++;
    }
    Question question = new Question(range, rest, following);
    for (int index = 0; index <= following; index++) {
      expected.put(behind(range, index), question);
    }
    return question;
  }

  private boolean isKnown(Block block) {
    return expected.containsKey(block) || keeps(block, 0);
  }

  /** Whether a grant is kept of the block from a byte on. */
  private boolean keeps(Block block, int from) {
    Early early = kept.get(block);
    return early != null && early.from() <= from && isAlive(early);
  }

  private boolean isAlive(Early early) {
    return nanoClock.getAsLong() - early.came() <= LIFE_NANOS && early.connected().getAsBoolean();
  }

  /**
   * Waits for an answer under way that is likely to have what {@link #take} gives for a range, so
   * that the range should not be asked for before it is needed.
   *
   * @param onAnswered run once the answer is here, or none comes, by whoever learns of it; {@link
   *     #has} then tells what came of it
   * @return false if there is no such answer; nothing is run then
   */
  synchronized boolean await(WantedRange range, Runnable onAnswered) {
    Question asked = granting ? expected.get(behind(range, 0)) : null;
    boolean likely = asked != null && asked.names(range);
    if (likely) {
      asked.waiting.add(onAnswered);
    }
    return likely;
  }

  /** Whether {@link #take} gives a grant for the range, unless it is gone or too old by then. */
  synchronized boolean has(WantedRange range) {
    dropOld();
    return covering(range).isPresent();
  }

  /**
   * Keeps what the node granted, but beyond the range nothing of blocks that were asked for
   * meanwhile.
   *
   * @param answer unchecked
   * @param connected whether the connection by which it came is open
   */
  synchronized void keep(Question question, LocalGrant answer, BooleanSupplier connected) {
    question.connected = connected;
    WantedRange range = question.range;
    boolean any = false;
    if (question.rest() && answer.hasRest()) {
      any = keepRest(question, answer);
    } else if (isFile(answer) && fits(answer, range.start())) {
      LocalGrant alone = answer.toBuilder().clearRest().clearFollowing().build();
      put(behind(range, 0), alone, question, true);
    }
    int following = Math.min(answer.getFollowingCount(), question.following());
    for (int index = 1; index <= following; index++) {
      any |= keep(question, behind(range, index), 0, answer.getFollowing(index - 1));
    }
    if (question.namesAnything()) {
      granting = any;
    }
    while (kept.size() > MOST_KEPT) {
      dropOldest();
    }
  }

  /** With the range before it, where that lies before it in the file as well. */
  private boolean keepRest(Question question, LocalGrant answer) {
    WantedRange range = question.range;
    LocalGrant rest = answer.getRest();
    boolean joined =
        isFile(answer)
            && answer.getPath().equals(rest.getPath())
            && answer.getOffset() == range.start()
            && answer.getLength() == range.end() - range.start()
            && answer.getPosition() == rest.getPosition() - answer.getLength()
            && fits(rest, range.end());
    if (!joined) {
      return keep(question, behind(range, 0), range.end(), rest);
    }
    LocalGrant both =
        rest.toBuilder()
            .setOffset(answer.getOffset())
            .setPosition(answer.getPosition())
            .setLength(answer.getLength() + rest.getLength())
            .setChecksums(joined(answer.getChecksums(), rest.getChecksums()))
            .build();
    return keep(question, behind(range, 0), range.start(), both);
  }

  /** In one piece, as it may be decoded often. */
  private static ByteString joined(ByteString first, ByteString second) {
    return ByteString.copyFrom(first.concat(second).toByteArray());
  }

  private boolean keep(Question question, Block block, int from, LocalGrant grant) {
    boolean wanted = expected.remove(block, question) && fits(grant, from);
    if (wanted) {
      put(block, grant, question, false);
    } else {
      count(false);
    }
    return wanted;
  }

  /** Whether the bytes lie in a file, and were not sent with the grant. */
  private static boolean isFile(LocalGrant grant) {
    return !grant.getPath().isEmpty();
  }

  private boolean fits(LocalGrant grant, int from) {
    return grant.getOffset() == from && grant.getLength() == blockSize - from;
  }

  /**
   * Keeps a grant, unless one of more of its block is kept.
   *
   * @param used as it was asked for
   */
  private void put(Block block, LocalGrant grant, Question question, boolean used) {
    int from = grant.getOffset();
    if (from == 0 || !keeps(block, from - 1)) {
      long now = nanoClock.getAsLong();
      remove(block);
      kept.put(
          block,
          new Early(grant, from, question.range.firstEpoch(), question.connected, now, now, used));
    }
  }

  /** Nothing more comes of having asked a question; those who wait for it learn that. */
  void onAnswered(Question question) {
    endOf(question).forEach(Runnable::run);
  }

  private synchronized List<Runnable> endOf(Question question) {
    for (int index = 0; index <= question.following(); index++) {
      expected.remove(behind(question.range, index), question);
    }
    List<Runnable> waiting = List.copyOf(question.waiting);
    question.waiting.clear();
    return waiting;
  }

  private static Block behind(WantedRange range, int index) {
    return new Block(range.view().file(), range.block() + index);
  }

  /**
   * Takes the grant of a range, which then counts as used, whatever becomes of it.
   *
   * @return covers the range and reaches to the end of its block, else unchecked; empty if there is
   *     none, or only one for bytes that may be of an older write epoch
   */
  synchronized Optional<LocalGrant> take(WantedRange range) {
    dropOld();
    Optional<Early> covering = covering(range);
    covering.ifPresent(early -> use(early, range));
    return covering.map(Early::grant);
  }

  private Optional<Early> covering(WantedRange range) {
    Early early = kept.get(behind(range, 0));
    boolean covers =
        early != null
            && early.from() <= range.start()
            && early.firstEpoch() >= range.firstEpoch()
            && range.end() <= blockSize
            && isAlive(early);
    return covers ? Optional.of(early) : Optional.empty();
  }

  private void use(Early early, WantedRange range) {
    Block block = behind(range, 0);
    if (!early.used()) {
      count(true);
    }
    if (range.end() == blockSize) {
      kept.remove(block);
      kept.put(block, early.usedIn(nanoClock.getAsLong()));
    } else {
      kept.put(block, early.usedIn(early.since())); // keeps its place
    }
  }

  /** Drops what {@link #take} gave for a range, as it is of no use. */
  synchronized void drop(WantedRange range, LocalGrant taken) {
    Early early = kept.get(behind(range, 0));
    if (early != null && early.grant().equals(taken)) {
      kept.remove(behind(range, 0));
    }
  }

  /** Drops all, as bytes were not where the node had said. */
  synchronized void clear() {
    kept.clear();
  }

  private void remove(Block block) {
    Early early = kept.remove(block);
    if (early != null && !early.used()) {
      count(false);
    }
  }

  private void dropOld() {
    long now = nanoClock.getAsLong();
    while (!kept.isEmpty() && now - kept.values().iterator().next().since() > AGE_NANOS) {
      dropOldest();
    }
  }

  private void dropOldest() {
    Iterator<Early> oldest = kept.values().iterator();
    if (!oldest.next().used()) {
      count(false);
    }
    oldest.remove();
  }

  private void count(boolean use) {
    used += use ? 1 : 0;
    unused += use ? 0 : 1;
    if (used + unused >= SAMPLE) {
      if (unused > used) {
        paused = true;
        pausedSince = nanoClock.getAsLong();
      }
      used = 0;
      unused = 0;
    }
  }
}
