package io.vdfs.datanode.meta.raft;

import io.vdfs.common.model.NodeId;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;

/**
 * Whether a majority has acknowledged this leader so recently that there can be no other one.
 * Thread-safe.
 *
 * <p>Ratis answers a linearizable read without asking anybody where the commit index was confirmed
 * by an earlier read, even when its own lease has run out. A leader that was cut off and replaced
 * in between would answer from the past. So a read's answer is let out only while this lease holds
 * after the read; the age of an acknowledgement counts from when its request was sent.
 */
final class QuorumLease {
  /** Part of the shortest election time-out; the rest is for clocks of unequal speed. */
  private static final double SHARE = 0.9;

  private final long limitMillis;
  private final long lostMillis;

  private LeaderState leadership; // guarded by this
  private final Map<RaftPeerId, LogAppender> appenders = new HashMap<>(); // guarded by this

  QuorumLease(Duration electionTimeoutMin, Duration electionTimeoutMax) {
    this.limitMillis = (long) (electionTimeoutMin.toMillis() * SHARE);
    this.lostMillis = electionTimeoutMax.toMillis();
  }

  /** Learns of the appender that serves one follower during one leadership. */
  synchronized void onAppender(LeaderState leader, LogAppender appender) {
    if (leadership != leader) {
      leadership = leader;
      appenders.clear();
    }
    appenders.put(appender.getFollowerId(), appender);
  }

  /**
   * @param self this member, which needs nobody to acknowledge to itself
   * @param members as Raft has them now: while they change, a majority of both is needed
   */
  boolean isValid(NodeId self, GroupConfiguration members) {
    return isAcknowledgedWithin(limitMillis, self, members);
  }

  /**
   * Whether this leader has been without a majority for so long that the others are free to elect
   * another one. Ratis' leader finds that out only when nobody asks it for anything for a while.
   */
  boolean isLost(NodeId self, GroupConfiguration members) {
    return !isAcknowledgedWithin(lostMillis, self, members);
  }

  /** Whether a follower has acknowledged this leader within the longest election timeout. */
  boolean hears(NodeId follower) {
    return acknowledged(follower, lostMillis);
  }

  private boolean isAcknowledgedWithin(long millis, NodeId self, GroupConfiguration members) {
    return members.isMajority(node -> node.equals(self) || acknowledged(node, millis));
  }

  /** Followers that were removed are still known here; only members are asked for. */
  private synchronized boolean acknowledged(NodeId node, long millis) {
    LogAppender appender = appenders.get(RaftPeerId.valueOf(node.toString()));
    return appender != null
        && appender.getFollower().getLastRespondedAppendEntriesSendTime().elapsedTimeMs() < millis;
  }

  /** Asks the followers for a sign of life; returns at once. */
  synchronized void renew() {
    appenders.values().forEach(LogAppender::triggerHeartbeat);
  }
}
