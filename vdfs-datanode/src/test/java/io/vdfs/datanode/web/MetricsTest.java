package io.vdfs.datanode.web;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.build.BuildVersion;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.CounterName;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.metrics.Metric;
import io.vdfs.common.metrics.MetricGroup;
import io.vdfs.common.model.NodeId;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class MetricsTest {
  private enum Fruit implements CounterName {
    APPLES,
    BASKET;

    @Override
    public String label() {
      return this == APPLES ? "apples eaten" : "fruit in the basket";
    }

    @Override
    public boolean isLevel() {
      return this == BASKET;
    }
  }

  private static final InetSocketAddress ANY =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

  private final Counters<Fruit> counters = new Counters<>(Fruit.class);
  private final List<MetricGroup> groups =
      List.of(MetricGroup.of("fruit", Fruit.class, counters::get));

  private static HttpResponse<String> ask(int port, String path, String method)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .timeout(Duration.ofSeconds(20))
            .method(method, HttpRequest.BodyPublishers.noBody())
            .build();
    return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void shouldServePrometheusText() throws Exception {
    counters.add(Fruit.APPLES, 3);
    counters.add(Fruit.BASKET, -1);
    try (MetricsServer server = MetricsServer.start(ANY, "k", groups)) {
      HttpResponse<String> answer = ask(server.port(), "/metrics", "GET");
      assertEquals(200, answer.statusCode());
      assertEquals(
          """
          # HELP vdfs_build_info release and commit that run
          # TYPE vdfs_build_info gauge
          vdfs_build_info{version="%s",commit="%s"} 1
          # HELP vdfs_fruit_apples_total apples eaten
          # TYPE vdfs_fruit_apples_total counter
          vdfs_fruit_apples_total 3
          # HELP vdfs_fruit_basket fruit in the basket
          # TYPE vdfs_fruit_basket gauge
          vdfs_fruit_basket -1
          """
              .formatted(BuildVersion.running().version(), BuildVersion.running().commit()),
          answer.body());
      counters.increment(Fruit.APPLES);
      assertTrue(ask(server.port(), "/metrics", "GET").body().contains("apples_total 4\n"));
      assertEquals(404, ask(server.port(), "/", "GET").statusCode());
      assertEquals(405, ask(server.port(), "/metrics", "POST").statusCode());
    }
  }

  @Test
  void shouldWriteLabelsAsPrometheusReadsThem() {
    assertTrue(
        PrometheusText.of(new BuildVersion("1\"2", "a\\b\nc"), List.of())
            .contains("vdfs_build_info{version=\"1\\\"2\",commit=\"a\\\\b\\nc\"} 1\n"));
  }

  @Test
  void shouldDescribeNumbersOfLikeThingsOnce() {
    MetricGroup volumes =
        MetricGroup.of(
            "volume",
            () ->
                List.of(
                    new Metric("volume", "free", "room", true, 7, part("/d1")),
                    new Metric("volume", "free", "room", true, 8, part("/d\"2"))));
    String text = PrometheusText.of(new BuildVersion("1", "a"), List.of(volumes));
    assertTrue(
        text.endsWith(
            """
            # HELP vdfs_volume_free room
            # TYPE vdfs_volume_free gauge
            vdfs_volume_free{directory="/d1"} 7
            vdfs_volume_free{directory="/d\\"2"} 8
            """),
        text);
  }

  private static Optional<Metric.Part> part(String directory) {
    return Optional.of(new Metric.Part("directory", directory));
  }

  @Test
  void shouldAnswerBesideARequestThatDoesNotComeToItsEndAndCutThatOff() throws Exception {
    try (MetricsServer server = MetricsServer.start(ANY, "k", groups);
        Socket slow = new Socket(ANY.getAddress(), server.port())) {
      slow.getOutputStream().write("GET /metrics HTTP/1.1\r\nHo".getBytes(US_ASCII));
      assertEquals(200, ask(server.port(), "/metrics", "GET").statusCode());
      slow.setSoTimeout(30_000);
      assertEquals(-1, slow.getInputStream().read(), "cut off");
    }
  }

  @Test
  void shouldNameThePortThatIsTaken() throws VdfsException {
    try (MetricsServer server = MetricsServer.start(ANY, "k", groups)) {
      InetSocketAddress taken =
          new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port());
      VdfsException refused =
          assertThrows(VdfsException.class, () -> MetricsServer.start(taken, "the.key", groups));
      assertEquals(ErrorCode.MISCONFIGURED, refused.code());
      assertTrue(refused.getMessage().contains("the.key=" + server.port()), refused.getMessage());
    }
  }

  @Test
  void shouldShowCountersInJmxWhileTheNodeRuns() throws JMException {
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    NodeId node = NodeId.random();
    ObjectName name = new ObjectName("io.vdfs:type=DataNode,node=" + node + ",group=fruit");
    counters.add(Fruit.APPLES, 5);
    try (JmxBeans beans = JmxBeans.register(node, groups)) {
      assertEquals(List.of(name), beans.names());
      assertEquals(5L, server.getAttribute(name, "apples"));
      assertEquals(2, server.getMBeanInfo(name).getAttributes().length);
      assertEquals(2, server.getAttributes(name, new String[] {"apples", "basket"}).size());
    }
    assertFalse(server.isRegistered(name));
  }
}
