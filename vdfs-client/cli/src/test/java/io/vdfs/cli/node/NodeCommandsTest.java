package io.vdfs.cli.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.vdfs.cli.MissingCopies;
import io.vdfs.cli.SuperuserLine;
import io.vdfs.cli.cluster.Clusters;
import io.vdfs.cli.progress.Patience;
import io.vdfs.cli.progress.ProgressBar;
import io.vdfs.client.VdfsClient;
import io.vdfs.client.admin.NodeDecision;
import io.vdfs.client.fake.FakeCluster;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.rpc.ControlMethods;
import io.vdfs.common.rpc.Errors;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.GiveUpVolumesOp;
import io.vdfs.common.wire.proto.KnownVolumeProto;
import io.vdfs.common.wire.proto.MarkNodesOp;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.NodeMarkProto;
import io.vdfs.common.wire.proto.NodeStateProto;
import io.vdfs.common.wire.proto.RepairReportResult;
import io.vdfs.common.wire.proto.VolumeStateProto;
import io.vdfs.datanode.command.ExitCodes;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How operators remove nodes. */
@Timeout(60)
class NodeCommandsTest {
  private final FakeCluster cluster = new FakeCluster();
  private final SuperuserLine line = new SuperuserLine(cluster);

  private NodeStateProto.Builder node(int number) {
    return cluster.nodeState(number).setControlPort(1001 + number);
  }

  private static RepairReportResult report(NodeStateProto.Builder... nodes) {
    RepairReportResult.Builder report = RepairReportResult.newBuilder().setRingEpoch(7);
    List.of(nodes).forEach(report::addNodes);
    return report.build();
  }

  private MarkNodesOp marked() {
    return cluster.calls(ControlMethods.META).stream()
        .map(FakeCluster.Call::request)
        .filter(MetaRequest::hasMarkNodes)
        .reduce((one, other) -> other)
        .orElseThrow()
        .getMarkNodes();
  }

  @Test
  void shouldMarkNodesByAnyOfTheirNames() throws IOException {
    cluster.repairReport(
        report(
            node(0).setLeaving(true).setServingPlaces(5).setMember(true),
            node(1).setLeaving(true).setServingPlaces(0),
            node(2)));
    cluster.acceptMarks();
    assertEquals(
        ExitCodes.SOUND,
        line.run("node", "decommission", "--no-wait", "n0", "n1:1002"),
        line::output);
    assertEquals(NodeMarkProto.MARK_LEAVING, marked().getMark());
    assertEquals(
        List.of(WireIds.encode(cluster.node(0)), WireIds.encode(cluster.node(1))),
        marked().getNodesList());
    assertTrue(line.output().contains("n0:1001  leaves;"), line.output());

    assertEquals(
        ExitCodes.SOUND,
        line.run("node", "recommission", cluster.node(1).toString()),
        line::output);
    assertEquals(NodeMarkProto.MARK_STAYING, marked().getMark());

    assertEquals(ExitCodes.SOUND, line.run("node", "status"), line::output);
    assertTrue(line.output().matches("(?s).*n0:1001 +\\S+ +leaving +5 .*"), line.output());
    assertTrue(line.output().matches("(?s).*n1:1002 +\\S+ +left +0 .*"), line.output());

    assertEquals(
        ExitCodes.SOUND,
        line.run("node", "decommission", "--no-wait", "--json", "n1", "n1:1002"),
        line::output);
    assertEquals(1, marked().getNodesCount());
    JsonNode told = new ObjectMapper().readTree(line.output());
    assertTrue(told.path("done").asBoolean());
    assertEquals("n1:1002", told.at("/nodes/0/address").asText());
  }

  @Test
  void shouldSayWhichNodesThereAreWhereANameIsNone() {
    cluster.repairReport(report(node(0), node(1).setHost("n0"), node(2)));
    assertEquals(ExitCodes.FAILED, line.run("node", "decommission", "n9"));
    assertTrue(line.output().contains("no node is called so: name=n9;"), line.output());
    assertTrue(line.output().contains("n2:1003 ("), line.output());
    assertEquals(ExitCodes.FAILED, line.run("node", "decommission", "n0"));
    assertTrue(line.output().contains("not exactly one node that suits"), line.output());
    assertTrue(
        line.output().contains("n0:1001 (") && line.output().contains("n0:1002 ("), line.output());
    assertFalse(line.output().contains("n2:1003"), line.output());
    assertEquals(ExitCodes.USAGE, line.run("node", "decommission"));
    assertEquals(ExitCodes.USAGE, line.run("node", "remove", "n0"));
    assertTrue(line.output().contains("--gone"), line.output());
  }

  @Test
  void shouldTakeTheDeadOneOfTwoAtAnAddressForTheOneThatIsGone() {
    cluster.acceptMarks();
    cluster.repairReport(
        report(node(0), node(1).setHost("n0").setControlPort(1001).setLive(false), node(2)));
    assertEquals(
        ExitCodes.SOUND,
        line.run("node", "remove", "--gone", "--no-wait", "n0:1001"),
        line::output);
    assertEquals(NodeMarkProto.MARK_GONE, marked().getMark());
    assertEquals(WireIds.encode(cluster.node(1)), marked().getNodes(0));
    assertFalse(marked().getAcceptLoss());

    assertEquals(
        ExitCodes.SOUND,
        line.run("node", "replace", "--accept-loss", "--no-wait", "n0:1001"),
        line::output);
    assertTrue(marked().getAcceptLoss());
  }

  @Test
  void shouldSayThatANewNodeMayBeStartedWhereNoneIsThere() {
    String mayStart = "n2  may be replaced: start a daemon with empty directories";
    cluster.acceptMarks();
    cluster.repairReport(report(node(0), node(1), node(2).setLive(false)));
    assertEquals(ExitCodes.SOUND, line.run("node", "replace", "--no-wait", "n2"), line::output);
    assertTrue(line.output().contains(mayStart), line.output());
    assertEquals(NodeMarkProto.MARK_GONE, marked().getMark());
    cluster.repairReport(report(node(0), node(1).setServingPlaces(0), node(2).setLive(false)));
    assertEquals(ExitCodes.SOUND, line.run("node", "replace", "--no-wait", "n2"), line::output);
    assertFalse(line.output().contains(mayStart), line.output());
  }

  @Test
  void shouldPassOnWhyTheLeaderRefuses() {
    cluster.repairReport(report(node(0), node(1), node(2)));
    cluster.user("alice");
    assertEquals(ExitCodes.FAILED, line.run("node", "decommission", "n0"));
    assertTrue(line.output().contains("decision about a node"), line.output());
  }

  @Test
  void shouldFollowANodeUntilTheClusterDoesWithoutIt() throws IOException {
    StringWriter screen = new StringWriter();
    StringWriter out = new StringWriter();
    Deque<MetaResponse> states =
        new ArrayDeque<>(
            List.of(
                answer(node(0).setServingPlaces(9).setMember(true), true),
                answer(node(0).setLeaving(true).setServingPlaces(9).setMember(true), true),
                Errors.response(ErrorCode.UNAVAILABLE, "an election"),
                answer(node(0).setLeaving(true).setServingPlaces(4).setMember(true), true),
                answer(node(0).setLeaving(true).setServingPlaces(0).setMember(true), true),
                answer(node(0).setLeaving(true).setServingPlaces(0), false),
                answer(node(0).setLeaving(true).setServingPlaces(0), true)));
    cluster.repairReports(
        () ->
            states.peek().hasError() && screen.toString().contains("not known now")
                ? next(states)
                : states.peek().hasError() ? states.peek() : states.remove());
    NodesGoing going = going(screen, NodeDecision.LEAVES);
    Optional<String> held = going.follow();
    assertEquals(ExitCodes.SOUND, going.exitCode(held));
    going.print(held, ExitCodes.SOUND, false, new PrintWriter(out, true));
    assertTrue(states.isEmpty());
    List<String> shown = List.of(screen.toString().split("\r\u001b\\[K"));
    assertTrue(
        shown.get(1).contains("  0%  n0:1001 has 9 places of arcs and a seat of the metadata"),
        screen::toString);
    assertTrue(shown.get(2).contains("  0%  not known now: "), screen::toString);
    assertTrue(shown.get(3).contains(" 50%  n0:1001 has 4 places"), screen::toString);
    assertTrue(shown.get(4).contains(" 90%  n0:1001 has 0 places"), screen::toString);
    assertTrue(shown.get(5).contains("1 nodes have not found yet"), screen::toString);
    assertTrue(out.toString().startsWith("n0:1001  has left: "), out::toString);
  }

  private static MetaResponse next(Deque<MetaResponse> states) {
    states.remove();
    return states.remove();
  }

  @Test
  void shouldFailWhereTheDecisionIsTakenBack() throws IOException {
    cluster.repairReport(report(node(0).setServingPlaces(9), node(1), node(2)));
    NodesGoing going = going(new StringWriter(), NodeDecision.LEAVES);
    VdfsException refused = assertThrows(VdfsException.class, going::follow);
    assertTrue(refused.getMessage().contains("the node stays"), refused.getMessage());
  }

  private MetaResponse answer(NodeStateProto.Builder first, boolean confirmed) {
    return MetaResponse.newBuilder()
        .setRepairReport(report(first, node(1).setConfirmed(confirmed), node(2)))
        .build();
  }

  /** A wait whose clock moves on by a minute with each look. */
  private NodesGoing going(StringWriter screen, NodeDecision decision) throws IOException {
    AtomicLong seconds = new AtomicLong();
    ProgressBar bar =
        new ProgressBar(
            new PrintWriter(screen),
            300,
            () -> Duration.ofSeconds(seconds.incrementAndGet()).toNanos());
    AtomicLong minutes = new AtomicLong();
    Patience patience =
        new Patience(
            Duration.ofMinutes(15), () -> Duration.ofMinutes(minutes.incrementAndGet()).toNanos());
    VdfsClient client = line.client();
    List<NodeId> nodes = List.of(cluster.node(0));
    return new NodesGoing(client, bar, Duration.ZERO, patience, client.copies(), nodes, decision);
  }

  private RepairReportResult stuck() {
    return report(
            node(0).setLeaving(true).setServingPlaces(4).setMember(true),
            node(1).setConfirmed(false),
            node(2))
        .toBuilder()
        .setHeldUpBy("too few nodes")
        .build();
  }

  @Test
  void shouldEndDegradedOnceNothingHasGoneOnForLong() throws IOException {
    cluster.repairReport(stuck());
    AtomicLong looks = new AtomicLong();
    cluster.counters(
        node -> Map.of("repair.bytes_copied", node == 2 ? Math.min(100, looks.addAndGet(1)) : 7L));
    NodesGoing going = going(new StringWriter(), NodeDecision.LEAVES);

    String held = going.follow().orElseThrow();

    assertEquals(116, looks.get(), "looks, of which a hundred saw that bytes were copied");
    assertTrue(
        held.startsWith(
            "nothing has gone on for 900 s: n0:1001 has 4 places of arcs and a seat of the"
                + " metadata; none is recorded as missing; 1 nodes have not found yet that they"
                + " hold all: [n1:1002]; held up: too few nodes; the decision stands: stop no"
                + " daemon yet, "),
        held);
    assertEquals(ExitCodes.DEGRADED, going.exitCode(Optional.of(held)));
    StringWriter out = new StringWriter();
    going.print(Optional.of(held), ExitCodes.DEGRADED, true, new PrintWriter(out, true));
    JsonNode told = new ObjectMapper().readTree(out.toString());
    assertFalse(told.path("done").asBoolean());
    assertEquals(held, told.path("held").asText());
  }

  @Test
  void shouldEndWhereTheLeaderStaysSilent() throws IOException {
    cluster.repairReport(stuck());
    NodesGoing going = going(new StringWriter(), NodeDecision.LEAVES);
    cluster.repairReports(() -> Errors.response(ErrorCode.UNAVAILABLE, "an election"));
    String held = going.follow().orElseThrow();
    assertTrue(held.contains("the metadata leader does not tell ("), held);
    assertTrue(held.contains("before: n0:1001 has 4 places"), held);
  }

  @Test
  void shouldGiveUpByTheCommandsPatience() {
    cluster.repairReport(stuck());
    cluster.acceptMarks();
    NodeCommand node =
        new NodeCommand(new Clusters(conf -> line.client()), Duration.ZERO, Duration.ZERO);
    int code = line.runAlone(node, "node", "decommission", "n0");
    assertEquals(ExitCodes.DEGRADED, code, line::output);
    assertTrue(line.output().contains("n0:1001  leaves; "), line.output());
    assertTrue(line.output().contains("nothing has gone on for 0 s: "), line.output());
  }

  @Test
  void shouldEndSoundWithoutAWaitHoweverTheClusterIs() throws IOException {
    cluster.repairReport(stuck());
    cluster.acceptMarks();
    assertEquals(
        ExitCodes.SOUND,
        line.run("node", "decommission", "--no-wait", "--json", "n0"),
        line::output);
    JsonNode told = new ObjectMapper().readTree(line.output());
    assertEquals(ExitCodes.SOUND, told.path("exitCode").asInt());
    assertFalse(told.path("done").asBoolean());
    assertEquals(4, told.at("/nodes/0/servingPlaces").asInt());
  }

  @Test
  void shouldTellTheStateOfEachNode() throws IOException {
    assertEquals(ExitCodes.SOUND, line.run("node", "status"), line::output);
    cluster.repairReport(MissingCopies.of(cluster, 12, 4).build());
    assertEquals(ExitCodes.DEGRADED, line.run("node", "status"), line::output);
    assertTrue(
        line.output().matches("(?s).*n0:1001 +\\S+ +alive +12 +0 +0 +yes\\R.*"), line.output());
    assertTrue(
        line.output().matches("(?s).*n1:1002 +\\S+ +alive +12 +0 +12 +not confirmed\\R.*"),
        line.output());
    assertTrue(line.output().matches("(?s).*n2:1003 +\\S+ +missing +12 +.*"), line.output());
    assertTrue(line.output().contains("others take its places in 539 s"), line.output());

    assertEquals(ExitCodes.DEGRADED, line.run("node", "status", "--json"), line::output);
    JsonNode told = new ObjectMapper().readTree(line.output());
    assertEquals(12, told.path("missingCopies").asInt());
    assertEquals(1_200_000_000, told.path("missingBytes").asLong());
    assertEquals(4, told.path("joiningPlaces").asInt());
    assertEquals(3, told.path("nodes").size());
    assertEquals("n2:1003", told.at("/nodes/2/address").asText());
    assertEquals(61_000, told.at("/nodes/2/missingMillis").asInt());
    assertEquals(539_000, told.at("/nodes/2/replacedInMillis").asInt());
    assertFalse(told.at("/nodes/2/live").asBoolean());
    assertEquals(12, told.at("/nodes/1/lackingCopies").asInt());
    assertEquals(ExitCodes.DEGRADED, told.path("exitCode").asInt());
  }

  private static KnownVolumeProto volume(int number, String directory, VolumeStateProto state) {
    return KnownVolumeProto.newBuilder()
        .setId(WireIds.encode(new UUID(0, number)))
        .setDirectory(directory)
        .setCapacity(4_000_000_000L)
        .setState(state)
        .build();
  }

  /** Node 1 has had four volumes, two of them at the same place. */
  private void reportVolumes() {
    cluster.repairReport(
        report(
            node(0).addVolumes(volume(1, "/d1", VolumeStateProto.VOLUME_SERVING)),
            node(1)
                .addVolumes(volume(2, "/d1", VolumeStateProto.VOLUME_FAILED))
                .addVolumes(volume(3, "/d2", VolumeStateProto.VOLUME_SUSPECT))
                .addVolumes(volume(4, "/d3", VolumeStateProto.VOLUME_SERVING))
                .addVolumes(volume(5, "/d3", VolumeStateProto.VOLUME_FAILED))
                .addVolumes(volume(6, "/d4", VolumeStateProto.VOLUME_GIVEN_UP)),
            node(2)));
  }

  private GiveUpVolumesOp givenUp() {
    return cluster.calls(ControlMethods.META).stream()
        .map(FakeCluster.Call::request)
        .filter(MetaRequest::hasGiveUpVolumes)
        .reduce((one, other) -> other)
        .orElseThrow()
        .getGiveUpVolumes();
  }

  @Test
  void shouldShowVolumesThatDoNotServe() throws IOException {
    reportVolumes();
    String failed =
        "volume       %s at /d1 of n1:1002: failed, is not served; mount its disk; or, if it is"
                .formatted(new UUID(0, 2))
            + " lost, say 'vdfs node volume add %s %s'".formatted(cluster.node(1), new UUID(0, 2));
    for (List<String> command : List.of(List.of("node", "status"), List.of("report"))) {
      assertEquals(ExitCodes.DEGRADED, line.run(command.toArray(String[]::new)), line::output);
      assertTrue(line.output().contains(failed), line.output());
      assertTrue(line.output().contains(" at /d2 of n1:1002: suspect, takes "), line.output());
      assertTrue(line.output().contains(" at /d4 of n1:1002: given up; "), line.output());
      assertFalse(line.output().contains("of n0:1001"), line.output());
    }
    assertEquals(ExitCodes.DEGRADED, line.run("node", "status", "--json"), line::output);
    JsonNode volumes = new ObjectMapper().readTree(line.output()).at("/nodes/1/volumes");
    assertEquals(5, volumes.size());
    assertEquals("/d2", volumes.at("/1/directory").asText());
    assertEquals("suspect", volumes.at("/1/state").asText());
    assertEquals(4_000_000_000L, volumes.at("/1/capacity").asLong());
    assertEquals(new UUID(0, 3).toString(), volumes.at("/1/id").asText());

    assertEquals(ExitCodes.DEGRADED, line.run("report", "--json"), line::output);
    JsonNode bad = new ObjectMapper().readTree(line.output()).path("badVolumes");
    assertEquals(3, bad.size());
    assertEquals("n1:1002", bad.at("/0/address").asText());
    assertEquals("/d1", bad.at("/0/directory").asText());
    assertEquals("failed", bad.at("/0/state").asText());
  }

  @Test
  void shouldCallVolumesSoundThatServeOrWereGivenUp() {
    cluster.repairReport(
        report(
            node(0).addVolumes(volume(1, "/d1", VolumeStateProto.VOLUME_SERVING)),
            node(1).addVolumes(volume(6, "/d4", VolumeStateProto.VOLUME_GIVEN_UP)),
            node(2)));
    assertEquals(ExitCodes.SOUND, line.run("node", "status"), line::output);
  }

  @Test
  void shouldGiveUpVolumesByTheirIdsOrDirectories() throws IOException {
    reportVolumes();
    cluster.acceptMarks();
    assertEquals(
        ExitCodes.SOUND,
        line.run("node", "volume", "add", "n1", "/d1", "/d3", new UUID(0, 3).toString()),
        line::output);
    assertEquals(WireIds.encode(cluster.node(1)), givenUp().getNode());
    assertEquals(
        List.of(2, 5, 3).stream().map(number -> WireIds.encode(new UUID(0, number))).toList(),
        givenUp().getVolumesList());
    assertTrue(
        line.output()
            .contains("%s  is given up: start the daemon of n1 ".formatted(new UUID(0, 2))),
        line.output());
    assertEquals(
        ExitCodes.SOUND,
        line.run("node", "volume", "add", "--json", cluster.node(1).toString(), "/d2"),
        line::output);
    JsonNode told = new ObjectMapper().readTree(line.output());
    assertEquals(new UUID(0, 3).toString(), told.at("/givenUp/0").asText());
    assertEquals(cluster.node(1).toString(), told.path("node").asText());
  }

  @Test
  void shouldSayWhatIsWrongWithAVolumeThatIsToBeGivenUp() {
    reportVolumes();
    assertEquals(ExitCodes.USAGE, line.run("node", "volume", "add", "n1"));
    assertEquals(ExitCodes.FAILED, line.run("node", "volume", "add", "n9", "/d1"));
    assertTrue(line.output().contains("no node is called so: name=n9;"), line.output());
    assertEquals(ExitCodes.FAILED, line.run("node", "volume", "add", "n1", "/d9"));
    assertTrue(line.output().contains("no volume there: volume=/d9; "), line.output());
    assertTrue(line.output().contains(new UUID(0, 2) + " at /d1"), line.output());
    assertEquals(
        ExitCodes.FAILED, line.run("node", "volume", "add", "n1", new UUID(0, 77).toString()));
    assertTrue(line.output().contains("no such node has reported"), line.output());
    assertEquals(0, cluster.operations().getOrDefault(MetaRequest.OpCase.MARK_NODES, 0));
  }
}
