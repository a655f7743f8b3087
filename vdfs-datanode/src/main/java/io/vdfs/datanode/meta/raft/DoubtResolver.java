package io.vdfs.datanode.meta.raft;

import io.vdfs.common.concurrent.DaemonThreads;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.NodeId;
import io.vdfs.datanode.meta.group.GroupConfiguration;
import io.vdfs.datanode.meta.group.GroupCounter;
import io.vdfs.datanode.meta.group.GroupStatus;
import io.vdfs.datanode.meta.group.LogDoubt;
import io.vdfs.datanode.meta.group.PeerLogs;
import io.vdfs.datanode.meta.raft.disk.DoubtNote;
import io.vdfs.datanode.meta.raft.disk.MemberDirectory;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.ratis.server.protocol.TermIndex;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the doubt about a log that may lack entries which its member acknowledged. Looks from time
 * to time, on a thread of its own, until the doubt is settled.
 *
 * <p>In order:
 *
 * <ol>
 *   <li>A leader says what its newest entry is. When this member has that entry, committed, and the
 *       leader is still the same, the doubt is settled: what was acknowledged lies in the leader's
 *       log, and so in this one.
 *   <li>Where there is no leader, every other member says what its newest entry is. The newest of
 *       all is then such that a log which reaches it lacks nothing that is left anywhere. A log
 *       that was emptied does not tell what it held: then there is no such answer.
 * </ol>
 *
 * <p>Why nothing acknowledged is lost by that stands in docs/decisions/0021-damaged-raft-logs.md.
 */
final class DoubtResolver implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DoubtResolver.class);

  private final MemberDirectory directory;
  private final DoubtNote note;
  private final UUID group;
  private final NodeId self;
  private final DoubtGuard guard;
  private final OwnDivision own;
  private final Candidacy candidacy;
  private final PeerLogs peers;
  private final Counters<GroupCounter> counters;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(DaemonThreads.named("vdfs-log-doubt"));

  /** The goal of this member under one leader; confined to the timer. */
  private Optional<Goal> goal = Optional.empty();

  private record Goal(NodeId leader, long term, long index) {}

  DoubtResolver(
      MemberDirectory directory,
      DoubtNote note,
      UUID group,
      NodeId self,
      DoubtGuard guard,
      OwnDivision own,
      Candidacy candidacy,
      PeerLogs peers,
      Counters<GroupCounter> counters) {
    this.directory = directory;
    this.note = note;
    this.group = group;
    this.self = self;
    this.guard = guard;
    this.own = own;
    this.candidacy = candidacy;
    this.peers = peers;
    this.counters = counters;
  }

  void start(Duration period) {
    candidacy.forbid();
    var unused =
        timer.scheduleWithFixedDelay(
            this::look, 0, Math.max(1, period.toMillis()), TimeUnit.MILLISECONDS);
  }

  private void look() {
    try {
      resolve();
    } catch (IOException | RuntimeException e) {
      LOG.warn("the log stays in doubt: cause={}", note.cause(), e);
    }
  }

  private void resolve() throws IOException {
    GroupStatus mine = own.status();
    if (own.isLeader() || goal.filter(aim -> isReached(aim, mine)).isPresent()) {
      settle(mine);
      return;
    }
    Map<NodeId, GroupStatus> answers = new HashMap<>();
    boolean all = askAll(mine, answers);
    goal =
        answers.entrySet().stream()
            .filter(answer -> answer.getValue().role() == GroupStatus.Role.LEADER)
            .filter(answer -> answer.getValue().term() >= newestTerm(mine, answers))
            .findAny()
            .map(
                answer ->
                    new Goal(answer.getKey(), answer.getValue().term(), answer.getValue().last()));
    if (goal.isEmpty() && all && note.cause() == LogDoubt.TORN) {
      limit(mine, answers);
    }
    if (guard.mayStand()) {
      candidacy.allow();
    } else {
      candidacy.forbid();
    }
  }

  private static long newestTerm(GroupStatus mine, Map<NodeId, GroupStatus> answers) {
    return answers.values().stream().mapToLong(GroupStatus::term).reduce(mine.term(), Math::max);
  }

  private static boolean isReached(Goal aim, GroupStatus mine) {
    return mine.leader().equals(Optional.of(aim.leader()))
        && mine.term() == aim.term()
        && mine.committed() >= aim.index();
  }

  /**
   * Asks the leader and the members by each answer's configuration, as this member's own may be
   * older.
   *
   * @return whether all of them answered
   */
  private boolean askAll(GroupStatus mine, Map<NodeId, GroupStatus> answers) {
    Set<NodeId> asked = new HashSet<>();
    asked.add(self);
    Set<NodeId> next = new HashSet<>(members(mine));
    mine.leader().ifPresent(next::add);
    next.removeAll(asked);
    boolean all = !mine.configuration().members().isEmpty();
    while (!next.isEmpty()) {
      Map<NodeId, CompletableFuture<Optional<GroupStatus>>> waiting = new HashMap<>();
      next.forEach(node -> waiting.put(node, peers.ask(group, node)));
      asked.addAll(next);
      next = new HashSet<>();
      for (Map.Entry<NodeId, CompletableFuture<Optional<GroupStatus>>> one : waiting.entrySet()) {
        Optional<GroupStatus> answer =
            one.getValue().join().filter(status -> status.role() != GroupStatus.Role.ENDED);
        if (answer.isPresent()) {
          answers.put(one.getKey(), answer.get());
          next.addAll(members(answer.get()));
        } else {
          all = false;
        }
      }
      next.removeAll(asked);
    }
    return all;
  }

  private static Set<NodeId> members(GroupStatus status) {
    Set<NodeId> ids = new HashSet<>();
    GroupConfiguration known = status.configuration();
    Stream.concat(known.members().stream(), known.previous().stream())
        .forEach(member -> ids.add(member.id()));
    return ids;
  }

  private void limit(GroupStatus mine, Map<NodeId, GroupStatus> answers) {
    boolean emptied =
        answers.values().stream()
            .anyMatch(answer -> answer.doubt().equals(Optional.of(LogDoubt.EMPTIED)));
    if (emptied) {
      return;
    }
    TermIndex bound =
        Stream.concat(answers.values().stream(), Stream.of(mine))
            .map(DoubtResolver::last)
            .max(TermIndex::compareTo)
            .orElseThrow();
    guard.limit(bound, last(mine));
    LOG.info(
        "all members told what they have: own={}, newest={}, may stand={}",
        last(mine),
        bound,
        guard.mayStand());
  }

  private static TermIndex last(GroupStatus status) {
    return TermIndex.valueOf(status.lastTerm(), status.last());
  }

  private void settle(GroupStatus mine) throws IOException {
    directory.settleDoubt();
    counters.increment(GroupCounter.DOUBTS_SETTLED);
    guard.settle();
    candidacy.allow();
    LOG.info(
        "this member's log lacks nothing any more: last={}, committed={}, was damaged at={}",
        last(mine),
        mine.committed(),
        note.reached());
    timer.shutdown();
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
