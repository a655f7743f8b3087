package io.vdfs.datanode.meta.raft;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.datanode.meta.raft.GroupMemberSettings.Tuning;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.retry.MultipleLinearRandomRetry;
import org.apache.ratis.retry.RetryPolicy;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.util.TimeDuration;
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
    RaftProperties properties =
        RatisProperties.of(
            directory,
            "localhost",
            0,
            Tuning.DEFAULT,
            RaftServerConfigKeys.Read.Option.LINEARIZABLE,
            Duration.ZERO);
    RetryPolicy policy =
        MultipleLinearRandomRetry.parseCommaSeparated(
            RaftServerConfigKeys.Log.Appender.retryPolicy(properties));
    RetryPolicy.Action action = policy.handleAttemptFailure(() -> failures);
    assertTrue(action.shouldRetry());
    assertTrue(
        action.getSleepTime().compareTo(LONGEST_WAIT) < 0, () -> "wait=" + action.getSleepTime());
  }
}
