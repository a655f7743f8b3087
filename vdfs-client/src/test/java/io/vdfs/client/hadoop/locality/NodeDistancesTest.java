package io.vdfs.client.hadoop.locality;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.VdfsClient;
import io.vdfs.client.fake.FakeClient;
import io.vdfs.client.fake.FakeCluster;
import io.vdfs.client.hadoop.locality.NodeDistances.Published;
import io.vdfs.client.io.replica.ReplicaNode;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataAddress;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.net.DNSToSwitchMapping;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.net.ScriptBasedMapping;
import org.apache.hadoop.net.TableMapping;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeDistancesTest {
  private static final Published NOBODY_SAYS =
      node -> {
        throw new AssertionError("no node is asked");
      };

  @TempDir private Path directory;

  @Test
  void shouldTakeOwnNodeForNearWithoutALookUp() {
    NodeDistances distances =
        new NodeDistances(
            () -> {
              throw new AssertionError("looked up");
            },
            () -> "10.0.0.1",
            NOBODY_SAYS);
    assertEquals(NodeDistances.SAME_HOST, distances.to(node("10.0.0.1", true)));
  }

  @Test
  void shouldTellRacksByTheTableOfHadoop() throws IOException {
    Path table = directory.resolve("racks");
    String own = NetUtils.normalizeHostName(NetUtils.getLocalHostname());
    Files.writeString(
        table, own + " /east/r1\n10.0.0.2 /east/r1\n10.0.0.3 /east/r2\n10.0.0.4 /west/r1\n");
    Configuration conf = new Configuration(false);
    conf.set("net.topology.node.switch.mapping.impl", TableMapping.class.getName());
    conf.set("net.topology.table.file.name", table.toString());
    assertRacks(NodeDistances.of(conf, client()));
  }

  @Test
  void shouldTellRacksByTheScriptOfHadoopWithOneCallForEachHost() throws IOException {
    Path calls = directory.resolve("calls");
    Path script = directory.resolve("racks.sh");
    Files.writeString(
        script,
        "#!/bin/sh\necho \"$@\" >> "
            + calls
            + "\nfor host; do case $host in 10.0.0.3) echo /east/r2;;"
            + " 10.0.0.4) echo /west/r1;; *) echo /east/r1;; esac; done\n");
    assertTrue(script.toFile().setExecutable(true));
    Configuration conf = new Configuration(false);
    conf.set("net.topology.script.file.name", script.toString());
    NodeDistances distances = NodeDistances.of(conf, client());
    assertRacks(distances);
    assertRacks(distances);
    assertEquals(3, Files.readAllLines(calls).size());
  }

  private static void assertRacks(NodeDistances distances) {
    assertEquals(NodeDistances.SAME_RACK, distances.to(node("10.0.0.2", false)));
    assertEquals(4, distances.to(node("10.0.0.3", false)));
    assertEquals(6, distances.to(node("10.0.0.4", false)));
  }

  @Test
  void shouldTakeTheRacksThatNodesPublishWhereHadoopHasNone() {
    List<NodeId> asked = new ArrayList<>();
    NodeDistances distances =
        new NodeDistances(
            ScriptBasedMapping::new,
            () -> "10.0.0.1",
            node -> {
              asked.add(node);
              return List.of("/r1", node.equals(node("10.0.0.2", false).id()) ? "/r1" : "/r2");
            });
    for (int time = 0; time < 2; time++) {
      assertEquals(NodeDistances.SAME_RACK, distances.to(node("10.0.0.2", false)));
      assertEquals(4, distances.to(node("10.0.0.3", false)));
    }
    assertEquals(2, asked.size(), "once each");
  }

  @Test
  void shouldCountHostsOfUnknownRacksAsOfAnotherRack() {
    List<DNSToSwitchMapping> mappings =
        Arrays.asList(
            new Mapping(null), new Mapping(List.of("/r")), new Mapping(List.of("r", "r")));
    for (DNSToSwitchMapping mapping : mappings) {
      NodeDistances distances = new NodeDistances(() -> mapping, () -> "10.0.0.1", NOBODY_SAYS);
      assertEquals(4, distances.to(node("10.0.0.2", false)));
    }
  }

  /** As Hadoop does where nothing says otherwise. */
  @Test
  void shouldTakeAHostOfNoNodeForOneOfTheDefaultRack() {
    NodeDistances distances = NodeDistances.of(new Configuration(), client());
    assertEquals(NodeDistances.SAME_RACK, distances.to(node("10.0.0.2", false)));
  }

  private static VdfsClient client() {
    return new FakeClient(new FakeCluster(), "elsewhere", content -> content).client();
  }

  private static ReplicaNode node(String host, boolean local) {
    return new ReplicaNode(
        new NodeId(UUID.nameUUIDFromBytes(host.getBytes(StandardCharsets.UTF_8))),
        new DataAddress(host, 1),
        true,
        local);
  }

  /** Gives one answer. */
  private record Mapping(List<String> racks) implements DNSToSwitchMapping {
    @Override
    public List<String> resolve(List<String> names) {
      return racks;
    }

    @Override
    public void reloadCachedMappings() {
      // nothing is cached
    }

    @Override
    public void reloadCachedMappings(List<String> names) {
      // nothing is cached
    }
  }
}
