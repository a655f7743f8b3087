package io.vdfs.datanode.repair.copy;

import io.vdfs.common.concurrent.Causes;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.LeaseBound;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.store.VerifiedGroup;
import io.vdfs.datanode.loop.Futures;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes this node's copy of a group equal to that of a sound source:
 *
 * <ol>
 *   <li>A source is a node of the arc's list that is not left out and has read back all bytes of
 *       the group as good, and, where the metadata know their checksum, as those that were written.
 *       Where no such node can serve, all other nodes are asked, and those that have all bytes must
 *       agree; a node left out, this one included, counts only if it has them from the file's last
 *       writer. Where no node has all bytes, each block may have another source, see {@link
 *       BlockSources}.
 *   <li>What this node holds is read back, too. Bytes on a suspect volume count as missing.
 *   <li>Blocks that differ are copied beside what is there, one after the other; each counts once
 *       it is on stable storage. Bytes behind the group's length are cut off.
 *   <li>The group is read back once more and compared with the source's.
 * </ol>
 *
 * <p>Nothing is changed unless all bytes are to be had, so that a bad copy never takes the place of
 * a good one. A step that was given up may still take effect later, but under the same epoch and
 * from a source that was read back, hence as good. Confined to the loop.
 */
public final class GroupRepair {
  private static final Logger LOG = LoggerFactory.getLogger(GroupRepair.class);

  /** Time limit of a step, besides the time for its bytes: other work may come before it. */
  private static final Duration STEP_LIMIT = Duration.ofSeconds(30);

  private static final String NOBODY = "no node that may be believed has all bytes";

  /** Bytes a second that the slowest disk, or the slowest way to a node, is believed to give. */
  private static final long SLOWEST = 1 << 20;

  private final Surroundings around;
  private final RepairRate rate;
  private final Function<FileKey, CompletableFuture<Boolean>> exists;

  /**
   * @param exists whether the metadata have a file, asked where a repair fails
   */
  public GroupRepair(
      Surroundings around, RepairRate rate, Function<FileKey, CompletableFuture<Boolean>> exists) {
    this.around = around;
    this.rate = rate;
    this.exists = exists;
  }

  /** Work on a thread that may block. */
  @FunctionalInterface
  private interface Step<T> {
    T run() throws VdfsException;
  }

  /**
   * Tries once.
   *
   * @param anySound whether sound bytes of the list's nodes will do where no node has those that
   *     were written
   * @return fails with the reason why the group is still lacking, except for blocks that were
   *     copied; completes on any thread
   */
  public CompletableFuture<Repaired> repair(WantedGroup wanted, RingMap ring, boolean anySound) {
    FileKey file = wanted.key().file();
    return begin(wanted, ring)
        .thenComposeAsync(
            repaired ->
                repaired.outcome() == Repaired.Outcome.NOWHERE
                    ? unlessGone(file, () -> nowhere(wanted, ring, repaired, anySound))
                    : CompletableFuture.completedFuture(repaired),
            around.loop())
        .exceptionallyComposeAsync(
            failure ->
                unlessGone(file, () -> CompletableFuture.failedFuture(Causes.asVdfs(failure))),
            around.loop());
  }

  /**
   * What is sound is better than nothing, and all that there is: every node has answered. So it is
   * where a writer's memory was damaged.
   */
  private CompletableFuture<Repaired> nowhere(
      WantedGroup wanted, RingMap ring, Repaired nowhere, boolean anySound) {
    if (wanted.checksum() == 0 || !anySound) {
      return CompletableFuture.completedFuture(nowhere);
    }
    return begin(wanted.unchecked(), ring)
        .thenApply(
            repaired -> {
              if (repaired.outcome() != Repaired.Outcome.NOWHERE) {
                LOG.error(
                    "No node has what was written, so a sound copy is taken as it is: {}",
                    nowhere.reason());
              }
              return repaired;
            });
  }

  private CompletableFuture<Repaired> begin(WantedGroup wanted, RingMap ring) {
    try {
      return new Attempt(wanted, ring).run();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** The most frequent reason why no node has a group is that its file was deleted meanwhile. */
  private CompletableFuture<Repaired> unlessGone(
      FileKey file, Supplier<CompletableFuture<Repaired>> otherwise) {
    return exists
        .apply(file)
        .handle((found, unanswered) -> unanswered == null && !found)
        .thenComposeAsync(
            gone -> gone ? CompletableFuture.completedFuture(Repaired.GONE) : otherwise.get(),
            around.loop());
  }

  private <T> CompletableFuture<T> work(Duration limit, Step<T> step) {
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
    return Futures.within(limit, done, around.loop());
  }

  /** How long reading or copying so many bytes may take before the node is given up. */
  static Duration limitFor(long bytes) {
    return STEP_LIMIT.plusMillis(bytes * 1000 / SLOWEST);
  }

  /** The repair of one group. */
  private final class Attempt {
    private final WantedGroup wanted;
    private final RingMap ring;
    private final Sources sources;
    private final GroupComparison comparison;
    private final Map<NodeId, String> answers = new TreeMap<>();
    private final Map<NodeId, VerifiedGroup> found = new TreeMap<>();
    private boolean allAnswered = true;
    private long copied;

    Attempt(WantedGroup wanted, RingMap ring) {
      this.wanted = wanted;
      this.ring = ring;
      this.sources = Sources.of(ring, around.live().get(), around.self(), wanted);
      this.comparison = new GroupComparison(around.geometry(), wanted.length(), wanted.checksum());
    }

    CompletableFuture<Repaired> run() {
      return work(
              STEP_LIMIT,
              () -> {
                around.own().requireRoom(wanted.key());
                return null;
              })
          .thenComposeAsync(unused -> listed(sources.listed().iterator()), around.loop())
          .thenComposeAsync(
              source -> source.isPresent() ? CompletableFuture.completedFuture(source) : blocks(),
              around.loop())
          .thenComposeAsync(
              source -> source.isPresent() ? CompletableFuture.completedFuture(source) : anybody(),
              around.loop())
          .thenComposeAsync(
              source ->
                  source.isPresent()
                      ? bring(source.get())
                      : CompletableFuture.completedFuture(Repaired.nowhere(told(NOBODY))),
              around.loop());
    }

    private CompletableFuture<Repaired> bring(Source source) {
      return readOwn().thenComposeAsync(own -> bring(source, own), around.loop());
    }

    private CompletableFuture<Optional<Source>> listed(Iterator<NodeId> candidates) {
      if (!candidates.hasNext()) {
        return CompletableFuture.completedFuture(Optional.empty());
      }
      return ask(candidates.next())
          .thenComposeAsync(
              source ->
                  source.isPresent()
                      ? CompletableFuture.completedFuture(source)
                      : listed(candidates),
              around.loop());
    }

    /** Empty if the node does not answer or does not have the whole group. */
    private CompletableFuture<Optional<Source>> ask(NodeId node) {
      Duration limit = limitFor(wanted.length());
      CompletableFuture<VerifiedGroup> answer =
          around
              .probe()
              .verify(
                  node,
                  wanted.key().file(),
                  wanted.key().group(),
                  LeaseBound.NONE,
                  List.of(wanted.length()),
                  limit);
      return Futures.within(limit, answer, around.loop())
          .handleAsync((found, failure) -> judge(node, found, failure), around.loop());
    }

    private Optional<Source> judge(NodeId node, VerifiedGroup answer, Throwable failure) {
      if (failure != null) {
        allAnswered = false;
        answers.put(node, Causes.asVdfs(failure).getMessage());
        return Optional.empty();
      }
      VerifiedGroup counted = comparison.upToLength(answer);
      String others = comparison.isAnother(counted) ? ", not what was written" : "";
      answers.put(node, counted.verified() + " of " + answer.claimed() + " good" + others);
      found.put(node, counted);
      return comparison.isWhole(counted) ? Optional.of(Source.of(node, counted)) : Optional.empty();
    }

    /**
     * The group as the nodes that answered so far have it between them; empty if a block is
     * missing.
     */
    private CompletableFuture<Optional<Source>> blocks() {
      try {
        Optional<Source> source =
            new BlockSources(comparison, wanted, found, trusted(), sources.strangers())
                .choose()
                .filter(whole -> comparison.isWhole(whole.found()));
        source.ifPresent(
            several ->
                LOG.info(
                    "A group is sound nowhere, but among several nodes: file={}, group={}, asked={}",
                    wanted.key().file(),
                    wanted.key().group(),
                    answers));
        return CompletableFuture.completedFuture(source);
      } catch (VdfsException e) {
        // where it is known what was written, nodes that contradict each other have it no more
        return comparison.isChecked()
            ? CompletableFuture.completedFuture(Optional.empty())
            : refuse(e.code(), e.getMessage());
      }
    }

    private List<NodeId> trusted() {
      List<NodeId> trusted = new ArrayList<>(sources.listed());
      if (wanted.ownCounts()) {
        trusted.add(around.self());
      }
      return trusted;
    }

    /** Empty if all nodes answered and none has the group; fails if one did not answer. */
    private CompletableFuture<Optional<Source>> anybody() {
      List<CompletableFuture<Optional<Source>>> asked = new ArrayList<>();
      sources.strangers().forEach(node -> asked.add(ask(node)));
      sources.leftOut().forEach(node -> asked.add(ask(node).thenApply(this::ifBelieved)));
      asked.add(ownIfBelieved());
      return CompletableFuture.allOf(asked.toArray(CompletableFuture<?>[]::new))
          .thenApplyAsync(
              unused -> asked.stream().flatMap(answer -> answer.join().stream()).toList(),
              around.loop())
          .thenCompose(this::agreed);
    }

    private CompletableFuture<Optional<Source>> ownIfBelieved() {
      return readOwn()
          .handleAsync(
              (found, failure) -> ifBelieved(judge(around.self(), found, failure)), around.loop());
    }

    /**
     * When a writer leaves a node out, a write epoch of its own begins. So a node that is left out
     * and has every block under the last epoch that began without it, or a later one, got it either
     * from the writer, before it was left out because it said itself that it lacked the group, or
     * by a copy made since. A node that is only doubted was never left out by a writer. Who has
     * what was written is believed anyway.
     */
    private Optional<Source> ifBelieved(Optional<Source> source) {
      return source.filter(
          whole ->
              comparison.isChecked()
                  || whole.found().blocks().stream()
                      .allMatch(block -> block.writeEpoch() >= wanted.knownSince(whole.node(0))));
    }

    private CompletableFuture<Optional<Source>> agreed(List<Source> whole) {
      if (whole.isEmpty()) {
        return blocks()
            .thenCompose(
                source ->
                    source.isPresent() || allAnswered
                        ? CompletableFuture.completedFuture(source)
                        : refuse(ErrorCode.UNAVAILABLE, NOBODY));
      }
      Source first = whole.get(0);
      for (Source other : whole) {
        List<Integer> differing = comparison.blocksToCopy(first.found(), other.found());
        if (!differing.isEmpty()) {
          return refuse(
              ErrorCode.CORRUPT,
              "nodes that may be believed differ in block %s of the group: nodes=%s"
                  .formatted(differing.get(0), List.of(first.node(0), other.node(0))));
        }
      }
      return CompletableFuture.completedFuture(Optional.of(first));
    }

    private <T> CompletableFuture<T> refuse(ErrorCode code, String reason) {
      return CompletableFuture.failedFuture(new VdfsException(code, told(reason)));
    }

    private String told(String reason) {
      return "%s: file=%s, group=%d, length=%d, asked=%s"
          .formatted(reason, wanted.key().file(), wanted.key().group(), wanted.length(), answers);
    }

    private CompletableFuture<VerifiedGroup> readOwn() {
      long held = around.own().length(wanted.key());
      if (held == 0 || around.own().isOnSuspectVolume(wanted.key())) {
        return CompletableFuture.completedFuture(VerifiedGroup.NOTHING);
      }
      return rate.take(Math.min(held, wanted.length()))
          .thenComposeAsync(unused -> verifyOwn(), around.loop());
    }

    private CompletableFuture<VerifiedGroup> verifyOwn() {
      return work(
          limitFor(around.geometry().groupSize()),
          () -> around.own().verify(wanted.key(), wanted.length()));
    }

    private CompletableFuture<Repaired> bring(Source source, VerifiedGroup own) {
      if (own.claimed() > wanted.length() && isYounger(own)) {
        return refuse(ErrorCode.FENCED, "a later writer was here");
      }
      VerifiedGroup counted = comparison.upToLength(own);
      OptionalInt contradiction = comparison.contradiction(source.found(), counted);
      if (wanted.ownCounts() && !comparison.isChecked() && contradiction.isPresent()) {
        return refuse(
            ErrorCode.CORRUPT,
            "this node's bytes are sound, not older and differ from those of %s in block %d"
                .formatted(source.node(contradiction.getAsInt()), contradiction.getAsInt()));
      }
      List<Integer> blocks = comparison.blocksToCopy(source.found(), counted);
      if (blocks.isEmpty() && own.claimed() == wanted.length()) {
        return CompletableFuture.completedFuture(Repaired.SAME);
      }
      return copy(source, blocks.iterator())
          .thenComposeAsync(unused -> cutAndReadBack(), around.loop())
          .thenComposeAsync(after -> compare(source, after), around.loop());
    }

    private boolean isYounger(VerifiedGroup own) {
      long epoch = Integer.toUnsignedLong(wanted.writeEpoch());
      return own.blocks().stream().anyMatch(block -> block.writeEpoch() > epoch);
    }

    private CompletableFuture<Void> copy(Source source, Iterator<Integer> blocks) {
      if (!blocks.hasNext()) {
        return CompletableFuture.completedFuture(null);
      }
      int block = blocks.next();
      int bytes = source.found().blocks().get(block).length();
      boolean primary = ring.owner(wanted.key().file(), wanted.key().group()).equals(around.self());
      return rate.take(bytes)
          .thenComposeAsync(
              unused ->
                  work(
                      limitFor(bytes),
                      () -> {
                        around.own().copyBlock(wanted, block, source.node(block), primary);
                        return null;
                      }),
              around.loop())
          .thenComposeAsync(
              unused -> {
                copied += bytes;
                return copy(source, blocks);
              },
              around.loop());
    }

    private CompletableFuture<VerifiedGroup> cutAndReadBack() {
      return work(
          limitFor(2 * around.geometry().groupSize()),
          () -> {
            around.own().cut(wanted);
            return around.own().verify(wanted.key(), wanted.length());
          });
    }

    private CompletableFuture<Repaired> compare(Source source, VerifiedGroup after) {
      boolean same =
          comparison.isWhole(after) && comparison.blocksToCopy(source.found(), after).isEmpty();
      if (!same) {
        answers.put(around.self(), after.verified() + " of " + after.claimed() + " good");
        return refuse(ErrorCode.CORRUPT, "the copy does not read back as its source does");
      }
      return CompletableFuture.completedFuture(
          copied == 0 ? Repaired.SAME : Repaired.copied(copied));
    }
  }
}
