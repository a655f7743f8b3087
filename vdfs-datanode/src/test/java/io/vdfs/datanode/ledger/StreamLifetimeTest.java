package io.vdfs.datanode.ledger;

import static io.vdfs.datanode.ledger.StreamDriver.assertFails;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.LedgerQuery;
import io.vdfs.common.wire.proto.StreamStatusQuery;
import io.vdfs.common.wire.proto.StreamStatusResult;
import io.vdfs.datanode.ledger.state.Caller;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class StreamLifetimeTest {
  private static final long WEEK = Duration.ofDays(7).toMillis();
  private static final long HOUR = Duration.ofHours(1).toMillis();

  @Test
  void shouldExpireSevenDaysAfterLastUse() throws VdfsException {
    StreamDriver driver = StreamDriver.created(new TestStream(1, 1, 1, 1).file(20, 0));
    long sealed = driver.time;
    assertEquals(sealed + WEEK, driver.status().getExpiresMillis());
    driver.time += HOUR;
    driver.run(0, 0, 0, 1);
    assertFalse(driver.host.ledger().hasExpired(sealed + WEEK));
    assertEquals(0, expire(driver, sealed + WEEK));
    assertTrue(driver.host.ledger().hasExpired(driver.time + WEEK));
    assertEquals(1, expire(driver, driver.time + WEEK));
    assertFails(ErrorCode.NOT_FOUND, "expired", () -> driver.next(0, 0, 0, 1));
  }

  /** Slow tasks ask often, and on the one loop that serves all metadata. */
  @Test
  void shouldTellTheTotalsOfAStreamWithoutItsTasksAndNodes() throws VdfsException {
    StreamDriver driver = StreamDriver.created(new TestStream(1, 1000, 3, 1).file(2000, 0, 1, 2));
    for (int task = 0; task < 50; task++) {
      driver.next(task, 0, 0, 1);
    }
    LedgerQuery question =
        LedgerQuery.newBuilder()
            .setStatus(
                StreamStatusQuery.newBuilder().setStreamId(driver.stream.id()).setTotalsOnly(true))
            .build();

    StreamStatusResult totals = driver.host.ledger().query(question, LedgerHost.USER).getStatus();

    StreamStatusResult whole = driver.status();
    assertEquals(1000, whole.getTasksCount());
    assertTrue(whole.getRemainingBlocks() < whole.getTotals().getBlocks());
    assertEquals(whole.toBuilder().clearTasks().clearNodes().build(), totals);
  }

  @Test
  void shouldExpireUnsealedStreamAfterAnHour() throws VdfsException {
    StreamDriver driver = new StreamDriver(new TestStream(1, 1, 1, 1).file(20, 0));
    driver.host.call(driver.stream.chunks(1).get(0), LedgerHost.USER, driver.time);
    assertEquals(0, expire(driver, driver.time + HOUR - 1));
    assertEquals(1, expire(driver, driver.time + HOUR));
    assertEquals(0, driver.host.ledger().streamCount());
  }

  @Test
  void shouldRenewLeaseAndNeverShortenIt() throws VdfsException {
    StreamDriver driver = StreamDriver.created(new TestStream(1, 1, 1, 1).file(20, 0));
    assertEquals(driver.time + HOUR + WEEK, renew(driver, driver.time + HOUR));
    int records = driver.host.log().size();
    assertEquals(driver.time + HOUR + WEEK, renew(driver, driver.time));
    assertEquals(records, driver.host.log().size());
  }

  @Test
  void shouldReleaseOnce() throws VdfsException {
    StreamDriver driver = StreamDriver.created(new TestStream(1, 1, 1, 1).file(20, 0));
    Caller mallory = new Caller("mallory", false);
    assertFails(
        ErrorCode.PERMISSION_DENIED,
        "mallory",
        () -> driver.host.call(Requests.release(driver.stream.id()), mallory, 1));
    assertTrue(release(driver));
    assertFalse(release(driver), "a repeated release is no error");
    assertFails(ErrorCode.NOT_FOUND, "released", () -> driver.next(0, 0, 0, 1));
  }

  @Test
  void shouldLetOnlySuperuserExpire() {
    LedgerHost host = new LedgerHost();
    assertFails(
        ErrorCode.PERMISSION_DENIED,
        "alice",
        () -> host.call(Requests.expire(), LedgerHost.USER, 1));
  }

  private static long renew(StreamDriver driver, long time) throws VdfsException {
    return driver
        .host
        .call(Requests.renew(driver.stream.id()), LedgerHost.USER, time)
        .getRenew()
        .getExpiresMillis();
  }

  private static boolean release(StreamDriver driver) throws VdfsException {
    return driver
        .host
        .call(Requests.release(driver.stream.id()), LedgerHost.USER, driver.time)
        .getRelease()
        .getReleased();
  }

  private static int expire(StreamDriver driver, long time) throws VdfsException {
    return driver
        .host
        .call(Requests.expire(), LedgerHost.SUPERUSER, time)
        .getExpire()
        .getStreamIdsCount();
  }
}
