package io.vdfs.it;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.client.ledger.RunQuestion;
import io.vdfs.client.ledger.StreamTask;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.CounterName;
import io.vdfs.common.model.StreamId;
import io.vdfs.datanode.local.LocalCounter;
import io.vdfs.datanode.segment.SegmentCounter;
import io.vdfs.datanode.stream.StreamManagerCounter;
import io.vdfs.datanode.transfer.TransferCounter;
import io.vdfs.it.cluster.ClusterSpec;
import io.vdfs.it.cluster.VdfsTestCluster;
import io.vdfs.it.tools.PositionBytes;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The metrics of a node that serves readers, in Prometheus' format and in JMX. */
@Timeout(120)
class MonitoringIT {
  private static final int LENGTH = 1 << 20;
  private static final Path FILE = new Path("/watched");
  private static final long WAITED_MILLIS = 12_345;

  private static final Map<String, CounterName[]> GROUPS =
      Map.of(
          "stream", StreamManagerCounter.values(),
          "transfer", TransferCounter.values(),
          "local", LocalCounter.values(),
          "segment_delivery", SegmentCounter.values());

  /** Counters that the reading below is sure to raise. */
  private static final Map<String, List<CounterName>> RAISED =
      Map.of(
          "stream",
          List.of(
              StreamManagerCounter.REQUESTS,
              StreamManagerCounter.REQUEST_BYTES,
              StreamManagerCounter.TASK_WAIT_MILLIS),
          "transfer",
          List.of(TransferCounter.READS, TransferCounter.BYTES_READ),
          "local",
          List.of(LocalCounter.GRANTS, LocalCounter.GRANTED_BYTES, LocalCounter.READ_BYTES),
          "segment_delivery",
          List.of(SegmentCounter.FILLS, SegmentCounter.FILLED_BYTES));

  private static VdfsTestCluster cluster;
  private static int port;

  @BeforeAll
  @Timeout(120)
  static void startAndRead() throws Exception {
    port = freePort();
    cluster =
        VdfsTestCluster.start(
            ClusterSpec.small("monitoring", 1)
                .with("vdfs.metrics.port", Integer.toString(port))
                .with("vdfs.delivery.segment", "true"));
    try (FileSystem fileSystem = cluster.newFileSystem();
        FSDataOutputStream out = fileSystem.create(FILE)) {
      out.write(PositionBytes.of(0, LENGTH));
    }
    for (String delivery : List.of("local", "segment", "socket")) {
      readBy(delivery);
    }
    tellAWait();
  }

  @AfterAll
  static void stop() throws IOException {
    if (cluster != null) {
      cluster.close();
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static void readBy(String delivery) throws IOException {
    Configuration conf = cluster.configuration();
    conf.set("fs.vdfs.delivery", delivery);
    byte[] read = new byte[LENGTH];
    try (FileSystem fileSystem = FileSystem.newInstance(cluster.uri(), conf);
        FSDataInputStream in = fileSystem.open(FILE)) {
      in.readFully(0, read);
    }
    assertArrayEquals(PositionBytes.of(0, LENGTH), read);
  }

  /** Reports the wait of a task in a stream that does not exist: the node still counts it. */
  private static void tellAWait() throws IOException {
    RunQuestion next =
        RunQuestion.oneBlock(new StreamTask(new StreamId(0, 0), 0), 0)
            .withWaitedMillis(WAITED_MILLIS);
    try (VdfsFileSystem fileSystem = (VdfsFileSystem) cluster.newFileSystem()) {
      VdfsException unknown =
          assertThrows(VdfsException.class, () -> fileSystem.vdfsClient().ledger().next(next));
      assertEquals(ErrorCode.NOT_FOUND, unknown.code());
    }
  }

  @Test
  void shouldShowEveryGroupToPrometheus() throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://" + cluster.host(0) + ":" + port + "/metrics"))
            .timeout(Duration.ofSeconds(20))
            .build();
    HttpResponse<String> answer =
        HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    assertEquals(200, answer.statusCode());
    Map<String, Long> shown = new HashMap<>();
    answer
        .body()
        .lines()
        .filter(line -> !line.startsWith("#"))
        .map(line -> line.split(" "))
        .forEach(line -> shown.put(line[0], Long.parseLong(line[1])));

    GROUPS.forEach(
        (group, counters) -> {
          for (CounterName counter : counters) {
            assertTrue(shown.containsKey(inPrometheus(group, counter)), counter::name);
          }
        });
    RAISED.forEach(
        (group, counters) ->
            counters.forEach(
                counter -> assertTrue(shown.get(inPrometheus(group, counter)) > 0, counter::name)));
    assertEquals(WAITED_MILLIS, shown.get("vdfs_stream_task_wait_millis_total"));
    assertEquals(LENGTH, sum(shown, "vdfs_volume_primary_bytes{"), "of the only node");
    long groups = LENGTH / ClusterSpec.SMALL.groupSize();
    assertEquals(groups, sum(shown, "vdfs_volume_primary_groups{"));
    assertEquals(0, sum(shown, "vdfs_volume_replica_bytes{"));
    assertEquals(0, sum(shown, "vdfs_volume_replica_groups{"));
  }

  /** Of all volumes, of which there is at least one. */
  private static long sum(Map<String, Long> shown, String prefix) {
    return shown.entrySet().stream()
        .filter(line -> line.getKey().startsWith(prefix))
        .mapToLong(Map.Entry::getValue)
        .reduce(Long::sum)
        .orElseThrow();
  }

  private static String inPrometheus(String group, CounterName counter) {
    return "vdfs_" + group + "_" + lowerCase(counter) + (counter.isLevel() ? "" : "_total");
  }

  @Test
  void shouldShowEveryGroupInJmx() throws Exception {
    MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
    for (Map.Entry<String, CounterName[]> group : GROUPS.entrySet()) {
      ObjectName name =
          new ObjectName(
              "io.vdfs:type=DataNode,node=" + cluster.nodeId(0) + ",group=" + group.getKey());
      for (CounterName counter : group.getValue()) {
        long value = (Long) beans.getAttribute(name, lowerCase(counter));
        if (RAISED.get(group.getKey()).contains(counter)) {
          assertTrue(value > 0, counter::name);
        }
      }
    }
  }

  private static String lowerCase(CounterName counter) {
    return counter.name().toLowerCase(Locale.ROOT);
  }
}
