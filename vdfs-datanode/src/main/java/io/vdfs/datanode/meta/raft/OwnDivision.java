package io.vdfs.datanode.meta.raft;

import io.vdfs.common.model.NodeId;
import io.vdfs.datanode.meta.group.GroupConfiguration;
import io.vdfs.datanode.meta.group.GroupStatus;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.ratis.protocol.RaftClientAsynchronousProtocol;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.statemachine.SnapshotInfo;
import org.apache.ratis.util.LifeCycle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a server of Ratis knows of its part in the group. While it starts, and after it was closed,
 * it knows of no leader and of the configuration that was seen last. Thread-safe.
 */
final class OwnDivision {
  private static final Logger LOG = LoggerFactory.getLogger(OwnDivision.class);

  private static final GroupConfiguration NOT_YET =
      new GroupConfiguration(-1, List.of(), List.of());

  private final RaftServer server;
  private final RaftGroupId groupId;
  private final DoubtGuard doubt;

  private final StartWatch start = new StartWatch(System::nanoTime);

  private volatile SeenConfiguration seen = new SeenConfiguration(null, NOT_YET);

  /** A configuration as Ratis has it, and what was read from it. */
  private record SeenConfiguration(RaftConfiguration raft, GroupConfiguration read) {}

  OwnDivision(RaftServer server, RaftGroupId groupId, DoubtGuard doubt) {
    this.server = server;
    this.groupId = groupId;
    this.doubt = doubt;
  }

  /** Whether this member leads and has applied all that leaders before it acknowledged. */
  boolean isLeader() {
    return info().map(DivisionInfo::isLeaderReady).orElse(false);
  }

  Optional<NodeId> leader() {
    Optional<NodeId> leader =
        info().map(DivisionInfo::getLeaderId).map(id -> NodeId.parse(id.toString()));
    if (leader.isPresent()) {
      start.onLeader();
    }
    return leader;
  }

  /** Whether this member has started lately and known no leader yet. */
  boolean isStarting() {
    return start.isStarting();
  }

  /** 0 if it is not known. */
  long term() {
    return info().map(DivisionInfo::getCurrentTerm).orElse(0L);
  }

  /**
   * Takes requests on the calling thread. The server would hand each to a thread of its own and
   * wait for that.
   *
   * @throws IOException if the server is closed
   */
  RaftClientAsynchronousProtocol requests() throws IOException {
    return (RaftClientAsynchronousProtocol) server.getDivision(groupId);
  }

  /** Empty if it is not alive. */
  private Optional<DivisionInfo> info() {
    return division().map(RaftServer.Division::getInfo).filter(DivisionInfo::isAlive);
  }

  private Optional<RaftServer.Division> division() {
    try {
      return Optional.of(server.getDivision(groupId));
    } catch (IOException e) {
      LOG.debug("no division: group={}", groupId, e);
      return Optional.empty();
    }
  }

  @SuppressWarnings("ReferenceEquality") // Ratis replaces configurations, it never changes one
  GroupConfiguration configuration() {
    SeenConfiguration before = seen;
    RaftConfiguration now = division().map(RaftServer.Division::getRaftConf).orElse(before.raft());
    if (now == before.raft()) {
      return before.read();
    }
    GroupConfiguration read = RatisConfiguration.read(now);
    seen = new SeenConfiguration(now, read);
    return read;
  }

  GroupStatus status() {
    try {
      return division()
          .filter(division -> division.getInfo().isAlive())
          .map(division -> status(division, division.getInfo(), division.getRaftLog()))
          .orElseGet(this::ended);
    } catch (IllegalStateException e) {
      LOG.debug("ended meanwhile: group={}", groupId, e); // a closed log answers nothing
      return ended();
    }
  }

  private GroupStatus ended() {
    return new GroupStatus(
        GroupStatus.Role.ENDED, 0, Optional.empty(), configuration(), 0, -1, -1, -1, doubt.cause());
  }

  private GroupStatus status(RaftServer.Division division, DivisionInfo info, RaftLog log) {
    TermIndex last = last(division, log);
    return new GroupStatus(
        role(division),
        info.getCurrentTerm(),
        leader(),
        configuration(),
        last.getTerm(),
        last.getIndex(),
        log.getLastCommittedIndex(),
        info.getLastAppliedIndex(),
        doubt.cause());
  }

  /** The last entry; that of the snapshot where there is no log behind it. */
  private static TermIndex last(RaftServer.Division division, RaftLog log) {
    TermIndex entry = log.getLastEntryTermIndex();
    SnapshotInfo snapshot = division.getStateMachine().getLatestSnapshot();
    TermIndex image = snapshot == null ? TermIndex.INITIAL_VALUE : snapshot.getTermIndex();
    return entry == null || entry.getIndex() < image.getIndex() ? image : entry;
  }

  private static GroupStatus.Role role(RaftServer.Division division) {
    LifeCycle.State state = division.getInfo().getLifeCycleState();
    if (state.isClosingOrClosed()) {
      return GroupStatus.Role.ENDED;
    }
    if (state == LifeCycle.State.NEW || state == LifeCycle.State.STARTING) {
      return GroupStatus.Role.WAITING;
    }
    return switch (division.getInfo().getCurrentRole()) {
      case LEADER -> GroupStatus.Role.LEADER;
      case CANDIDATE -> GroupStatus.Role.CANDIDATE;
      default -> GroupStatus.Role.FOLLOWER;
    };
  }
}
