package io.vdfs.datanode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.cluster.record.ClusterSnapshot;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.ArcReplicas;
import io.vdfs.common.ring.Placement;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RingHostsTest {
  private final List<Runnable> lookUps = new ArrayList<>();
  private ClusterSnapshot cluster = ringOf("192.0.2.1");
  private long now;
  private final RingHosts hosts = new RingHosts(() -> cluster, () -> now, new Manual());

  @Test
  void shouldKnowTheHostsOfTheRingOnceTheyAreLookedUp() throws Exception {
    cluster = ringOf("192.0.2.9");
    assertFalse(hosts.test(InetAddress.getByName("192.0.2.9")));
    runLookUps(1);
    assertTrue(hosts.test(InetAddress.getByName("192.0.2.9")));
    assertFalse(hosts.test(InetAddress.getByName("192.0.2.8")));
    runLookUps(0);

    cluster = ringOf("192.0.2.8");
    assertFalse(hosts.test(InetAddress.getByName("192.0.2.8")));
    assertFalse(hosts.test(InetAddress.getByName("192.0.2.7")));
    runLookUps(1);
    assertTrue(hosts.test(InetAddress.getByName("192.0.2.8")));
  }

  @Test
  void shouldLookAgainNowAndThenWhileStrangersCome() throws Exception {
    cluster = ringOf("192.0.2.9");
    hosts.test(InetAddress.getByName("192.0.2.9"));
    runLookUps(1);
    now += Duration.ofMinutes(2).toNanos();
    assertTrue(hosts.test(InetAddress.getByName("192.0.2.9")));
    runLookUps(0);
    assertFalse(hosts.test(InetAddress.getByName("192.0.2.8")));
    runLookUps(1);
  }

  private void runLookUps(int expected) {
    assertEquals(expected, lookUps.size(), "looked up");
    lookUps.forEach(Runnable::run);
    lookUps.clear();
  }

  private static ClusterSnapshot ringOf(String host) {
    NodeId id = NodeId.random();
    RingNode node = new RingNode(id, host, 1, 2, 3, 0, "/rack", 1, 1.0);
    RingMap map =
        new RingMap(
            1,
            1,
            Placement.TURN,
            List.of(new ArcReplicas(List.of(id), List.of())),
            Map.of(id, node));
    return new ClusterSnapshot(Optional.of(map), Map.of(), Optional.empty(), false);
  }

  /** Runs what it is given when the test says so. */
  private final class Manual extends AbstractExecutorService {
    @Override
    public void execute(Runnable task) {
      lookUps.add(task);
    }

    @Override
    public void shutdown() {}

    @Override
    public List<Runnable> shutdownNow() {
      return List.of();
    }

    @Override
    public boolean isShutdown() {
      return false;
    }

    @Override
    public boolean isTerminated() {
      return false;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
      return true;
    }
  }
}
