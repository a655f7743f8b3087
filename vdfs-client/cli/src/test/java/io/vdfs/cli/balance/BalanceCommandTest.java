package io.vdfs.cli.balance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.vdfs.cli.TestLines;
import io.vdfs.cli.cluster.Clusters;
import io.vdfs.cli.progress.ProgressBar;
import io.vdfs.client.VdfsClient;
import io.vdfs.client.fake.FakeClient;
import io.vdfs.client.fake.FakeCluster;
import io.vdfs.client.files.CreateOptions;
import io.vdfs.client.meta.cluster.ClusterDescription;
import io.vdfs.client.names.FileInfo;
import io.vdfs.common.ring.BalanceReport;
import io.vdfs.common.rpc.ControlMethods;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.NodeWeightProto;
import io.vdfs.common.wire.proto.RepairReportResult;
import io.vdfs.common.wire.proto.WeighNodesOp;
import io.vdfs.datanode.command.Commands;
import io.vdfs.datanode.command.ExitCodes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

@Timeout(60)
class BalanceCommandTest {
  private static final Duration PAUSE = Duration.ofMillis(1);
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final FakeCluster cluster = new FakeCluster();
  private final VdfsClient client = new FakeClient(cluster, "x").client();
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  private int run(String... arguments) {
    return run(TestLines.all(conf -> new FakeClient(cluster, "x").client()), arguments);
  }

  private int run(CommandLine line, String... arguments) {
    out.reset();
    err.reset();
    return Commands.run(line, arguments, out, err);
  }

  private Clusters clusters() {
    return new Clusters(conf -> new FakeClient(cluster, "x").client());
  }

  private static String text(ByteArrayOutputStream bytes) {
    return bytes.toString(StandardCharsets.UTF_8);
  }

  private FileInfo write(String path, int replication, int bytes) throws IOException {
    CreateOptions options = new CreateOptions(0644, 0666, true, true, replication, 4096);
    try (var writer = client.files().create(path, options)) {
      writer.write(new byte[bytes], 0, bytes);
    }
    return client.names().status(path);
  }

  private List<WeighNodesOp> weighings() {
    return cluster.calls(ControlMethods.META).stream()
        .map(FakeCluster.Call::request)
        .filter(MetaRequest::hasWeighNodes)
        .map(MetaRequest::getWeighNodes)
        .toList();
  }

  private MetaResponse report(boolean settled, int joining) {
    return MetaResponse.newBuilder()
        .setRepairReport(
            RepairReportResult.newBuilder()
                .setRingEpoch(snapshot().ring().epoch())
                .setSettled(settled)
                .setJoiningPlaces(joining)
                .addNodes(cluster.nodeState(0)))
        .build();
  }

  private ClusterDescription snapshot() {
    try {
      return client.cluster();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void shouldGiveNodesTheWeightsThatTheyPublishAndWaitForTheCopies() throws IOException {
    cluster.user(FakeCluster.SUPERUSER);
    cluster.acceptMarks();
    Deque<MetaResponse> reports =
        new ArrayDeque<>(
            List.of(report(true, 0), report(false, 0), report(true, 3), report(true, 0)));
    cluster.repairReports(() -> reports.size() > 1 ? reports.poll() : reports.peek());
    assertEquals(
        ExitCodes.SOUND,
        run(TestLines.alone(new BalanceCommand(clusters(), PAUSE, PATIENCE)), "balance", "--json"),
        text(err));
    assertEquals(1, reports.size(), "the command looked until nothing was to be copied");
    WeighNodesOp weighed = weighings().get(0);
    assertEquals(2, weighed.getWeightsCount(), "the first node weighs 1 already");
    assertEquals(
        5, weighed.getWeightsList().stream().mapToDouble(NodeWeightProto::getWeight).sum());
    JsonNode json = new ObjectMapper().readTree(text(out));
    assertEquals(0, json.get("exitCode").asInt());
    assertEquals(3, json.at("/nodes/2/weight").asDouble());
    assertEquals(1, json.at("/nodes/2/weightBefore").asDouble());
    assertEquals(1000, json.at("/nodes/2/capacityBytes").asLong());

    assertEquals(ExitCodes.SOUND, run("balance", "--no-wait"), text(err));
    assertTrue(text(out).matches("(?s)node .*n1:1002 +0.0 +2.0 +1.0\n.*"), text(out));
  }

  @Test
  void shouldChangeNothingWhereANodeDoesNotTellItsWeight() {
    cluster.user(FakeCluster.SUPERUSER);
    cluster.acceptMarks();
    cluster.fault(2, FakeCluster.Fault.DEAD);
    assertEquals(ExitCodes.FAILED, run("balance"));
    assertTrue(text(err).contains("does not tell how much room it has: node=n2:1003"), text(err));
    assertEquals(List.of(), weighings());
  }

  @Test
  void shouldCountWhatIsBelowADirectory() throws IOException {
    FileInfo first = write("/d/e/f", 3, 100);
    FileInfo second = write("/d/g", 1, (int) FakeCluster.GEOMETRY.groupSize() + 1);
    write("/other", 3, 100);
    BalanceReport.Sum sum =
        new BalanceReport.Sum(client.cluster().ring(), FakeCluster.GEOMETRY.groupSize());
    sum.add(first.inodeId(), first.length(), 3);
    sum.add(second.inodeId(), second.length(), 1);
    BalanceReport expected = sum.report();

    assertEquals(ExitCodes.SOUND, run("balance", "report", "/d", "--json"), text(err));

    JsonNode json = new ObjectMapper().readTree(text(out));
    assertEquals(2, json.get("files").asInt());
    assertEquals(3, json.get("groups").asInt());
    assertEquals(5, json.get("copies").asInt());
    assertEquals("turn", json.get("placement").asText());
    assertEquals(expected.variance(), json.get("variance").asDouble(), 1e-9);
    assertEquals(expected.randomVariance(), json.get("randomVariance").asDouble(), 1e-9);
    assertEquals(3, json.get("nodes").size());
    for (JsonNode node : json.get("nodes")) {
      BalanceReport.NodeLoad load =
          expected.nodes().stream()
              .filter(known -> known.node().toString().equals(node.get("node").asText()))
              .findFirst()
              .orElseThrow();
      assertEquals(load.copies(), node.get("copies").asLong());
      assertEquals(load.bytes(), node.get("bytes").asLong());
      assertEquals(expected.isBeyond(load), node.get("beyond").asBoolean());
    }
  }

  @Test
  void shouldShowABarForEachNodeAndColoursOnATerminalAlone() throws IOException {
    FileInfo file = write("/f", 1, 100);
    assertEquals(ExitCodes.SOUND, run("balance", "report", "/"), text(err));
    assertTrue(text(out).startsWith("/: 1 files, 1 groups, 1 copies, 100 B, placement turn"));
    assertTrue(text(out).matches("(?s).* 1 +1 +100 B +\\+1\\.4  #+\\|#+\n.*"), text(out));
    assertTrue(text(out).contains("variance 0.22; 0.22 at random places"), text(out));
    assertTrue(text(out).contains("beyond one standard deviation (0.47): 1 of 3 nodes"));
    assertFalse(text(out).contains("\u001b"));

    BalanceReport.Sum sum =
        new BalanceReport.Sum(client.cluster().ring(), FakeCluster.GEOMETRY.groupSize());
    sum.add(file.inodeId(), file.length(), 1);
    StringWriter terminal = new StringWriter();
    new BalanceTable(client.cluster(), sum.report(), "/", 1).print(100, new PrintWriter(terminal));
    assertTrue(terminal.toString().contains("\u001b[33m#"), terminal.toString());
    assertTrue(terminal.toString().contains("\u001b[32m"), terminal.toString());
  }

  @Test
  void shouldGoByTheTerminalOfItsOutputAndNotByThatOfItsErrors() throws IOException {
    assertTrue(write("/f", 1, 100).length() > 0);
    String terminal = System.setProperty(ProgressBar.WIDTH, "100");
    String output = System.setProperty(BalanceTable.WIDTH, "0");
    try {
      assertEquals(ExitCodes.SOUND, run("balance", "report", "/"), text(err));
      assertFalse(text(out).contains("\u001b"), text(out));
      System.setProperty(BalanceTable.WIDTH, "100");
      assertEquals(ExitCodes.SOUND, run("balance", "report", "/"), text(err));
      assertTrue(text(out).contains("\u001b[33m#"), text(out));
    } finally {
      restore(ProgressBar.WIDTH, terminal);
      restore(BalanceTable.WIDTH, output);
    }
  }

  private static void restore(String property, String value) {
    if (value == null) {
      System.clearProperty(property);
    } else {
      System.setProperty(property, value);
    }
  }

  @Test
  void shouldShowAnEmptyTree() throws IOException {
    assertEquals(ExitCodes.SOUND, run("balance", "report", "/"), text(err));
    assertTrue(text(out).contains("per node 0.0 copies, variance 0.00"), text(out));
  }

  @Test
  void shouldFailWhereNothingIsAndRefuseWhatIsNoPath() {
    assertEquals(ExitCodes.FAILED, run("balance", "report", "/none"));
    assertTrue(text(err).contains("/none"), text(err));
    for (String path : new String[] {"d", "/d/../e", "/d//e"}) {
      assertEquals(ExitCodes.USAGE, run("balance", "report", path));
      assertTrue(text(err).contains("PATH begins with a slash"), text(err));
    }
    assertEquals(ExitCodes.USAGE, run("balance", "report"));
  }
}
