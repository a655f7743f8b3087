package io.vdfs.datanode.repair;

import io.vdfs.common.concurrent.Causes;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.PromoteResult;
import io.vdfs.datanode.loop.ServiceLoop;
import io.vdfs.datanode.repair.copy.GroupKey;
import io.vdfs.datanode.repair.copy.GroupRepair;
import io.vdfs.datanode.repair.copy.RepairRate;
import io.vdfs.datanode.repair.copy.Repaired;
import io.vdfs.datanode.repair.copy.Surroundings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Keeps this node's copies complete. Two things give it work, each with half of the few groups that
 * are copied at a time as long as both have some:
 *
 * <ul>
 *   <li>what the metadata have recorded as lacking here, asked for every two seconds, the groups
 *       with the fewest copies left first; once such a group is sound again, its record is lifted;
 *   <li>audits of what the node should hold. Groups found lacking are reported where readers ask
 *       the node for them, and copied. At the end of an audit the node is promoted on the arcs it
 *       was joining, except for those with a group that failed; or it confirms that it holds
 *       everything.
 * </ul>
 *
 * <p>A group that fails rests, longer each time, and holds up no other. A group that no node has
 * any more holds up nothing else either: it stays recorded, so that a node that has a part of it
 * keeps its place. Damage that was found and not mended is remembered until the process ends.
 * Confined to its loop, except for {@link #read}, {@link #auditNow}, {@link #onDamage} and {@link
 * #stop}.
 */
public final class Repairer implements DiscardGate {
  /** Groups that are copied or compared at a time. */
  static final int AT_A_TIME = 2;

  static final Duration TICK = Duration.ofSeconds(2);

  /** Time between checks of the volumes. */
  static final Duration LOOK = Duration.ofSeconds(10);

  /**
   * Pause before the groups on a volume that failed are surveyed again, where a survey did not
   * complete.
   */
  private static final Duration SURVEY_RETRY = Duration.ofSeconds(5);

  /** Time over which the rate is measured. */
  private static final Duration MEASURED = Duration.ofSeconds(10);

  /** The list of lacks is read for no more than a fifth of the time, however long it is. */
  private static final int WALK_SHARE = 4;

  private final Surroundings around;
  private final ServiceLoop loop;
  private final RepairCalls calls;
  private final GroupRepair copier;
  private final Counters<RepairCounter> counters = new Counters<>(RepairCounter.class);

  // confined to the loop
  private final RecordedLacks recorded;
  private final Lifts lifts;
  private final DamageReports damage;
  private final ItemHistory history = new ItemHistory();
  private final AuditSchedule schedule;
  private final Confirmation confirmation;
  private final RepairLog log;
  private final Set<GroupKey> inHand = new HashSet<>();
  private final Map<GroupKey, Long> unsound = new HashMap<>(); // number of the finding
  private final Set<FileKey> discarding = new HashSet<>();
  private long findings;
  private long claims;
  private long losses; // number of times that a volume failed
  private boolean surveying;
  private Set<Path> suspectVolumes = Set.of();
  private Optional<RingMap> auditedRing = Optional.empty();
  private Optional<AuditPass> pass = Optional.empty();
  private long passBegun;
  private boolean doubted; // something went bad since the pass began, so that it proves nothing
  private boolean ending; // the pass is over, the metadata are being told
  private boolean walking;
  private long nextWalk;
  private int ofRecord; // groups in hand as they are recorded
  private int ofAudit; // groups in hand as the pass found them

  private volatile boolean stopped;
  private volatile long cleanSince;
  private volatile long copiedPerSecond;
  private long copiedBefore; // at the last look
  private long lookedAt;
  private volatile long lacking;
  private volatile long waiting;

  /**
   * @param leader takes requests to the leader as the daemon's own user; errors are in responses
   */
  public Repairer(
      Surroundings around,
      Function<MetaRequest, CompletableFuture<MetaResponse>> leader,
      RepairSettings settings) {
    this.around = around;
    this.loop = around.loop();
    this.calls = new RepairCalls(around.self(), leader);
    this.copier = new GroupRepair(around, new RepairRate(settings.rate(), loop), calls::exists);
    this.recorded = new RecordedLacks(around, calls);
    this.lifts = new Lifts(calls);
    this.damage = new DamageReports(calls, loop, this::onReported);
    this.confirmation = new Confirmation(calls, loop, loop.nanoTime());
    long now = loop.nanoTime();
    this.schedule = new AuditSchedule(settings.auditPeriod(), now);
    this.log = new RepairLog(now);
    this.nextWalk = now;
    this.lookedAt = now;
    this.cleanSince = now;
  }

  public void start() {
    loop.execute(this::tick);
    loop.execute(this::lookAtVolumes);
  }

  /** Begins nothing more; what is under way ends by itself. Thread-safe. */
  public void stop() {
    stopped = true;
  }

  /**
   * Begins an audit at once, or after the one that is under way, and tries again what rests.
   * Thread-safe.
   *
   * @return how many {@link RepairCounter#AUDITS} there are once it is over
   */
  public CompletableFuture<Long> auditNow() {
    CompletableFuture<Long> audits = new CompletableFuture<>();
    loop.execute(
        () -> {
          history.forgetAll();
          nextWalk = loop.nanoTime();
          walkIfDue();
          schedule.soon(loop.nanoTime());
          audits.complete(counters.get(RepairCounter.AUDITS) + (pass.isPresent() ? 2 : 1));
          auditIfDue();
          work();
        });
    return audits;
  }

  /**
   * Has a group with damaged bytes on this node recorded as lacking, so that it is not read here
   * and is copied; told again until the metadata have heard it. Thread-safe.
   */
  public void onDamage(FileKey file, int group) {
    loop.execute(
        () -> {
          GroupKey key = new GroupKey(file, group);
          // what was found sound before must not count any more
          lifts.forget(key);
          history.forget(key);
          unsound.put(key, ++findings);
          confirmation.withdraw(loop.nanoTime());
          doubted = true;
          schedule.soon(loop.nanoTime());
          damage.add(key);
        });
  }

  private void lookAtVolumes() {
    if (stopped) {
      return;
    }
    var unused =
        CompletableFuture.supplyAsync(() -> around.own().suspectVolumes(), around.looks())
            .whenCompleteAsync(
                (suspect, defect) -> {
                  if (defect == null) {
                    onVolumes(suspect);
                  }
                  loop.schedule(LOOK, this::lookAtVolumes);
                },
                loop);
  }

  /** Groups on a suspect volume are lacking from now on, whatever was said of them before. */
  private void onVolumes(Set<Path> suspect) {
    if (suspectVolumes.containsAll(suspect)) {
      return;
    }
    suspectVolumes = suspect;
    counters.increment(RepairCounter.VOLUMES_SUSPECT);
    log.onVolumesSuspect(suspect);
    doubted = true;
    lifts.forgetAll();
    history.forgetAll();
    confirmation.withdraw(loop.nanoTime());
    schedule.soon(loop.nanoTime());
    losses++;
    survey();
  }

  /** Begun again where another volume fails meanwhile, and where no answer comes. */
  private void survey() {
    if (surveying || stopped) {
      return;
    }
    surveying = true;
    long of = losses;
    var unused =
        new LossSurvey(newAudit(), calls, loop, this::onReported)
            .run()
            .whenCompleteAsync(
                (done, failure) -> {
                  surveying = false;
                  if (failure != null) {
                    loop.schedule(SURVEY_RETRY, this::survey);
                  } else if (of != losses) {
                    survey();
                  }
                },
                loop);
  }

  private void onReported(int recorded) {
    counters.add(RepairCounter.REPORTED, recorded);
  }

  /** A counter or level as it is now. Thread-safe. */
  public long read(RepairCounter counter) {
    return switch (counter) {
      case LACKING -> lacking;
      case COPIED_BYTES_PER_SECOND -> copiedPerSecond;
      case WAITING -> waiting;
      case CLEAN_AUDIT_AGE_SECONDS -> TimeUnit.NANOSECONDS.toSeconds(loop.nanoTime() - cleanSince);
      default -> counters.get(counter);
    };
  }

  private void tick() {
    if (stopped) {
      return;
    }
    loop.schedule(TICK, this::tick);
    walkIfDue();
    auditIfDue();
    sendLifts();
    damage.send();
    confirmation.sendIfDue(loop.nanoTime());
    work();
    measure();
    log.onProgress(
        loop.nanoTime(),
        counters.get(RepairCounter.GROUPS_COPIED) + counters.get(RepairCounter.GROUPS_VERIFIED),
        counters.get(RepairCounter.BYTES_COPIED),
        lacking,
        (int) waiting);
  }

  private void measure() {
    long now = loop.nanoTime();
    if (now - lookedAt >= MEASURED.toNanos()) {
      long copied = counters.get(RepairCounter.BYTES_COPIED);
      copiedPerSecond = (long) ((copied - copiedBefore) * 1e9 / (now - lookedAt));
      copiedBefore = copied;
      lookedAt = now;
    }
  }

  private void walkIfDue() {
    long begun = loop.nanoTime();
    if (walking || nextWalk - begun > 0) {
      return;
    }
    walking = true;
    var unused =
        recorded
            .walk(this::isResting, item -> history.hasFailed(item.wanted()))
            .whenCompleteAsync(
                (done, failure) -> {
                  long now = loop.nanoTime();
                  walking = false;
                  nextWalk = now + WALK_SHARE * (now - begun);
                  if (failure == null) {
                    lacking = recorded.total();
                    onRingSeen(recorded.ringEpoch());
                    work();
                  }
                },
                loop);
  }

  private void onRingSeen(long epoch) {
    schedule.onRingSeen(epoch, loop.nanoTime());
    confirmation.onRingSeen(epoch);
  }

  private void auditIfDue() {
    if (pass.isEmpty() && schedule.isDue(loop.nanoTime())) {
      beginPass();
    }
  }

  private void beginPass() {
    passBegun = loop.nanoTime();
    doubted = false;
    schedule.onBegun(passBegun);
    HoldingsAudit audit =
        newAudit().comparing(() -> counters.increment(RepairCounter.GROUPS_DIFFERING));
    pass = Optional.of(new AuditPass(around, calls, audit, this::onReported));
  }

  private HoldingsAudit newAudit() {
    return new HoldingsAudit(
        around, calls, group -> unsound.containsKey(group) || discarding.contains(group.file()));
  }

  public RepairCalls calls() {
    return calls;
  }

  @Override
  public long claims() {
    return claims;
  }

  /**
   * Refuses while an audit is under way: it may have counted the file as held by another ring map.
   */
  @Override
  public boolean beginDiscard(FileKey file, long before) {
    boolean quiet =
        claims == before
            && pass.isEmpty()
            && !surveying
            && inHand.stream().noneMatch(group -> group.file().equals(file));
    return quiet && discarding.add(file);
  }

  @Override
  public void endDiscard(FileKey file) {
    discarding.remove(file);
  }

  /** Begins what may be begun. */
  private void work() {
    if (stopped) {
      return;
    }
    boolean begun = true;
    while (begun && ofRecord + ofAudit < AT_A_TIME) {
      begun =
          ofRecord <= ofAudit
              ? beginRecorded() || beginAudited()
              : beginAudited() || beginRecorded();
    }
    waiting = pass.map(AuditPass::waiting).orElse(0);
    if (pass.isPresent() && pass.get().wantsMore()) {
      fetch(pass.get());
    } else if (pass.isPresent() && pass.get().isOver() && !ending) {
      end(pass.get());
    }
  }

  private boolean beginRecorded() {
    Optional<RingMap> ring = newestRing();
    Optional<Lacking> next =
        ring.isEmpty()
            ? Optional.empty()
            : recorded.take(item -> !isInHand(item) && !isDone(item) && !isResting(item));
    next.ifPresent(
        item -> {
          ofRecord++;
          begin(item, ring.get(), Optional.empty());
        });
    return next.isPresent();
  }

  private boolean beginAudited() {
    Optional<Lacking> next =
        pass.flatMap(now -> now.take(this::isDoneOrNowhere, this::isResting, this::isInHand));
    next.ifPresent(
        item -> {
          ofAudit++;
          begin(item, pass.get().audit().ring(), pass);
        });
    return next.isPresent();
  }

  private boolean isInHand(Lacking item) {
    return inHand.contains(item.key()) || discarding.contains(item.key().file());
  }

  private boolean isDone(Lacking item) {
    return history.isDone(item.wanted(), loop.nanoTime());
  }

  private boolean isDoneOrNowhere(Lacking item) {
    return isDone(item) || history.isNowhere(item.wanted(), loop.nanoTime());
  }

  private boolean isResting(Lacking item) {
    return history.isResting(item.wanted(), loop.nanoTime());
  }

  /** The published map may be older than the one that an audit used. */
  private Optional<RingMap> newestRing() {
    Optional<RingMap> published = around.ring().get();
    return published.isPresent()
            && auditedRing.map(known -> known.epoch() <= published.get().epoch()).orElse(true)
        ? published
        : auditedRing;
  }

  private void begin(Lacking item, RingMap ring, Optional<AuditPass> of) {
    inHand.add(item.key());
    Optional<Long> finding = Optional.ofNullable(unsound.get(item.key()));
    var unused =
        copier
            .repair(item.wanted(), ring, !item.differing())
            .whenCompleteAsync(
                (repaired, failure) -> {
                  inHand.remove(item.key());
                  if (of.isPresent()) {
                    ofAudit--;
                  } else {
                    ofRecord--;
                  }
                  if (failure == null) {
                    onRepaired(item, repaired, finding);
                    of.ifPresent(AuditPass::onDone);
                  } else {
                    onFailed(item, Causes.asVdfs(failure));
                    of.ifPresent(begun -> begun.onFailed(item));
                  }
                  work();
                },
                loop);
  }

  /**
   * @param finding of damage that was known as the repair began
   */
  private void onRepaired(Lacking item, Repaired repaired, Optional<Long> finding) {
    if (repaired.outcome() == Repaired.Outcome.NOWHERE) {
      onNowhere(item, repaired.reason());
      return;
    }
    claims++;
    history.onDone(item.wanted(), loop.nanoTime());
    finding.ifPresent(known -> unsound.remove(item.key(), known));
    counters.increment(
        switch (repaired.outcome()) {
          case COPIED -> RepairCounter.GROUPS_COPIED;
          case SAME -> RepairCounter.GROUPS_VERIFIED;
          case GONE -> RepairCounter.GROUPS_GONE;
          case NOWHERE -> throw new IllegalArgumentException(repaired.toString());
        });
    counters.add(RepairCounter.BYTES_COPIED, repaired.bytes());
    if (item.recorded() && repaired.outcome() != Repaired.Outcome.GONE) {
      lifts.add(item.wanted());
      if (lifts.isFull()) {
        sendLifts();
      }
    }
  }

  private void onNowhere(Lacking item, String reason) {
    counters.increment(RepairCounter.FAILED);
    int failures = history.onFailed(item.wanted(), true, loop.nanoTime());
    log.onFailed(loop.nanoTime(), item, failures, new VdfsException(ErrorCode.UNAVAILABLE, reason));
  }

  private void onFailed(Lacking item, VdfsException failure) {
    counters.increment(RepairCounter.FAILED);
    int failures = history.onFailed(item.wanted(), false, loop.nanoTime());
    if (failure.code() == ErrorCode.NO_SPACE) {
      var unused =
          CompletableFuture.supplyAsync(() -> around.own().fullVolumes(), around.workers())
              .thenAcceptAsync(full -> log.onNoSpace(full, failure), loop);
    } else {
      log.onFailed(loop.nanoTime(), item, failures, failure);
    }
  }

  private void sendLifts() {
    if (lifts.isEmpty() || lifts.isSending()) {
      return;
    }
    var unused =
        lifts
            .send()
            .whenCompleteAsync(
                (lifted, failure) -> {
                  if (failure == null) {
                    counters.add(RepairCounter.LIFTED, lifted);
                    lifts.onSent().forEach(damage::add);
                  } else {
                    lifts.onFailed().forEach(damage::add);
                  }
                },
                loop);
  }

  private void fetch(AuditPass now) {
    boolean nothingYet = now.found() == 0;
    var unused =
        now.fetch()
            .whenCompleteAsync(
                (done, failure) -> {
                  if (failure != null) {
                    onBroken(Causes.asVdfs(failure));
                    return;
                  }
                  auditedRing = Optional.of(now.audit().ring());
                  schedule.onMapKnown(now.audit().ring().epoch());
                  if (nothingYet && now.found() > 0) {
                    log.onFound(now);
                  }
                  work();
                },
                loop);
  }

  /** A pass whose map is over begins anew; one without an answer later. */
  private void onBroken(VdfsException failure) {
    if (failure.code() == ErrorCode.STALE_RING) {
      beginPass();
      work();
    } else {
      log.onAuditFailed(failure);
      pass = Optional.empty();
      schedule.onUnclean(loop.nanoTime(), 0);
    }
  }

  private void end(AuditPass over) {
    ending = true;
    List<Integer> joined = over.joined();
    if (joined.isEmpty() || doubted) {
      ended(over, 0, over.isClean() && !doubted);
      return;
    }
    var unused =
        calls
            .promote(joined, over.audit().sequence())
            .whenCompleteAsync(
                (promoted, failure) -> {
                  if (failure != null) {
                    log.onUnpromoted(Causes.asVdfs(failure));
                    ended(over, 0, false);
                  } else {
                    onPromoted(over, promoted);
                  }
                },
                loop);
  }

  /** The map has changed, so that another audit has to confirm that all is there. */
  private void onPromoted(AuditPass over, PromoteResult promoted) {
    counters.add(RepairCounter.PROMOTED_ARCS, promoted.getPromoted());
    ended(over, promoted.getPromoted(), over.isClean() && !doubted);
    onRingSeen(promoted.getEpoch());
  }

  private void ended(AuditPass over, int promoted, boolean clean) {
    long now = loop.nanoTime();
    ending = false;
    claims++;
    pass = Optional.empty();
    counters.increment(RepairCounter.AUDITS);
    log.onEnded(over, promoted);
    sendLifts();
    if (!clean) {
      schedule.onUnclean(now, promoted);
      return;
    }
    cleanSince = now;
    schedule.onClean(passBegun, now);
    if (over.joined().isEmpty()) {
      confirmation.onClean(
          new Confirmation.Found(over.audit().ring().epoch(), over.audit().sequence()), now);
      confirmation.sendIfDue(now);
    }
  }
}
