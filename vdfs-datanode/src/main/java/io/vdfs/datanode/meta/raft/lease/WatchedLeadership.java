package io.vdfs.datanode.meta.raft.lease;

import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;
import org.apache.ratis.server.protocol.TermIndex;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A leadership as one log appender sees it, which tells a {@link QuorumLease} of what the follower
 * acknowledges. Thread-safe.
 *
 * <p>It also helps a follower that has lost the end of its log, or all of it. Ratis never sends
 * again what the follower acknowledged to this leader once, and goes on asking for what comes after
 * that. So the appender is started again, without that memory, which is wrong anyway: what is lost
 * counts for no majority.
 *
 * <p>Ratis itself notes when a request was sent that was answered, even where the answer is that
 * another one leads by now: it steps down for that a moment later.
 */
final class WatchedLeadership implements LeaderState {
  private static final Logger LOG = LoggerFactory.getLogger(WatchedLeadership.class);

  /** A follower that answers nothing is asked for ever; the oldest requests are forgotten. */
  private static final int MOST_ASKED = 1_024;

  /** One such answer may have been overtaken by an acknowledgement. */
  private static final int LOSSES_TOLD = 3;

  private final LeaderState leadership;
  private final QuorumLease lease;

  /** When each request was made, by its number. */
  private final TreeMap<Long, Long> asked = new TreeMap<>(); // guarded by itself

  /** Answers in turn that the follower lacks what it had acknowledged. */
  private final AtomicInteger losses = new AtomicInteger();

  WatchedLeadership(LeaderState leadership, QuorumLease lease) {
    this.leadership = leadership;
    this.lease = lease;
  }

  @Override
  public AppendEntriesRequestProto newAppendEntriesRequestProto(
      FollowerInfo follower, List<LogEntryProto> entries, TermIndex previous, long callId) {
    synchronized (asked) {
      asked.put(callId, lease.nanoTime());
      if (asked.size() > MOST_ASKED) {
        asked.pollFirstEntry();
      }
    }
    return leadership.newAppendEntriesRequestProto(follower, entries, previous, callId);
  }

  @Override
  public void onAppendEntriesReply(LogAppender appender, AppendEntriesReplyProto reply) {
    if (reply.getResult() != AppendResult.NOT_LEADER) {
      onAcknowledged(appender, reply.getServerReply().getCallId());
    }
    leadership.onAppendEntriesReply(appender, reply);
    boolean lost =
        reply.getResult() == AppendResult.INCONSISTENCY
            && reply.getNextIndex() <= appender.getFollower().getMatchIndex();
    if (!lost && !reply.getIsHearbeat()) {
      losses.set(0);
    } else if (lost && losses.incrementAndGet() == LOSSES_TOLD) {
      LOG.warn(
          "follower lacks what it had acknowledged, it gets its log again: follower={},"
              + " acknowledged={}, lacks={}",
          appender.getFollowerId(),
          appender.getFollower().getMatchIndex(),
          reply.getNextIndex());
      leadership.restart(appender);
    }
  }

  private void onAcknowledged(LogAppender appender, long callId) {
    Long since;
    synchronized (asked) {
      since = asked.get(callId);
      asked.headMap(callId, true).clear();
    }
    if (since != null) {
      lease.onAcknowledged(leadership, appender.getFollowerId(), since);
    }
  }

  @Override
  public void restart(LogAppender appender) {
    leadership.restart(appender);
  }

  @Override
  public void checkHealth(FollowerInfo follower) {
    leadership.checkHealth(follower);
  }

  @Override
  public boolean onFollowerTerm(FollowerInfo follower, long followerTerm) {
    return leadership.onFollowerTerm(follower, followerTerm);
  }

  @Override
  public void onFollowerCommitIndex(FollowerInfo follower, long commitIndex) {
    leadership.onFollowerCommitIndex(follower, commitIndex);
  }

  @Override
  public void onFollowerSuccessAppendEntries(FollowerInfo follower) {
    leadership.onFollowerSuccessAppendEntries(follower);
  }

  @Override
  public boolean isFollowerBootstrapping(FollowerInfo follower) {
    return leadership.isFollowerBootstrapping(follower);
  }
}
