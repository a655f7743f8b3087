package io.vdfs.datanode.scrub;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.LeaseBound;
import io.vdfs.common.store.VerifiedGroup;
import io.vdfs.datanode.loop.ServiceLoop;
import io.vdfs.datanode.store.BlockLocation;
import io.vdfs.datanode.store.BlockStore;
import io.vdfs.datanode.store.DoubtedBlocks;
import io.vdfs.datanode.store.GroupHolding;
import io.vdfs.datanode.store.ReadPace;
import io.vdfs.datanode.store.status.VolumeUsage;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads everything that a node holds back, group by group, and compares it with its writers'
 * checksums. A pass takes at most half a period, and the next one begins half a period after it
 * began, so each byte is read once in a period; it goes on after a restart where it was. Between
 * groups it verifies blocks that peers reported as damaged, at a low rate, as any peer may report
 * any block. Confined to its loop, which waits for the disk.
 */
public final class Scrubber {
  private static final Logger LOG = LoggerFactory.getLogger(Scrubber.class);

  /** Bytes a second that are no burden for any disk: a pass is never slower. */
  static final long LEAST_RATE = 5 << 20;

  /** Groups that are looked up at a time, and held in memory by a pass. */
  static final int BATCH = 1000;

  /** Bytes a second of blocks that are doubted. */
  static final long DOUBTS_RATE = 16 << 20;

  /** Time between checks whether there are any. */
  static final Duration DOUBTS_PAUSE = Duration.ofSeconds(1);

  /** Bytes of a doubted block that are read at a time, unless a chunk is larger. */
  private static final int PIECE = 1 << 20;

  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(10);

  private static final Comparator<GroupHolding> ORDER =
      Comparator.comparing(GroupHolding::key).thenComparingInt(GroupHolding::group);

  private final BlockStore store;
  private final DoubtedBlocks doubts;
  private final Duration period;
  private final long demandedRate;
  private final ScrubMemory memory;
  private final Damage damage;
  private final InstantSource clock;
  private final ServiceLoop loop;
  private final Counters<ScrubCounter> counters = new Counters<>(ScrubCounter.class);
  private final Queue<GroupHolding> batch = new ArrayDeque<>();
  private boolean failed; // some group of the pass under way
  private boolean demanded; // the pass under way
  private long steps; // number of the chain of steps that goes on; others end
  private volatile ScrubPosition position;
  private volatile boolean stopped;

  /**
   * The counters as a pass began, which is over once {@code passes} is higher.
   *
   * @param held bytes that the node holds
   */
  public record Begun(long passes, long groups, long bytes, long damaged, long failed, long held) {}

  /** Is told of groups with bytes that are not what their writer sent. */
  @FunctionalInterface
  public interface Damage {
    void onDamage(FileKey file, int group);
  }

  /**
   * @param doubts blocks to look at
   * @param period in which each byte is read once
   * @param demandedRate bytes a second of a pass that was asked for, unless its usual rate is
   *     higher
   * @param loop of this scrubber alone
   */
  public Scrubber(
      BlockStore store,
      DoubtedBlocks doubts,
      Duration period,
      long demandedRate,
      ScrubMemory memory,
      Damage damage,
      InstantSource clock,
      ServiceLoop loop) {
    this.store = store;
    this.doubts = doubts;
    this.period = period;
    this.demandedRate = demandedRate;
    this.memory = memory;
    this.damage = damage;
    this.clock = clock;
    this.loop = loop;
    this.position = memory.load().orElseGet(() -> ScrubPosition.first(clock.millis()));
  }

  public void start() {
    loop.execute(() -> step(steps));
    loop.execute(this::lookAtDoubted);
  }

  /** Ends the work after the group at hand. */
  public void stop() {
    stopped = true;
  }

  /** A counter or level as it is now. Thread-safe. */
  public long read(ScrubCounter counter) {
    return counter == ScrubCounter.OLDEST_UNVERIFIED_SECONDS
        ? oldestUnverified().toSeconds()
        : counters.get(counter);
  }

  /** Upper bound of the time since the byte that has waited longest was last read. */
  Duration oldestUnverified() {
    return Duration.ofMillis(Math.max(0, clock.millis() - position.wholeSinceMillis()));
  }

  /**
   * Begins a pass from the start, at once and at a higher rate, instead of one that is under way.
   * Thread-safe; completes on the loop.
   */
  public CompletableFuture<Begun> passNow() {
    CompletableFuture<Begun> begun = new CompletableFuture<>();
    loop.execute(
        () -> {
          position = position.nextPass(clock.millis());
          batch.clear();
          failed = false;
          demanded = true;
          begun.complete(begun());
          steps++;
          step(steps);
        });
    return begun;
  }

  private Begun begun() {
    long held = 0;
    for (Iterator<GroupHolding> all = store.holdings(); all.hasNext(); ) {
      held += all.next().length();
    }
    return new Begun(
        counters.get(ScrubCounter.PASSES),
        counters.get(ScrubCounter.GROUPS),
        counters.get(ScrubCounter.BYTES),
        counters.get(ScrubCounter.DAMAGED),
        counters.get(ScrubCounter.FAILED),
        held);
  }

  private void step(long of) {
    if (stopped || of != steps) {
      return;
    }
    Duration pause;
    try {
      pause = readNext();
    } catch (RuntimeException | Error e) {
      LOG.error("defect of the scrubber, which goes on with the next group", e);
      pause = Duration.ofMinutes(1);
    }
    loop.schedule(pause, () -> step(of));
  }

  /** Reads one group, or begins or ends a pass; returns how long to wait then. */
  private Duration readNext() {
    if (position.ended()) {
      return beginPassIfDue();
    }
    if (batch.isEmpty()) {
      fill();
    }
    GroupHolding next = batch.poll();
    if (next == null) {
      position = position.end();
      demanded = false;
      counters.increment(ScrubCounter.PASSES);
      remember();
      return Duration.ZERO;
    }
    // before the read: a group whose read ends the process is then not read again at once
    position = position.at(next.key(), next.group());
    if (batch.isEmpty()) {
      remember();
    }
    return Duration.ofNanos((long) (read(next) * 1e9 / rate()));
  }

  private Duration beginPassIfDue() {
    long now = clock.millis();
    long wait = position.passBegunMillis() + period.toMillis() / 2 - now;
    // a clock that was set back must not put the next pass off
    if (wait > 0 && wait <= period.toMillis()) {
      return wait < LONGEST_PAUSE.toMillis() ? Duration.ofMillis(wait) : LONGEST_PAUSE;
    }
    position = position.nextPass(now);
    failed = false;
    return Duration.ZERO;
  }

  /** The next groups in the order of a pass. */
  private void fill() {
    PriorityQueue<GroupHolding> first = new PriorityQueue<>(ORDER.reversed());
    for (Iterator<GroupHolding> all = store.holdings(); all.hasNext(); ) {
      GroupHolding holding = all.next();
      if (!position.isBehind(holding.key(), holding.group())) {
        first.add(holding);
        if (first.size() > BATCH) {
          first.remove();
        }
      }
    }
    first.stream().sorted(ORDER).forEach(batch::add);
  }

  private long read(GroupHolding holding) {
    if (store.isWriting(holding.key(), holding.group())) {
      return 0;
    }
    try {
      VerifiedGroup found =
          store.verify(
              holding.key(), holding.group(), LeaseBound.NONE, List.of(), ReadPace.IN_TURNS);
      if (found.claimed() == 0) {
        return 0; // it was removed meanwhile
      }
      counters.increment(ScrubCounter.GROUPS);
      counters.add(ScrubCounter.BYTES, found.verified());
      if (found.isDamaged()) {
        counters.increment(ScrubCounter.DAMAGED);
        LOG.warn(
            "A group is damaged: file={}, group={}, good={}, held={}",
            holding.key(),
            holding.group(),
            found.verified(),
            found.claimed());
        damage.onDamage(holding.key(), holding.group());
      }
      return found.claimed();
    } catch (VdfsException e) {
      if (e.code() == ErrorCode.NOT_FOUND || e.code() == ErrorCode.FENCED) {
        return 0; // it was removed meanwhile
      }
      counters.increment(ScrubCounter.FAILED);
      if (!failed) {
        failed = true;
        LOG.warn(
            "A group could not be read back, of others in this pass nothing is said:"
                + " file={}, group={}, cause={}",
            holding.key(),
            holding.group(),
            e.getMessage());
      }
      // a dead disk is no reason to hurry
      return holding.length();
    }
  }

  private void lookAtDoubted() {
    if (stopped) {
      return;
    }
    Duration pause = DOUBTS_PAUSE;
    try {
      Optional<DoubtedBlocks.Doubt> next = doubts.poll();
      if (next.isPresent()) {
        pause = Duration.ofNanos((long) (readDoubted(next.get()) * 1e9 / DOUBTS_RATE));
      }
    } catch (RuntimeException | Error e) {
      LOG.error("defect of the scrubber, which goes on with the next doubt", e);
    }
    loop.schedule(pause, this::lookAtDoubted);
  }

  /** Bytes that were read. */
  private long readDoubted(DoubtedBlocks.Doubt doubt) {
    Optional<BlockLocation> held = store.locate(doubt.file(), doubt.block());
    if (held.isEmpty() || store.isWriting(doubt.file(), doubt.group())) {
      return 0;
    }
    counters.increment(ScrubCounter.DOUBTED);
    int length = held.get().length();
    try {
      for (int offset = 0; offset < length; offset += PIECE) {
        int piece = Math.min(PIECE, length - offset);
        store.read(doubt.file(), doubt.block(), offset, piece, true).data().release();
      }
    } catch (VdfsException e) {
      if (e.code() == ErrorCode.CORRUPT || e.code() == ErrorCode.IO_ERROR) {
        counters.increment(ScrubCounter.DOUBTS_CONFIRMED);
        LOG.warn(
            "A block is damaged, as somebody said: file={}, group={}, cause={}",
            doubt.file(),
            doubt.group(),
            e.getMessage());
        damage.onDamage(doubt.file(), doubt.group());
      }
    }
    return length;
  }

  private double rate() {
    long used = store.usage().stream().mapToLong(VolumeUsage::used).sum();
    double inTime = used * 1000.0 / Math.max(1, period.toMillis() / 2);
    double least = demanded ? (double) Math.max(LEAST_RATE, demandedRate) : LEAST_RATE;
    return Math.max(least, inTime);
  }

  private void remember() {
    try {
      memory.save(position);
    } catch (IOException e) {
      LOG.warn("After a restart some groups are read back again: {}", e.toString());
    }
  }
}
