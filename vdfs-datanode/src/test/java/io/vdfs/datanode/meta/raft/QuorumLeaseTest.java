package io.vdfs.datanode.meta.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.cluster.MetadataMember;
import io.vdfs.common.model.NodeId;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;
import org.apache.ratis.util.Timestamp;
import org.junit.jupiter.api.Test;

class QuorumLeaseTest {
  /** Limits far from the ages used, so that a slow machine changes nothing. */
  private final QuorumLease lease =
      new QuorumLease(Duration.ofSeconds(100), Duration.ofSeconds(200));

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

  private LogAppender appender(NodeId follower, int secondsSinceAcknowledged) {
    FollowerInfo info =
        stub(
            FollowerInfo.class,
            Map.of(
                "getLastRespondedAppendEntriesSendTime",
                Timestamp.currentTime().addTimeMs(-1000L * secondsSinceAcknowledged)));
    return (LogAppender)
        Proxy.newProxyInstance(
            LogAppender.class.getClassLoader(),
            new Class<?>[] {LogAppender.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "getFollower" -> info;
                  case "getFollowerId" -> RaftPeerId.valueOf(follower.toString());
                  case "triggerHeartbeat" -> heartbeats.incrementAndGet();
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  @Test
  void shouldHoldWhileOneOfTwoFollowersAcknowledged() {
    lease.onAppender(leadership, appender(a, 10));
    lease.onAppender(leadership, appender(b, 9_999));
    assertTrue(lease.isValid(self, members));
    assertFalse(lease.isLost(self, members));
  }

  @Test
  void shouldRunOutBeforeAnotherMemberCanBeElected() {
    lease.onAppender(leadership, appender(a, 95));
    lease.onAppender(leadership, appender(b, 9_999));
    assertFalse(lease.isValid(self, members));
    assertFalse(lease.isLost(self, members));
    lease.onAppender(leadership, appender(a, 250));
    assertTrue(lease.isLost(self, members));
  }

  @Test
  void shouldNotCountFollowersOfAnEarlierLeadership() {
    lease.onAppender(leadership, appender(a, 10));
    LeaderState later = stub(LeaderState.class, Map.of());
    lease.onAppender(later, appender(b, 9_999));
    assertFalse(lease.isValid(self, members));
  }

  @Test
  void shouldHoldForASingleMember() {
    members = configuration(List.of(self), List.of());
    assertTrue(lease.isValid(self, members));
  }

  @Test
  void shouldNotCountWhoIsNoMember() {
    lease.onAppender(leadership, appender(c, 10));
    assertFalse(lease.isValid(self, members));
    members = configuration(List.of(self, a, c), List.of());
    assertTrue(lease.isValid(self, members));
  }

  @Test
  void shouldNeedAMajorityOfOldAndNewMembersDuringAChange() {
    lease.onAppender(leadership, appender(a, 10));
    NodeId d = new NodeId(new UUID(0, 4));
    members = configuration(List.of(self, c, d), List.of(self, a, b));
    assertFalse(lease.isValid(self, members));
    lease.onAppender(leadership, appender(d, 10));
    assertTrue(lease.isValid(self, members));
    lease.onAppender(leadership, appender(a, 9_999));
    assertFalse(lease.isValid(self, members));
  }

  @Test
  void shouldNotCountALeaderThatIsBeingRemoved() {
    lease.onAppender(leadership, appender(a, 10));
    members = configuration(List.of(a, b, c), List.of());
    assertFalse(lease.isValid(self, members));
    lease.onAppender(leadership, appender(b, 10));
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
    lease.onAppender(leadership, appender(a, 10));
    lease.onAppender(leadership, appender(b, 10));
    lease.renew();
    assertEquals(2, heartbeats.get());
  }
}
