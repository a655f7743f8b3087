package io.vdfs.datanode.repair.garbage;

import io.vdfs.common.concurrent.Causes;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingCodec;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.FileKeyProto;
import io.vdfs.common.wire.proto.HeldFileProto;
import io.vdfs.common.wire.proto.NodeStateProto;
import io.vdfs.common.wire.proto.RepairReportResult;
import io.vdfs.common.wire.proto.ReviewFilesResult;
import io.vdfs.datanode.loop.ServiceLoop;
import io.vdfs.datanode.repair.DiscardGate;
import io.vdfs.datanode.repair.FileGroups;
import io.vdfs.datanode.repair.RepairCalls;
import io.vdfs.datanode.repair.Repairer;
import io.vdfs.datanode.repair.copy.GroupKey;
import io.vdfs.datanode.repair.copy.KeepersCheck;
import io.vdfs.datanode.repair.copy.RepairRate;
import io.vdfs.datanode.repair.copy.Surroundings;
import io.vdfs.datanode.store.BlockStore;
import io.vdfs.datanode.store.status.GarbageUsage;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Discards files, and groups of files, that this node holds without need. Each pass asks the
 * metadata about all files that are held. A file is discarded once two passes found it unneeded for
 * the same reason:
 *
 * <ul>
 *   <li>a file that was <em>deleted</em> and of whose deletion this node did not learn;
 *   <li>a <em>surplus</em> file: it is closed, as many nodes keep each group as should, this node
 *       is to hold nothing of it, all nodes of the ring found that they hold what they should, and
 *       all keepers of each of its groups have just read it back whole and alike;
 *   <li>a file of which only some groups are surplus: then only these are dropped, and the disk
 *       gets their room back after a while.
 * </ul>
 *
 * <p>After a pass that leaves only files which the metadata know, the leader is told that this node
 * holds nothing of the files whose deletions it missed, unless a volume is not served, as anything
 * may lie on that.
 *
 * <p>A discarded file is kept on disk for a while. Confined to the loop of repair, except for
 * {@link #read} and {@link #stop}.
 */
public final class GarbageCollector {
  private static final Logger LOG = LoggerFactory.getLogger(GarbageCollector.class);

  /** Files that the metadata are asked about at a time. */
  static final int PAGE = 500;

  /** Files remembered from pass to pass; more are found again. */
  private static final int MOST_CANDIDATES = 100_000;

  private static final Duration LONGEST_PURGE_PAUSE = Duration.ofMinutes(1);

  private final Surroundings around;
  private final ServiceLoop loop;
  private final BlockStore store;
  private final RepairCalls calls;
  private final DiscardGate gate;
  private final KeepersCheck keepers;
  private final GarbageSettings settings;
  private final InstantSource clock;
  private final Consumer<FileKey> onDiscarded;
  private final Counters<GarbageCounter> counters = new Counters<>(GarbageCounter.class);
  private Map<FileKey, Sighting> sightings = Map.of();
  private Optional<RingMap> ring = Optional.empty();
  private volatile long candidates;
  private volatile GarbageUsage kept = GarbageUsage.NONE;
  private volatile Optional<String> purgeTrouble = Optional.empty();
  private volatile boolean stopped;

  private enum Kind {
    DELETED,
    SURPLUS,
    SURPLUS_GROUPS
  }

  private static Kind kindOf(SurplusGroups surplus) {
    return surplus.whole() ? Kind.SURPLUS : Kind.SURPLUS_GROUPS;
  }

  /**
   * A file that is not needed here.
   *
   * @param since when it was seen first, by the loop's clock
   */
  private record Sighting(Kind kind, long since) {}

  /** The findings of one pass so far. */
  private static final class Findings {
    final Map<FileKey, Sighting> sightings = new HashMap<>();
    long strangers; // held, but unknown to the metadata

    void add(FileKey file, Sighting sighting) {
      if (sightings.size() < MOST_CANDIDATES) {
        sightings.put(file, sighting);
      }
    }

    void discarded(FileKey file, Kind kind) {
      sightings.remove(file);
      strangers -= kind == Kind.DELETED ? 1 : 0;
    }
  }

  /**
   * The answer of the metadata about some files.
   *
   * @param present how many of them exist
   */
  private record Review(int present, Set<FileKey> deleted, Map<FileKey, SurplusGroups> surplus) {
    Map<FileKey, Kind> kinds() {
      Map<FileKey, Kind> kinds = new LinkedHashMap<>();
      deleted.forEach(file -> kinds.put(file, Kind.DELETED));
      surplus.forEach((file, found) -> kinds.put(file, kindOf(found)));
      return kinds;
    }
  }

  /**
   * @param repairer of this node
   * @param rate at which surplus files are read back where they belong
   * @param onDiscarded told of each file that was discarded as a whole, on a worker
   */
  public GarbageCollector(
      Surroundings around,
      BlockStore store,
      Repairer repairer,
      long rate,
      GarbageSettings settings,
      InstantSource clock,
      Consumer<FileKey> onDiscarded) {
    this(
        around,
        store,
        repairer.calls(),
        repairer,
        new KeepersCheck(around, new RepairRate(rate, around.loop())),
        settings,
        clock,
        onDiscarded);
  }

  GarbageCollector(
      Surroundings around,
      BlockStore store,
      RepairCalls calls,
      DiscardGate gate,
      KeepersCheck keepers,
      GarbageSettings settings,
      InstantSource clock,
      Consumer<FileKey> onDiscarded) {
    this.around = around;
    this.loop = around.loop();
    this.store = store;
    this.calls = calls;
    this.gate = gate;
    this.keepers = keepers;
    this.settings = settings;
    this.clock = clock;
    this.onDiscarded = onDiscarded;
  }

  public void start() {
    loop.schedule(settings.after(), this::pass);
    loop.execute(this::purge);
  }

  /** Begins nothing more; what is under way ends by itself. Thread-safe. */
  public void stop() {
    stopped = true;
  }

  /** A counter or level as it is now. Thread-safe. */
  public long read(GarbageCounter counter) {
    return switch (counter) {
      case CANDIDATES -> candidates;
      case KEPT_FILES -> kept.files();
      case KEPT_BYTES -> kept.bytes();
      default -> counters.get(counter);
    };
  }

  private void purge() {
    if (stopped) {
      return;
    }
    long before = clock.instant().minus(settings.keep()).getEpochSecond();
    Duration pause = settings.keep().dividedBy(4);
    var unused =
        CompletableFuture.supplyAsync(() -> purge(before), around.workers())
            .whenCompleteAsync(
                (left, defect) -> {
                  if (defect == null) {
                    left.ifPresent(usage -> kept = usage);
                  }
                  loop.schedule(
                      pause.compareTo(LONGEST_PURGE_PAUSE) < 0 ? pause : LONGEST_PURGE_PAUSE,
                      this::purge);
                },
                loop);
  }

  private Optional<GarbageUsage> purge(long before) {
    try {
      GarbageUsage left = store.purgeGarbage(before);
      purgeTrouble = Optional.empty();
      return Optional.of(left);
    } catch (VdfsException e) {
      Optional<String> trouble = Optional.of(e.getMessage());
      if (!trouble.equals(purgeTrouble)) {
        LOG.warn("garbage could not be removed, and is tried again: {}", e.getMessage());
      }
      purgeTrouble = trouble;
      return Optional.empty();
    }
  }

  private void pass() {
    if (stopped) {
      return;
    }
    Findings found = new Findings();
    var unused =
        calls
            .missedDeletions()
            .thenComposeAsync(
                missed ->
                    pages(store.files(), found)
                        .thenComposeAsync(done -> endPass(found, missed), loop),
                loop)
            .whenCompleteAsync(
                (done, failure) -> {
                  if (failure != null) {
                    counters.increment(GarbageCounter.FAILED);
                    LOG.warn(
                        "a look for what nobody needs did not come to its end: {}", why(failure));
                  }
                  loop.schedule(settings.after(), this::pass);
                },
                loop);
  }

  /**
   * @param missed up to where this node may have missed deletions, from before the pass; 0 if it
   *     missed none
   */
  private CompletableFuture<Void> endPass(Findings found, long missed) {
    sightings = found.sightings;
    candidates = sightings.size();
    counters.increment(GarbageCounter.PASSES);
    if (missed == 0 || found.strangers > 0 || stopped) {
      return CompletableFuture.completedFuture(null);
    }
    return work(() -> {
          store.forceRemovals(missed);
          return missed;
        })
        .thenComposeAsync(calls::acknowledgeMissedDeletions, loop)
        .whenCompleteAsync(
            (done, failure) -> {
              if (failure == null) {
                LOG.info("Nothing is held of deletions that were missed: upTo={}", missed);
              }
            },
            loop);
  }

  /** Work for a worker, as it waits for the disk. */
  @FunctionalInterface
  private interface Step<T> {
    T run() throws VdfsException;
  }

  private <T> CompletableFuture<T> work(Step<T> step) {
    CompletableFuture<T> done = new CompletableFuture<>();
    around
        .workers()
        .execute(
            () -> {
              try {
                done.complete(step.run());
              } catch (VdfsException | RuntimeException | Error e) {
                done.completeExceptionally(e);
              }
            });
    return done;
  }

  private static String why(Throwable failure) {
    return Causes.asVdfs(failure).getMessage();
  }

  private CompletableFuture<Void> pages(Iterator<FileKey> files, Findings found) {
    List<FileKey> page = new ArrayList<>();
    while (page.size() < PAGE && files.hasNext()) {
      page.add(files.next());
    }
    if (page.isEmpty() || stopped) {
      return CompletableFuture.completedFuture(null);
    }
    return review(page)
        .thenComposeAsync(
            review -> {
              found.strangers += page.size() - review.present();
              return discard(due(review, found), review, found);
            },
            loop)
        .thenComposeAsync(unused -> pages(files, found), loop);
  }

  /**
   * The files that an earlier pass found for the same reason, long enough ago; takes note of all.
   */
  private Iterator<FileKey> due(Review review, Findings found) {
    long now = loop.nanoTime();
    List<FileKey> due = new ArrayList<>();
    review
        .kinds()
        .forEach(
            (file, kind) -> {
              Sighting before = sightings.get(file);
              boolean same = before != null && before.kind() == kind;
              Sighting sighting = same ? before : new Sighting(kind, now);
              found.add(file, sighting);
              if (same && now - before.since() >= settings.after().toNanos()) {
                due.add(file);
              }
            });
    return due.iterator();
  }

  private CompletableFuture<Review> review(List<FileKey> files) {
    return calls
        .review(files, ring.map(RingMap::epoch).orElse(0L))
        .thenComposeAsync(
            answer -> {
              try {
                return CompletableFuture.completedFuture(judge(answer));
              } catch (VdfsException e) {
                return CompletableFuture.failedFuture(e);
              }
            },
            loop);
  }

  private Review judge(ReviewFilesResult answer) throws VdfsException {
    if (answer.hasRing()) {
      ring = Optional.of(RingCodec.fromProto(answer.getRing()));
    }
    Review review = new Review(answer.getFilesCount(), new TreeSet<>(), new LinkedHashMap<>());
    for (FileKeyProto gone : answer.getGoneList()) {
      review.deleted().add(WireIds.fileKey(gone));
    }
    for (HeldFileProto held : answer.getFilesList()) {
      FileGroups file = FileGroups.of(held, around.geometry());
      SurplusGroups.of(file, knownRing(), around.self(), group -> isHeld(file, group))
          .ifPresent(surplus -> review.surplus().put(file.key(), surplus));
    }
    return review;
  }

  private boolean isHeld(FileGroups file, int group) {
    return store.group(file.key(), group).length() > 0;
  }

  private RingMap knownRing() throws VdfsException {
    return ring.orElseThrow(
        () -> new VdfsException(ErrorCode.INTERNAL, "files were reviewed without a ring map"));
  }

  private CompletableFuture<Void> discard(Iterator<FileKey> due, Review review, Findings found) {
    if (!due.hasNext() || stopped) {
      return CompletableFuture.completedFuture(null);
    }
    FileKey file = due.next();
    SurplusGroups surplus = review.surplus().get(file);
    CompletableFuture<Boolean> discarded =
        surplus == null
            ? discard(file, BlockStore.ANY_EPOCH, GarbageCounter.DELETED_FILES)
            : discard(surplus);
    return discarded
        .exceptionally(
            failure -> {
              counters.increment(GarbageCounter.FAILED);
              LOG.warn("a file was not discarded: file={}, cause={}", file, why(failure));
              return false;
            })
        .thenComposeAsync(
            gone -> {
              if (gone) {
                found.discarded(file, surplus == null ? Kind.DELETED : kindOf(surplus));
              }
              return discard(due, review, found);
            },
            loop);
  }

  /**
   * Checks once more where a file belongs, and whether it is still not needed here, before it is
   * discarded.
   */
  private CompletableFuture<Boolean> discard(SurplusGroups surplus) {
    long epoch = ring.map(RingMap::epoch).orElse(0L);
    return areCopiesKnown(epoch)
        .thenComposeAsync(
            known ->
                known
                    ? areCopiesSound(surplus.file(), surplus.groups().iterator())
                    : CompletableFuture.completedFuture(false),
            loop)
        .thenComposeAsync(
            sound ->
                sound
                    ? discardIfStillSurplus(surplus, epoch)
                    : CompletableFuture.completedFuture(false),
            loop)
        .thenApplyAsync(
            gone -> {
              if (!gone) {
                counters.increment(GarbageCounter.SPARED);
              }
              return gone;
            },
            loop);
  }

  /**
   * Whether no copy is missing anywhere, by the ring map of this epoch, which is still the current
   * one.
   */
  private CompletableFuture<Boolean> areCopiesKnown(long epoch) {
    return calls.report().thenApplyAsync(report -> isWhole(report, epoch), loop);
  }

  private static boolean isWhole(RepairReportResult report, long epoch) {
    return report.getRingEpoch() == epoch
        && report.getGroupsLacking() == 0
        && report.getJoiningPlaces() == 0
        && report.getNodesList().stream()
            .filter(node -> node.getServingPlaces() > 0)
            .allMatch(NodeStateProto::getConfirmed);
  }

  private CompletableFuture<Boolean> areCopiesSound(FileGroups file, Iterator<Integer> groups) {
    if (!groups.hasNext()) {
      return CompletableFuture.completedFuture(true);
    }
    int group = groups.next();
    List<NodeId> holders;
    try {
      holders = SurplusGroups.keepers(file, group, knownRing());
    } catch (VdfsException e) {
      return CompletableFuture.failedFuture(e);
    }
    return keepers
        .allHold(new GroupKey(file.key(), group), file.length(group), file.checksum(group), holders)
        .thenComposeAsync(
            hold -> hold ? areCopiesSound(file, groups) : CompletableFuture.completedFuture(false),
            loop);
  }

  /**
   * @param epoch of the ring map by which its keepers were found and read it back
   */
  private CompletableFuture<Boolean> discardIfStillSurplus(SurplusGroups surplus, long epoch) {
    FileKey file = surplus.file().key();
    long claims = gate.claims();
    return review(List.of(file))
        .thenCombine(
            areCopiesKnown(epoch),
            (review, known) -> known && surplus.isSameAs(review.surplus().get(file)))
        .thenComposeAsync(
            needless ->
                needless
                        && ring.filter(map -> map.epoch() == epoch).isPresent()
                        && gate.beginDiscard(file, claims)
                    ? discardChecked(surplus)
                        .whenCompleteAsync((gone, failure) -> gate.endDiscard(file), loop)
                    : CompletableFuture.completedFuture(false),
            loop);
  }

  private CompletableFuture<Boolean> discardChecked(SurplusGroups surplus) {
    return surplus.whole()
        ? discard(surplus.file().key(), surplus.file().writeEpoch(), GarbageCounter.SURPLUS_FILES)
        : discardGroups(surplus);
  }

  /** Whether all of the groups were dropped. */
  private CompletableFuture<Boolean> discardGroups(SurplusGroups surplus) {
    FileKey file = surplus.file().key();
    long second = clock.instant().getEpochSecond();
    List<Long> dropped = new ArrayList<>(); // bytes of each group
    return work(() -> {
          for (int group : surplus.groups()) {
            store
                .discardGroup(file, group, surplus.file().writeEpoch(), second)
                .ifPresent(dropped::add);
          }
          return dropped.size() == surplus.groups().size();
        })
        .whenCompleteAsync((all, failure) -> onDropped(file, dropped), loop);
  }

  /**
   * @param dropped bytes of each group
   */
  private void onDropped(FileKey file, List<Long> dropped) {
    if (!dropped.isEmpty()) {
      long bytes = dropped.stream().mapToLong(Long::longValue).sum();
      counters.add(GarbageCounter.SURPLUS_GROUPS, dropped.size());
      counters.add(GarbageCounter.DISCARDED_BYTES, bytes);
      LOG.info(
          "Dropped groups that other nodes keep: file={}, groups={}, bytes={}",
          file,
          dropped.size(),
          bytes);
    }
  }

  /** Whether the file was discarded. */
  private CompletableFuture<Boolean> discard(FileKey file, long epoch, GarbageCounter counter) {
    long second = clock.instant().getEpochSecond();
    CompletableFuture<OptionalLong> done =
        work(
            () -> {
              OptionalLong bytes = store.discard(file, epoch, second);
              if (bytes.isPresent()) {
                onDiscarded.accept(file);
              }
              return bytes;
            });
    return done.thenApplyAsync(
        bytes -> {
          if (bytes.isPresent()) {
            counters.increment(counter);
            counters.add(GarbageCounter.DISCARDED_BYTES, bytes.getAsLong());
            LOG.info(
                "Discarded a file: file={}, counted as={}, bytes={}, keptFor={}",
                file,
                counter,
                bytes.getAsLong(),
                settings.keep());
          }
          return bytes.isPresent();
        },
        loop);
  }
}
