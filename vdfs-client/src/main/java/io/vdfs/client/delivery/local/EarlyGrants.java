package io.vdfs.client.delivery.local;

import io.vdfs.client.io.WantedRange;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.wire.proto.LocalGrant;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Grants of one node for whole blocks that nobody has asked for yet, as they lie behind a block
 * that was asked for and are in memory there. Each can be used once, and only soon, as what is in
 * memory may leave it. Where most come to nothing, as readers are slow or stop, none are asked for
 * during a while. Thread-safe: the monitor guards all fields.
 */
final class EarlyGrants {
  /** Most blocks behind another one that are asked for with it. */
  static final int MOST_FOLLOWING = 7;

  /** Most grants kept; the oldest goes first. */
  static final int MOST_KEPT = 256;

  /** How long a grant can be used. */
  static final long AGE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** How long none are asked for after most of a sample came to nothing. */
  static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Grants, used or not, after which it is judged whether they are of use. */
  static final int SAMPLE = 32;

  private final LongSupplier nanoClock;
  private final Map<Block, Early> kept = new LinkedHashMap<>();

  /** Blocks that nobody has asked for since the node was asked for them with the block here. */
  private final Map<Block, Long> expected = new HashMap<>();

  private int used;
  private int unused;
  private boolean paused;
  private long pausedSince;

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

  /**
   * @param firstEpoch lowest write epoch that the node made sure of
   */
  private record Early(LocalGrant grant, long firstEpoch, long since) {}

  EarlyGrants(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  /**
   * The node is asked for a range; {@link #onAnswered} is to follow.
   *
   * @return how many blocks behind the range it should be asked for as well: none where it was
   *     asked for them, or the range itself, with another one and the answer may serve
   */
  synchronized int ask(WantedRange range) {
    dropOld();
    if (paused && nanoClock.getAsLong() - pausedSince >= PAUSE_NANOS) {
      paused = false;
    }
    Block next = behind(range, 1);
    boolean known = expected.containsKey(next) || kept.containsKey(next);
    if (expected.remove(behind(range, 0)) != null || known || paused) {
      return 0;
    }
    int following = Math.min(range.following(), MOST_FOLLOWING);
    for (int index = 1; index <= following; index++) {
      expected.putIfAbsent(behind(range, index), range.block());
    }
    return following;
  }

  /**
   * Keeps what the node granted beyond a range, but for blocks that were asked for meanwhile.
   *
   * @param grants of the blocks behind, in order; unchecked
   */
  synchronized void keep(WantedRange range, List<LocalGrant> grants) {
    for (int index = 1; index <= Math.min(grants.size(), MOST_FOLLOWING); index++) {
      Block block = behind(range, index);
      if (kept.remove(block) != null) {
        count(false);
      }
      if (expected.remove(block, range.block())) {
        long now = nanoClock.getAsLong();
        kept.put(block, new Early(grants.get(index - 1), range.firstEpoch(), now));
      } else {
        count(false);
      }
    }
    while (kept.size() > MOST_KEPT) {
      dropOldest();
    }
  }

  /** Nothing more comes of having asked for a range. */
  synchronized void onAnswered(WantedRange range) {
    for (int index = 1; index <= MOST_FOLLOWING; index++) {
      expected.remove(behind(range, index), range.block());
    }
  }

  private static Block behind(WantedRange range, int index) {
    return new Block(range.view().file(), range.block() + index);
  }

  /**
   * Takes the grant of a range; it then counts as used, whatever becomes of it.
   *
   * @return of just its length, else unchecked; empty if there is none, or only one for bytes that
   *     may be of an older write epoch
   */
  synchronized Optional<LocalGrant> take(WantedRange range) {
    dropOld();
    Block block = behind(range, 0);
    Early early = kept.get(block);
    if (early == null
        || early.firstEpoch() < range.firstEpoch()
        || early.grant().getLength() != range.end() - range.start()) {
      return Optional.empty();
    }
    kept.remove(block);
    count(true);
    return Optional.of(early.grant());
  }

  private void dropOld() {
    long now = nanoClock.getAsLong();
    while (!kept.isEmpty() && now - kept.values().iterator().next().since() > AGE_NANOS) {
      dropOldest();
    }
  }

  private void dropOldest() {
    Iterator<Early> oldest = kept.values().iterator();
    oldest.next();
    oldest.remove();
    count(false);
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
