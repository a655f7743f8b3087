package io.vdfs.datanode.meta.raft.lease;

import io.vdfs.common.model.NodeId;
import io.vdfs.datanode.meta.group.GroupConfiguration;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;

/**
 * Whether a majority has acknowledged this leader so recently that there can be no other one.
 * Thread-safe.
 *
 * <p>Ratis answers a linearizable read without asking any member where the commit index was
 * confirmed by an earlier read, even when its own lease has run out. A leader that was cut off and
 * replaced in between would answer from the past. So a read's answer is let out only while this
 * lease holds after the read; the age of an acknowledgement counts from when its request was made.
 */
public final class QuorumLease {
  /** Part of the shortest election time-out; the rest is for clocks of unequal speed. */
  private static final double SHARE = 0.9;

  private final long limitNanos;
  private final long lostNanos;
  private final LongSupplier nanoClock;

  private LeaderState leadership; // guarded by this
  private long begun; // guarded by this
  private final Map<RaftPeerId, LogAppender> appenders = new HashMap<>(); // guarded by this

  /** When the last request was made that the follower acknowledged. */
  private final Map<RaftPeerId, Long> acknowledged = new HashMap<>(); // guarded by this

  public QuorumLease(
      Duration electionTimeoutMin, Duration electionTimeoutMax, LongSupplier nanoClock) {
    this.limitNanos = (long) (electionTimeoutMin.toNanos() * SHARE);
    this.lostNanos = electionTimeoutMax.toNanos();
    this.nanoClock = nanoClock;
  }

  long nanoTime() {
    return nanoClock.getAsLong();
  }

  /** Learns of the appender that serves one follower during one leadership. */
  synchronized void onAppender(LeaderState leader, LogAppender appender) {
    if (leadership != leader) {
      leadership = leader;
      begun = nanoTime();
      appenders.clear();
      acknowledged.clear();
    }
    appenders.put(appender.getFollowerId(), appender);
  }

  /**
   * @param asked when the request was made by which the follower took this member for the leader
   */
  synchronized void onAcknowledged(LeaderState leader, RaftPeerId follower, long asked) {
    if (leadership == leader) {
      acknowledged.merge(follower, asked, (one, other) -> one - other > 0 ? one : other);
    }
  }

  /**
   * @param self this member, which needs no acknowledgement of its own
   * @param members as Raft has them now: while they change, a majority of both is needed
   */
  public synchronized boolean isValid(NodeId self, GroupConfiguration members) {
    return members.isMajority(
        node -> node.equals(self) || acknowledgedAfter(nanoTime() - limitNanos, node));
  }

  /**
   * Whether this leader has been without a majority for so long that the others are free to elect
   * another one. Ratis' leader finds that out only when it gets no requests for a while.
   */
  public boolean isLost(NodeId self, GroupConfiguration members) {
    return !members.isMajority(node -> node.equals(self) || hears(node));
  }

  /**
   * Whether a follower has acknowledged this leader within the longest election timeout, or this
   * leader is younger than that.
   */
  public synchronized boolean hears(NodeId follower) {
    long limit = nanoTime() - lostNanos;
    return begun - limit > 0 || acknowledgedAfter(limit, follower);
  }

  /** Followers that were removed are still known here; only members are asked for. */
  private synchronized boolean acknowledgedAfter(long limit, NodeId node) {
    Long asked = acknowledged.get(RaftPeerId.valueOf(node.toString()));
    return asked != null && asked - limit > 0;
  }

  /** Asks the followers for a sign of life; returns at once. */
  public synchronized void renew() {
    appenders.values().forEach(LogAppender::triggerHeartbeat);
  }
}
