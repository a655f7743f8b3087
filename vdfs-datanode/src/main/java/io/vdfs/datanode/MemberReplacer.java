package io.vdfs.datanode;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.datanode.meta.raft.GroupMember;
import io.vdfs.datanode.meta.raft.GroupStatus;
import io.vdfs.datanode.meta.service.ThreadServiceLoop;
import io.vdfs.datanode.rpc.MemberChange;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replaces metadata members that are missing for long, one at a time, on the node that leads the
 * group; on others it only waits. What a change by an operator would be refused for is refused here
 * too. Has a thread of its own.
 */
final class MemberReplacer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MemberReplacer.class);
  private static final Duration PERIOD = Duration.ofSeconds(1);

  /** After a change that failed. */
  private static final Duration RETRY = Duration.ofSeconds(30);

  private final MetadataHost host;
  private final MemberChanges changes;
  private final MissingMembers missing;
  private final ThreadServiceLoop loop = new ThreadServiceLoop("vdfs-member-replacer");
  // confined to the loop
  private Optional<NodeId> trying = Optional.empty();

  private MemberReplacer(MetadataHost host, MemberChanges changes, Duration patience) {
    this.host = host;
    this.changes = changes;
    this.missing = new MissingMembers(patience);
  }

  /**
   * @param patience how long a member may be missing
   */
  static MemberReplacer start(MetadataHost host, MemberChanges changes, Duration patience) {
    MemberReplacer replacer = new MemberReplacer(host, changes, patience);
    replacer.loop.schedule(PERIOD, replacer::look);
    return replacer;
  }

  private void look() {
    Duration pause = RETRY;
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
    Optional<NodeId> tried = trying;
    trying = Optional.empty();
    if (tried.isPresent() && last.filter(MemberChange::hasFailed).isPresent()) {
      missing.onFailure(tried.get());
      return RETRY;
    }
    Optional<GroupMember> leader = host.member().filter(GroupMember::isLeader);
    if (leader.isEmpty()) {
      missing.forget();
      return PERIOD;
    }
    GroupStatus status = leader.get().status();
    return status.isSettled() ? replace(leader.get(), status) : PERIOD;
  }

  private Duration replace(GroupMember leader, GroupStatus status) {
    Optional<MissingMembers.Replacement> overdue =
        missing.overdue(
            status.configuration().members(), leader::hears, host.snapshot(), loop.nanoTime());
    if (overdue.isEmpty()) {
      return PERIOD;
    }
    MissingMembers.Replacement replacement = overdue.get();
    LOG.warn(
        "A metadata member is missing for too long: node={}, replaced by={}",
        replacement.missing(),
        replacement.successor());
    try {
      changes.begin(Optional.of(replacement.missing()), Optional.of(replacement.successor()));
      trying = Optional.of(replacement.successor());
      return PERIOD;
    } catch (VdfsException e) {
      LOG.warn("Missing metadata member not replaced: {}", e.getMessage());
      missing.onFailure(replacement.successor());
      return RETRY;
    }
  }

  @Override
  public void close() {
    loop.close();
  }
}
