package io.vdfs.datanode.meta.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.datanode.meta.group.GroupMemberSettings.Tuning;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.retry.MultipleLinearRandomRetry;
import org.apache.ratis.retry.RetryPolicy;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.util.TimeDuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RatisPropertiesTest {
  private static final TimeDuration LONGEST_WAIT = TimeDuration.valueOf(500, TimeUnit.MILLISECONDS);

  @TempDir Path directory;

  /** A member that comes back is the only one left if another goes a moment later. */
  @ParameterizedTest
  @ValueSource(ints = {0, 11, 31, 1_000, 1_000_000_000})
  void shouldSoonTryAgainToReachAMemberHoweverLongItWasGone(int failures) {
    RaftProperties properties = properties();
    RetryPolicy policy =
        MultipleLinearRandomRetry.parseCommaSeparated(
            RaftServerConfigKeys.Log.Appender.retryPolicy(properties));
    RetryPolicy.Action action = policy.handleAttemptFailure(() -> failures);
    assertTrue(action.shouldRetry());
    assertTrue(
        action.getSleepTime().compareTo(LONGEST_WAIT) < 0, () -> "wait=" + action.getSleepTime());
  }

  private RaftProperties properties() {
    return RatisProperties.of(
        directory,
        "localhost",
        0,
        Tuning.DEFAULT,
        RaftServerConfigKeys.Read.Option.LINEARIZABLE,
        Duration.ZERO);
  }

  /** By the names of the settings, which must be there, so that no default of Ratis decides. */
  @Test
  void shouldForceEntriesBeforeTheyCountAndNeverShortenADamagedLog() {
    RaftProperties properties = properties();
    Map<String, String> reliedOn =
        Map.of(
            "raft.server.log.use.memory", "false",
            "raft.server.log.unsafe-flush.enabled", "false",
            "raft.server.log.async-flush.enabled", "false",
            "raft.server.log.force.sync.num", "128",
            "raft.server.log.statemachine.data.sync", "true",
            "raft.server.log.corruption.policy", "EXCEPTION");
    reliedOn.forEach((key, value) -> assertEquals(value, properties.get(key), key));
    assertFalse(RaftServerConfigKeys.Log.useMemory(properties));
    assertFalse(RaftServerConfigKeys.Log.unsafeFlushEnabled(properties));
    assertFalse(RaftServerConfigKeys.Log.asyncFlushEnabled(properties));
    assertEquals(128, RaftServerConfigKeys.Log.forceSyncNum(properties));
    assertTrue(RaftServerConfigKeys.Log.StateMachineData.sync(properties));
    assertEquals(
        RaftServerConfigKeys.Log.CorruptionPolicy.EXCEPTION,
        RaftServerConfigKeys.Log.corruptionPolicy(properties));
  }
}
