package io.vdfs.common.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConnectionWaitTest {
  private static final String KEY = "the.key";

  private final List<Long> waits = new ArrayList<>();

  private static ZooKeeperSettings settings(String address, Duration limit) {
    return new ZooKeeperSettings(
        address, KEY, "/vdfs", ZooKeeperSettings.DEFAULT_SESSION_TIMEOUT, limit);
  }

  /** A connection that is there at the given wait, counted from 1. */
  private ConnectionWait.Connection thereAt(int time) {
    return millis -> {
      waits.add(millis);
      return waits.size() == time;
    };
  }

  private VdfsException failure(String address, Duration limit) {
    return assertThrows(
        VdfsException.class, () -> ConnectionWait.await(settings(address, limit), thereAt(0)));
  }

  @Test
  void shouldWaitForALittleWhileThenForTheRestOfTheTime() throws Exception {
    ConnectionWait.await(settings("127.0.0.1:1", Duration.ofSeconds(10)), thereAt(2));

    assertEquals(List.of(3000L, 7000L), waits);
  }

  @Test
  void shouldNotWaitAgainWhenZooKeeperAnswersSoon() throws Exception {
    ConnectionWait.await(settings("127.0.0.1:1", Duration.ofSeconds(10)), thereAt(1));

    assertEquals(List.of(3000L), waits);
  }

  @Test
  void shouldNotWaitForLongerThanTheTimeout() {
    failure("127.0.0.1:1", Duration.ofSeconds(2));

    assertEquals(List.of(2000L), waits);
  }

  @Test
  void shouldNameAddressAndKeyWhenNothingAnswers() {
    VdfsException e = failure("127.0.0.1:1", Duration.ofSeconds(10));

    assertEquals(ErrorCode.UNAVAILABLE, e.code());
    assertTrue(e.getMessage().contains("address=127.0.0.1:1, waitedMs=10000;"), e.getMessage());
    assertTrue(e.getMessage().endsWith("host and port in " + KEY), e.getMessage());
    assertFalse(e.getMessage().contains("unknownHosts"), e.getMessage());
  }

  @Test
  void shouldNameTheUnknownHosts() {
    VdfsException e = failure("127.0.0.1:1,nosuch.invalid:2181", Duration.ofSeconds(10));

    assertTrue(e.getMessage().contains("unknownHosts=[nosuch.invalid]"), e.getMessage());
  }
}
