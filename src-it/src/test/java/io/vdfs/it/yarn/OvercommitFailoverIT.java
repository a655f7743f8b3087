package io.vdfs.it.yarn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.vdfs.it.cluster.Await;
import io.vdfs.it.cluster.ClusterSpec;
import io.vdfs.it.cluster.YarnDaemons;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.curator.test.TestingServer;
import org.apache.hadoop.yarn.server.nodemanager.util.NodeManagerHardwareUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The plug-in beside two ResourceManagers, of which the active one is killed. */
@Timeout(300)
class OvercommitFailoverIT {
  private static final int FACTOR = 3;
  private static final int MEMORY = 1_024;
  private static final int MOST_MEMORY = 2_560;
  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final ObjectMapper JSON = new ObjectMapper();

  @Test
  void shouldTellTheResourceManagerThatTakesOver() throws Exception {
    String host = ClusterSpec.small("failover", 1).hosts().get(0);
    try (TestingServer zooKeeper = new TestingServer();
        YarnDaemons yarn = YarnDaemons.startPair(settings(), zooKeeper.getConnectString())) {
      int vcores = FACTOR * (int) NodeManagerHardwareUtils.getContainersCPUs(yarn.configuration());
      yarn.addNode(host, Map.of());
      awaitAdvertised(yarn, vcores);
      int changes = changes(yarn, host);
      assertTrue(changes >= 1, "changes=" + changes);

      String first = yarn.awaitActive();
      yarn.killResourceManager();
      assertNotEquals(first, yarn.awaitActive());
      awaitAdvertised(yarn, vcores);

      yarn.startResourceManager();
      yarn.killResourceManager();
      assertEquals(first, yarn.awaitActive());
      awaitAdvertised(yarn, vcores);
      String log = yarn.log(host);
      assertTrue(log.contains("This node advertises"), log);
    }
  }

  /** Memory is what only the plug-in's call can have changed. */
  private static Map<String, String> settings() {
    Map<String, String> settings = new HashMap<>();
    settings.put(
        "yarn.scheduler.capacity.resource-calculator",
        "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator");
    settings.put(
        "yarn.nodemanager.container-state-transition-listener.classes",
        "io.vdfs.yarn.OvercommitListener");
    settings.put("yarn.nodemanager.resource.memory-mb", Integer.toString(MEMORY));
    settings.put("vdfs.yarn.overcommit.mode", "adaptive");
    settings.put("vdfs.yarn.overcommit.factor", Integer.toString(FACTOR));
    settings.put("vdfs.yarn.overcommit.factor.min", Integer.toString(FACTOR));
    settings.put("vdfs.yarn.overcommit.factor.max", Integer.toString(FACTOR));
    settings.put("vdfs.yarn.overcommit.memory-mb.max", Integer.toString(MOST_MEMORY));
    settings.put("vdfs.yarn.overcommit.settling.time", "2s");
    return settings;
  }

  private static void awaitAdvertised(YarnDaemons yarn, int vcores) throws Exception {
    Await.until(
        vcores + " vcores and " + MOST_MEMORY + " MiB",
        LIMIT,
        () -> {
          JsonNode metrics =
              JSON.readTree(yarn.get(yarn.masterPage("cluster/metrics"))).path("clusterMetrics");
          return metrics.path("totalVirtualCores").asInt() == vcores
              && metrics.path("totalMB").asInt() == MOST_MEMORY;
        });
  }

  private static int changes(YarnDaemons yarn, String host) throws Exception {
    return JSON.readTree(yarn.get(yarn.nodePage(host, "jmx?qry=io.vdfs:type=Overcommit,*")))
        .path("beans")
        .path(0)
        .path("Changes")
        .asInt();
  }
}
