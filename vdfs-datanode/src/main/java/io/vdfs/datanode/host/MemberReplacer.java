package io.vdfs.datanode.host;

import io.vdfs.common.cluster.record.ClusterProperties;
import io.vdfs.common.cluster.record.MetadataMember;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.wire.proto.ClusterRecordQuery;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.datanode.loop.ThreadServiceLoop;
import io.vdfs.datanode.meta.group.GroupMember;
import io.vdfs.datanode.meta.group.GroupStatus;
import io.vdfs.datanode.meta.state.nodes.NodeMarks;
import io.vdfs.datanode.rpc.MemberChange;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replaces metadata members that leave the cluster or are missing for long, does without them where
 * no node can step in, and raises a group that has fewer members than suit its ring, one at a time,
 * on the node that leads the group; on others it only waits. A change that would be refused to an
 * operator is refused here too. Has a thread of its own.
 */
public final class MemberReplacer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MemberReplacer.class);
  private static final Duration PERIOD = Duration.ofSeconds(1);

  /** The pause after a change that failed; doubles after each further one. */
  private static final Duration FIRST_RETRY = Duration.ofSeconds(4);

  private static final Duration LONGEST_RETRY = Duration.ofSeconds(30);

  private final MetadataHost host;
  private final MemberChanges changes;
  private final ClusterProperties properties;
  private final NextMember next = new NextMember();
  private final MissingMembers missing;
  private final ThreadServiceLoop loop = new ThreadServiceLoop("vdfs-member-replacer");
  // confined to the loop
  private boolean trying;
  private Duration retry = FIRST_RETRY;
  private Optional<NodeId> unseated = Optional.empty();

  private MemberReplacer(
      MetadataHost host, MemberChanges changes, ClusterProperties properties, Duration patience) {
    this.host = host;
    this.changes = changes;
    this.properties = properties;
    this.missing = new MissingMembers(patience, next, properties.metadataMembers() == 0);
  }

  /**
   * @param patience how long a member may be missing; zero for ever
   */
  public static MemberReplacer start(
      MetadataHost host, MemberChanges changes, ClusterProperties properties, Duration patience) {
    MemberReplacer replacer = new MemberReplacer(host, changes, properties, patience);
    replacer.loop.schedule(PERIOD, replacer::look);
    return replacer;
  }

  private void look() {
    Duration pause = LONGEST_RETRY;
    try {
      pause = lookOnce();
    } finally {
      loop.schedule(pause, this::look);
    }
  }

  /** Returns when to look again. */
  private Duration lookOnce() {
    Optional<MemberChange> last = changes.last();
    if (last.filter(MemberChange::isUnderWay).isPresent()) {
      return PERIOD;
    }
    boolean tried = trying;
    trying = false;
    if (tried && last.filter(MemberChange::hasFailed).isPresent()) {
      last.get().added().ifPresent(next::onFailure);
      return afterFailure();
    }
    if (tried) {
      retry = FIRST_RETRY;
    }
    Optional<GroupMember> leader = host.member().filter(GroupMember::isLeader);
    if (leader.isEmpty()) {
      missing.forget();
      next.forget();
      return PERIOD;
    }
    GroupStatus status = leader.get().status();
    Optional<NodeMarks> marks = marks();
    if (!status.isSettled() || marks.isEmpty()) {
      return PERIOD;
    }
    Set<NodeId> going = new TreeSet<>(marks.get().leaving());
    going.addAll(marks.get().gone());
    next.exclude(going);
    Optional<LeavingMembers.Move> move =
        LeavingMembers.next(
            status.configuration().members(), marks.get().leaving(), host.snapshot(), next);
    return move.isPresent()
        ? unseat(move.get())
        : replace(leader.get(), status, marks.get().gone());
  }

  /** The decisions of operators about nodes; empty while they can't be had. */
  private Optional<NodeMarks> marks() {
    MetaRequest question =
        MetaRequest.newBuilder().setClusterRecord(ClusterRecordQuery.getDefaultInstance()).build();
    return host.dispatcher()
        .map(group -> group.call(question).join())
        .filter(answer -> !answer.hasError())
        .map(answer -> NodeMarks.of(answer.getClusterRecord()));
  }

  private Duration unseat(LeavingMembers.Move move) {
    LOG.info(
        "A metadata member leaves the cluster: node={}, replaced by={}",
        move.leaving(),
        move.successor().map(NodeId::toString).orElse("nobody"));
    unseated = Optional.of(move.leaving());
    return change(Optional.of(move.leaving()), move.successor());
  }

  private Duration replace(GroupMember leader, GroupStatus status, Set<NodeId> gone) {
    Optional<MissingMembers.Replacement> overdue =
        missing.overdue(
            status.configuration().members(),
            gone,
            leader::hears,
            host.snapshot(),
            loop.nanoTime());
    if (overdue.isEmpty()) {
      return grow(status);
    }
    MissingMembers.Replacement replacement = overdue.get();
    LOG.warn(
        "A metadata member is missing for too long: node={}, replaced by={}",
        replacement.missing(),
        replacement.successor().map(NodeId::toString).orElse("nobody"));
    unseated = Optional.of(replacement.missing());
    return change(unseated, replacement.successor());
  }

  private Duration grow(GroupStatus status) {
    List<MetadataMember> members = status.configuration().members();
    Optional<NodeId> addition =
        next.addition(
            properties, members, host.snapshot(), changes.last().filter(this::isOperators));
    if (addition.isEmpty()) {
      return PERIOD;
    }
    LOG.info(
        "The metadata group has fewer members than suit its ring: members={}, added={}",
        members.size(),
        addition.get());
    return change(Optional.empty(), addition);
  }

  private boolean isOperators(MemberChange last) {
    return unseated.isEmpty() || !last.removed().equals(unseated);
  }

  /** Returns when to look again. */
  private Duration change(Optional<NodeId> removed, Optional<NodeId> added) {
    try {
      changes.begin(removed, added);
      trying = true;
      return PERIOD;
    } catch (VdfsException e) {
      LOG.warn("Metadata members not changed: {}", e.getMessage());
      added.ifPresent(next::onFailure);
      return afterFailure();
    }
  }

  private Duration afterFailure() {
    Duration pause = retry;
    Duration twice = pause.multipliedBy(2);
    retry = twice.compareTo(LONGEST_RETRY) < 0 ? twice : LONGEST_RETRY;
    return pause;
  }

  @Override
  public void close() {
    loop.close();
  }
}
