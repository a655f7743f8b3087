package io.vdfs.cli.report;

import static io.vdfs.client.fake.FakeCluster.Fault.MUTE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.vdfs.cli.MissingCopies;
import io.vdfs.cli.SuperuserLine;
import io.vdfs.cli.progress.ProgressBar;
import io.vdfs.client.fake.FakeCluster;
import io.vdfs.client.fake.FakeCluster.Fault;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.rpc.Errors;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.RepairReportResult;
import io.vdfs.datanode.command.ExitCodes;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The report of missing copies, as lines, as an object and by a watch. */
@Timeout(60)
class ReportCommandTest {
  private final FakeCluster cluster = new FakeCluster();
  private final SuperuserLine line = new SuperuserLine(cluster);

  @Test
  void shouldReportCopiesThatAreMissing() throws IOException {
    assertEquals(ExitCodes.SOUND, line.run("report"), line::output);
    assertTrue(line.output().contains("copies       none is missing"), line.output());

    cluster.repairReport(
        MissingCopies.of(cluster, 12, 4).setHeldUpBy("half of the nodes are missing").build());

    assertEquals(ExitCodes.DEGRADED, line.run("report"), line::output);
    assertTrue(
        line.output()
            .contains(
                "copies       12 missing (1.2 GB), of 6 groups one is left; blocks are copied for 4"
                    + " places of arcs"),
        line.output());
    assertTrue(
        line.output().contains("  n2:1003 missing for 61 s, others take its places in 539 s"),
        line.output());
    assertTrue(line.output().contains("  held up: half of the nodes are missing"), line.output());
  }

  @Test
  void shouldNotSayWhenANodeIsReplacedThatIsNot() throws IOException {
    RepairReportResult.Builder report = MissingCopies.of(cluster, 0, 0);
    report.getNodesBuilder(2).clearReplacedInMillis();
    cluster.repairReport(report.build());
    assertEquals(ExitCodes.DEGRADED, line.run("report"), line::output);
    assertTrue(
        line.output().contains("  n2:1003 missing for 61 s" + System.lineSeparator()),
        line.output());

    report.getNodesBuilder(2).clearMissingMillis();
    cluster.repairReport(report.build());
    assertEquals(ExitCodes.DEGRADED, line.run("report"), line::output);
    assertTrue(
        line.output().contains("  n2:1003 not seen alive yet by a new leader"), line.output());
  }

  @Test
  void shouldNotCallACopyThereWhereTheLeaderDoesNotTell() throws IOException {
    cluster.repairReports(MetaResponse::getDefaultInstance);
    assertEquals(ExitCodes.DEGRADED, line.run("report"), line::output);
    assertTrue(line.output().contains("copies       not known, "), line.output());
    assertEquals(ExitCodes.FAILED, line.run("node", "status"), line::output);
    assertEquals(ExitCodes.FAILED, line.run("report", "--watch"), line::output);
  }

  @Test
  void shouldCountDownWhatIsMissingUntilAllIsThere() throws IOException {
    StringWriter screen = new StringWriter();
    StringWriter out = new StringWriter();
    AtomicLong seconds = new AtomicLong();
    ProgressBar bar =
        new ProgressBar(
            new PrintWriter(screen),
            300,
            () -> Duration.ofSeconds(seconds.incrementAndGet()).toNanos());
    RepairReportResult whole =
        RepairReportResult.newBuilder().addNodes(cluster.nodeState(0)).build();
    Deque<RepairReportResult> states =
        new ArrayDeque<>(
            List.of(
                MissingCopies.of(cluster, 12, 8).build(),
                MissingCopies.of(cluster, 4, 1).build(),
                whole));
    cluster.repairReports(
        () ->
            states.size() == 2 && screen.toString().indexOf("not known now") < 0
                ? Errors.response(ErrorCode.UNAVAILABLE, "an election")
                : MetaResponse.newBuilder().setRepairReport(states.remove()).build());

    int code = new CopiesWatch(line.client(), bar, Duration.ZERO).watch(new PrintWriter(out, true));

    assertEquals(ExitCodes.SOUND, code);
    List<String> shown = List.of(screen.toString().split("\r\u001b\\[K"));
    assertTrue(shown.get(1).startsWith("[---"), screen::toString);
    assertTrue(shown.get(1).contains("  0%  12 missing (1.2 GB)"), screen::toString);
    assertTrue(shown.get(1).contains("n2:1003 missing for 61 s"), screen::toString);
    assertTrue(shown.get(2).contains("  0%  not known now: "), screen::toString);
    assertTrue(shown.get(3).contains(" 75%  4 missing (0.4 GB)"), screen::toString);
    assertEquals("copies       none is missing" + System.lineSeparator(), out.toString());
  }

  @Test
  void shouldWatchByTheReport() {
    assertEquals(ExitCodes.SOUND, line.run("report", "--watch"), line::output);
    assertEquals("copies       none is missing\n", line.output());
  }

  @Test
  void shouldReportWhatIsKnownAsOneObjectWhereTheLeaderIsSilent() throws IOException {
    cluster.fault(0, Fault.BUSY);
    cluster.fault(1, MUTE);
    int code = line.run("report");
    assertTrue(line.output().contains("surplus      not known, "), line.output());

    assertEquals(code, line.run("report", "--json"), line::output);

    JsonNode told = new ObjectMapper().readTree(line.output());
    assertEquals(code, told.path("exitCode").asInt());
    assertTrue(told.path("surplusError").asText().contains("no majority"), line.output());
    assertFalse(told.has("surplusBytes"), line.output());
    for (String part :
        List.of(
            "/copies/error",
            "/missedDeletions/0/error",
            "/recoveries/error",
            "/nodes/1/error",
            "/nodes/1/countersError",
            "/silentMembers/n1:1002")) {
      assertFalse(told.at(part).asText().isEmpty(), () -> part + ": " + line.output());
    }
    assertEquals("/d0", told.at("/nodes/0/volumes/0/directory").asText());
    assertEquals(3_000_000_000L, told.at("/nodes/2/counters/stream/disk_bytes").asLong());
  }

  @Test
  void shouldReportAsOneObjectThatNoNodeAnswers() throws IOException {
    for (int node = 0; node < FakeCluster.NODES; node++) {
      cluster.fault(node, Fault.DEAD);
    }
    int code = line.run("report");
    assertEquals(code, line.run("report", "--json"), line::output);
    JsonNode told = new ObjectMapper().readTree(line.output());
    assertEquals(ExitCodes.FAILED, told.path("exitCode").asInt());
    assertFalse(told.path("error").asText().isEmpty(), line.output());
  }

  @Test
  void shouldReportAsOneObject() throws IOException {
    cluster.counters(node -> Map.of("scrub.oldest_unverified_seconds", 3L * 86_400));
    assertEquals(ExitCodes.SOUND, line.run("report", "--json"), line::output);
    JsonNode told = new ObjectMapper().readTree(line.output());
    assertEquals(3, told.path("nodes").size());
    assertEquals("n0:1001", told.at("/nodes/0/address").asText());
    assertEquals(259_200, told.at("/nodes/0/counters/scrub/oldest_unverified_seconds").asInt());
    assertEquals(0, told.at("/copies/missing").asInt());
    assertEquals(ExitCodes.SOUND, told.path("exitCode").asInt());
    cluster.repairReport(MissingCopies.of(cluster, 12, 4).build());
    assertEquals(ExitCodes.DEGRADED, line.run("report", "--json"), line::output);
    told = new ObjectMapper().readTree(line.output());
    assertEquals(12, told.at("/copies/missing").asInt());
    assertEquals("n2:1003", told.at("/copies/missingNodes/0").asText());
    assertEquals(ExitCodes.USAGE, line.run("report", "--json", "--watch"), line::output);

    assertEquals(ExitCodes.DEGRADED, line.run("report"), line::output);
    assertTrue(line.output().contains("repair and scrubbing"), line.output());
    assertTrue(line.output().matches("(?s).*oldest d\\R.* 3\\.0\\R.*"), line.output());
  }
}
