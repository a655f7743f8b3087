package io.vdfs.datanode.meta.raft;

import java.util.List;
import java.util.TreeMap;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;
import org.apache.ratis.server.protocol.TermIndex;

/**
 * A leadership as one log appender sees it, which tells a {@link QuorumLease} of what the follower
 * acknowledges. Thread-safe.
 *
 * <p>Ratis itself notes when a request was sent that was answered, even where the answer is that
 * another one leads by now: it steps down for that a moment later.
 */
final class WatchedLeadership implements LeaderState {
  /** A follower that answers nothing is asked for ever; the oldest requests are forgotten. */
  private static final int MOST_ASKED = 1_024;

  private final LeaderState leadership;
  private final QuorumLease lease;

  /** When each request was made, by its number. */
  private final TreeMap<Long, Long> asked = new TreeMap<>(); // guarded by itself

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
