package io.vdfs.client.dataplane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.vdfs.client.io.IoSettings;
import io.vdfs.client.meta.cluster.ClusterView;
import io.vdfs.client.meta.control.ControlAddress;
import io.vdfs.client.meta.control.ControlCalls;
import io.vdfs.client.meta.finder.ClusterSources;
import io.vdfs.client.meta.finder.SeedNode;
import io.vdfs.client.meta.retry.RetryClock;
import io.vdfs.client.names.FileInfo;
import io.vdfs.client.place.LocalNode;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.StatusProto;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class DataPlaneContentTest {
  private static final Duration LIMIT = Duration.ofSeconds(10);

  @Test
  void shouldTellItsCountersWhileTheClusterIsAsked() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    ControlCalls calls =
        (node, method, body) -> {
          asked.countDown();
          try {
            goOn.await();
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
          throw new VdfsException(ErrorCode.UNAVAILABLE, "no answer: node=" + node);
        };
    ClusterView view =
        new ClusterView(
            ClusterSources.of(new SeedNode(new ControlAddress("n", 1))),
            calls,
            LIMIT,
            LIMIT,
            RetryClock.SYSTEM);
    try (DataPlaneContent content =
        new DataPlaneContent(
            request -> {
              throw new AssertionError(request);
            },
            view,
            new LocalNode(Optional.empty(), Set::of),
            LIMIT,
            IoSettings.DEFAULT)) {
      FileInfo file = new FileInfo(StatusProto.getDefaultInstance());
      Thread opening =
          new Thread(() -> assertThrows(VdfsException.class, () -> content.reader(file)));
      opening.start();
      asked.await();

      assertEquals(0, content.counters().get("bytes_written"));
      goOn.countDown();
      opening.join(TimeUnit.SECONDS.toMillis(LIMIT.toSeconds()));
    }
  }
}
