package io.vdfs.client.meta;

import static io.vdfs.datanode.Await.awaitThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.meta.cluster.ClusterAccess;
import io.vdfs.client.meta.cluster.ClusterDescription;
import io.vdfs.client.meta.cluster.ClusterSpace;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class LeaseRenewerTest {
  private static final UUID HOLDER = new UUID(3, 4);

  private final BlockingQueue<MetaRequest> renewals = new LinkedBlockingQueue<>();
  private final BlockingQueue<Thread> threads = new LinkedBlockingQueue<>();
  private volatile boolean refusing;
  private final LeaseRenewer renewer =
      new LeaseRenewer(this::renew, new NoCluster(), HOLDER, Duration.ofMillis(5));

  private MetaResponse renew(MetaRequest request) throws VdfsException {
    threads.add(Thread.currentThread());
    renewals.add(request);
    if (refusing) {
      throw new VdfsException(ErrorCode.UNAVAILABLE, "no leader");
    }
    return MetaResponse.getDefaultInstance();
  }

  private static final class NoCluster implements ClusterAccess {
    @Override
    public ClusterDescription current() {
      return null;
    }

    @Override
    public ClusterDescription current(Duration limit) {
      return null;
    }

    @Override
    public Optional<ClusterDescription> known() {
      return Optional.empty();
    }

    @Override
    public ClusterDescription refresh(ClusterDescription stale) {
      return null;
    }

    @Override
    public ClusterDescription refresh(ClusterDescription stale, Duration limit) {
      return null;
    }

    @Override
    public ClusterSpace space() {
      return ClusterSpace.NONE;
    }
  }

  @AfterEach
  void close() {
    renewer.close();
  }

  private MetaRequest nextRenewal() throws InterruptedException {
    MetaRequest renewal = renewals.poll(20, TimeUnit.SECONDS);
    assertTrue(renewal != null, "no renewal came");
    return renewal;
  }

  @Test
  void shouldRenewOnADaemonThreadWhileAFileIsOpen() throws InterruptedException {
    renewer.fileOpened();

    assertEquals(WireIds.encode(HOLDER), nextRenewal().getRenewLease().getHolder());
    nextRenewal();
    assertTrue(threads.take().isDaemon());
  }

  @Test
  void shouldGoOnWhenARenewalFails() throws InterruptedException {
    refusing = true;
    renewer.fileOpened();

    nextRenewal();
    nextRenewal();
    refusing = false;
    nextRenewal();
  }

  @Test
  void shouldStopWhenTheLastFileIsClosed() throws InterruptedException {
    renewer.fileOpened();
    renewer.fileOpened();
    renewer.fileClosed();
    nextRenewal();
    renewer.fileClosed();

    // one may be under way still; then silence for many periods
    long closed = System.nanoTime();
    awaitThat(() -> System.nanoTime() - closed > TimeUnit.MILLISECONDS.toNanos(500));
    renewals.clear();
    assertEquals(null, renewals.poll(100, TimeUnit.MILLISECONDS));
    assertThrows(IllegalStateException.class, renewer::fileClosed);
  }

  @Test
  void shouldTellSoonHowMuchIsFlushedButNotForEachFlush() throws InterruptedException {
    LeaseRenewer patient =
        new LeaseRenewer(this::renew, new NoCluster(), HOLDER, Duration.ofHours(1));
    try (patient) {
      patient.fileOpened();
      patient.fileOpened();
      for (int length = 1; length <= 1_000; length++) {
        patient.flushed(7, length);
        patient.flushed(8, 5);
      }
      long told = 0;
      for (int renewals = 0; told < 1_000; renewals++) {
        assertTrue(renewals < 3, "more than one a second");
        told = nextRenewal().getRenewLease().getFlushed(0).getLength();
      }
      patient.fileClosed(7);
      patient.flushed(8, 6);
      MetaRequest last = nextRenewal();
      assertEquals(1, last.getRenewLease().getFlushedCount());
      assertEquals(8, last.getRenewLease().getFlushed(0).getFileId());
    }
  }
}
