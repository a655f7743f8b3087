package io.vdfs.datanode.meta.raft.lease;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.cluster.record.MetadataMember;
import io.vdfs.common.model.NodeId;
import io.vdfs.datanode.meta.group.GroupConfiguration;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.RaftRpcReplyProto;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;
import org.junit.jupiter.api.Test;

class QuorumLeaseTest {
  private final AtomicLong now = new AtomicLong(Duration.ofDays(1).toNanos());
  private final QuorumLease lease =
      new QuorumLease(Duration.ofSeconds(100), Duration.ofSeconds(200), now::get);

  private final NodeId self = new NodeId(new UUID(0, 0));
  private final NodeId a = new NodeId(new UUID(0, 1));
  private final NodeId b = new NodeId(new UUID(0, 2));
  private final NodeId c = new NodeId(new UUID(0, 3));
  private GroupConfiguration members = configuration(List.of(self, a, b), List.of());

  private final LeaderState leadership = stub(LeaderState.class, Map.of());
  private final AtomicInteger heartbeats = new AtomicInteger();

  private static <T> T stub(Class<T> type, Map<String, Object> answers) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> answers.get(method.getName())));
  }

  private LogAppender appender(NodeId follower) {
    return (LogAppender)
        Proxy.newProxyInstance(
            LogAppender.class.getClassLoader(),
            new Class<?>[] {LogAppender.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "getFollowerId" -> RaftPeerId.valueOf(follower.toString());
                  case "triggerHeartbeat" -> heartbeats.incrementAndGet();
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  /** A follower, and the age of what it acknowledged. */
  private void acknowledge(NodeId follower, int seconds) {
    lease.onAppender(leadership, appender(follower));
    RaftPeerId id = RaftPeerId.valueOf(follower.toString());
    lease.onAcknowledged(leadership, id, now.get() - Duration.ofSeconds(seconds).toNanos());
  }

  private void pass(int seconds) {
    now.addAndGet(Duration.ofSeconds(seconds).toNanos());
  }

  @Test
  void shouldHoldWhileOneOfTwoFollowersAcknowledged() {
    acknowledge(a, 10);
    acknowledge(b, 9_999);
    assertTrue(lease.isValid(self, members));
    assertFalse(lease.isLost(self, members));
  }

  @Test
  void shouldRunOutBeforeAnotherMemberCanBeElected() {
    acknowledge(a, 0);
    acknowledge(b, 0);
    pass(89);
    assertTrue(lease.isValid(self, members));
    pass(6);
    assertFalse(lease.isValid(self, members));
    assertFalse(lease.isLost(self, members));
    pass(150);
    assertTrue(lease.isLost(self, members));
    assertFalse(lease.hears(a));
    acknowledge(a, 10);
    assertTrue(lease.hears(a));
    assertFalse(lease.isLost(self, members));
  }

  @Test
  void shouldNotCountFollowersOfAnEarlierLeadership() {
    acknowledge(a, 10);
    LeaderState later = stub(LeaderState.class, Map.of());
    lease.onAppender(later, appender(b));
    assertFalse(lease.isValid(self, members));
    acknowledgeLate(a);
    assertFalse(lease.isValid(self, members));
  }

  private void acknowledgeLate(NodeId follower) {
    lease.onAcknowledged(leadership, RaftPeerId.valueOf(follower.toString()), now.get());
  }

  /** Ratis counts it as a sign of life, and steps down a moment later. */
  @Test
  void shouldNotTakeARefusalForAnAcknowledgement() {
    WatchedLeadership watched = new WatchedLeadership(leadership, lease);
    LogAppender follower = appender(a);
    lease.onAppender(leadership, follower);
    watched.newAppendEntriesRequestProto(null, List.of(), null, 5);
    watched.onAppendEntriesReply(follower, reply(5, AppendResult.NOT_LEADER));
    assertFalse(lease.isValid(self, members));
    watched.newAppendEntriesRequestProto(null, List.of(), null, 6);
    watched.newAppendEntriesRequestProto(null, List.of(), null, 7);
    pass(80);
    watched.onAppendEntriesReply(follower, reply(7, AppendResult.SUCCESS));
    assertTrue(lease.isValid(self, members));
    watched.onAppendEntriesReply(follower, reply(6, AppendResult.SUCCESS));
    pass(15);
    assertFalse(lease.isValid(self, members), "counts from the answer");
  }

  private static AppendEntriesReplyProto reply(long callId, AppendResult result) {
    return AppendEntriesReplyProto.newBuilder()
        .setServerReply(RaftRpcReplyProto.newBuilder().setCallId(callId))
        .setResult(result)
        .build();
  }

  @Test
  void shouldNeedTwoOfFourFollowers() {
    NodeId d = new NodeId(new UUID(0, 4));
    members = configuration(List.of(self, a, b, c, d), List.of());
    acknowledge(a, 10);
    assertFalse(lease.isValid(self, members));
    acknowledge(c, 80);
    assertTrue(lease.isValid(self, members));
    pass(15);
    assertFalse(lease.isValid(self, members), "the second freshest of four decides");
    acknowledge(d, 0);
    assertTrue(lease.isValid(self, members));
    assertFalse(lease.isLost(self, members));
    pass(190);
    acknowledge(a, 0);
    assertFalse(lease.isLost(self, members));
    pass(15);
    assertTrue(lease.isLost(self, members));
  }

  /** An even number needs more than its half, or two halves could have a leader each. */
  @Test
  void shouldNeedTwoOfThreeFollowers() {
    members = configuration(List.of(self, a, b, c), List.of());
    acknowledge(a, 10);
    assertFalse(lease.isValid(self, members));
    acknowledge(b, 10);
    assertTrue(lease.isValid(self, members));
  }

  @Test
  void shouldHoldForASingleMember() {
    members = configuration(List.of(self), List.of());
    assertTrue(lease.isValid(self, members));
  }

  @Test
  void shouldNotCountANodeThatIsNoMember() {
    acknowledge(c, 10);
    assertFalse(lease.isValid(self, members));
    members = configuration(List.of(self, a, c), List.of());
    assertTrue(lease.isValid(self, members));
  }

  @Test
  void shouldNeedAMajorityOfOldAndNewMembersDuringAChange() {
    acknowledge(a, 10);
    NodeId d = new NodeId(new UUID(0, 4));
    members = configuration(List.of(self, c, d), List.of(self, a, b));
    assertFalse(lease.isValid(self, members));
    acknowledge(d, 10);
    assertTrue(lease.isValid(self, members));
    pass(85);
    acknowledge(d, 0);
    assertFalse(lease.isValid(self, members));
  }

  @Test
  void shouldNotCountALeaderThatIsBeingRemoved() {
    acknowledge(a, 10);
    members = configuration(List.of(a, b, c), List.of());
    assertFalse(lease.isValid(self, members));
    acknowledge(b, 10);
    assertTrue(lease.isValid(self, members));
  }

  private static GroupConfiguration configuration(List<NodeId> members, List<NodeId> previous) {
    return new GroupConfiguration(7, members(members), members(previous));
  }

  private static List<MetadataMember> members(List<NodeId> nodes) {
    return nodes.stream().map(node -> new MetadataMember(node, "host", 9862)).toList();
  }

  @Test
  void shouldAskAllFollowersForASign() {
    acknowledge(a, 10);
    acknowledge(b, 10);
    lease.renew();
    assertEquals(2, heartbeats.get());
  }
}
