package io.vdfs.datanode.meta.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Map;
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
      new QuorumLease(Duration.ofSeconds(100), Duration.ofSeconds(200), 3);

  private final LeaderState leadership = stub(LeaderState.class, Map.of());
  private final AtomicInteger heartbeats = new AtomicInteger();

  private static <T> T stub(Class<T> type, Map<String, Object> answers) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> answers.get(method.getName())));
  }

  private LogAppender appender(String follower, int secondsSinceAcknowledged) {
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
                  case "getFollowerId" -> RaftPeerId.valueOf(follower);
                  case "triggerHeartbeat" -> heartbeats.incrementAndGet();
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  @Test
  void shouldHoldWhileOneOfTwoFollowersAcknowledged() {
    lease.onAppender(leadership, appender("a", 10));
    lease.onAppender(leadership, appender("b", 9_999));
    assertTrue(lease.isValid());
    assertFalse(lease.isLost());
  }

  @Test
  void shouldRunOutBeforeAnotherMemberCanBeElected() {
    lease.onAppender(leadership, appender("a", 95));
    lease.onAppender(leadership, appender("b", 9_999));
    assertFalse(lease.isValid());
    assertFalse(lease.isLost());
    lease.onAppender(leadership, appender("a", 250));
    assertTrue(lease.isLost());
  }

  @Test
  void shouldNotCountFollowersOfAnEarlierLeadership() {
    lease.onAppender(leadership, appender("a", 10));
    LeaderState later = stub(LeaderState.class, Map.of());
    lease.onAppender(later, appender("b", 9_999));
    assertFalse(lease.isValid());
  }

  @Test
  void shouldHoldForASingleMember() {
    assertTrue(new QuorumLease(Duration.ofSeconds(1), Duration.ofSeconds(2), 1).isValid());
  }

  @Test
  void shouldAskAllFollowersForASign() {
    lease.onAppender(leadership, appender("a", 10));
    lease.onAppender(leadership, appender("b", 10));
    lease.renew();
    assertEquals(2, heartbeats.get());
  }
}
