package io.vdfs.client.hadoop.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vdfs.client.fake.FakeClient;
import io.vdfs.client.fake.FakeCluster;
import io.vdfs.client.meta.cluster.ClusterDescription;
import io.vdfs.client.meta.finder.NodeHint;
import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterHintsTest {
  private final Configuration job = new Configuration(false);

  @Test
  void shouldTellEachHostItsNode() throws IOException {
    FakeCluster cluster = new FakeCluster();
    ClusterDescription seen = new FakeClient(cluster, "here").client().cluster();
    ClusterHints.publish(job, seen);
    for (int node = 0; node < FakeCluster.NODES; node++) {
      NodeHint hint = new NodeHint(cluster.properties().clusterId(), FakeCluster.address(node));
      assertEquals(
          Optional.of(hint), ClusterHints.find(job, seen.name(), FakeCluster.address(node).host()));
    }
    assertEquals(Optional.empty(), ClusterHints.find(job, seen.name(), "elsewhere"));
    assertEquals(Optional.empty(), ClusterHints.find(job, "another", "n0"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", " ", "n0:1001", "no-id n0:1001", "0-0-0-0-1 n0", "0-0-0-0-1 n0:x n0:1001"})
  void shouldPassOverWhatCannotBeRead(String hints) {
    job.set("fs.vdfs.cluster.main.node.hints", hints);
    assertEquals(Optional.empty(), ClusterHints.find(job, "main", "n0"));
  }
}
