package io.vdfs.it.yarn;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.vdfs.it.cluster.Await;
import io.vdfs.it.cluster.ClusterSpec;
import io.vdfs.it.cluster.YarnDaemons;
import java.time.Duration;
import java.util.Map;
import org.apache.hadoop.yarn.server.nodemanager.util.NodeManagerHardwareUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The plug-in under the FairScheduler, which counts vcores whatever its policy is. */
@Timeout(300)
class OvercommitFairIT {
  private static final int FACTOR = 4;

  @Test
  void shouldAdvertiseProcessorsTimesTheFactorWithoutFindings() throws Exception {
    String host = ClusterSpec.small("fair", 1).hosts().get(0);
    try (YarnDaemons yarn =
        YarnDaemons.start(
            Map.of(
                "yarn.resourcemanager.scheduler.class",
                "org.apache.hadoop.yarn.server.resourcemanager.scheduler.fair.FairScheduler",
                "yarn.nodemanager.container-state-transition-listener.classes",
                "io.vdfs.yarn.OvercommitListener",
                "yarn.nodemanager.resource.memory-mb",
                "4096",
                "vdfs.yarn.overcommit.factor",
                Integer.toString(FACTOR)))) {
      yarn.addNode(host, Map.of());
      int vcores = FACTOR * (int) NodeManagerHardwareUtils.getContainersCPUs(yarn.configuration());
      ObjectMapper json = new ObjectMapper();
      Await.until(
          vcores + " vcores",
          Duration.ofSeconds(60),
          () -> {
            JsonNode metrics = json.readTree(yarn.get(yarn.masterPage("cluster/metrics")));
            return metrics.path("clusterMetrics").path("totalVirtualCores").asInt() == vcores;
          });
      Await.until(
          "the bean",
          Duration.ofSeconds(60),
          () -> yarn.get(yarn.nodePage(host, "jmx?qry=io.vdfs:*")).contains("Findings"));
      assertEquals(
          0,
          json.readTree(yarn.get(yarn.nodePage(host, "jmx?qry=io.vdfs:type=Overcommit,*")))
              .path("beans")
              .path(0)
              .path("Findings")
              .size());
    }
  }
}
