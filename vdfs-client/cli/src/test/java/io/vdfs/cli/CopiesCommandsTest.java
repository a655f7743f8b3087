package io.vdfs.cli;

import static io.vdfs.client.fake.FakeCluster.Fault.MUTE;
import static io.vdfs.client.fake.FakeCluster.Fault.NONE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.vdfs.client.ContentWriter;
import io.vdfs.client.CreateOptions;
import io.vdfs.client.FileInfo;
import io.vdfs.client.VdfsClient;
import io.vdfs.client.fake.FakeClient;
import io.vdfs.client.fake.FakeCluster;
import io.vdfs.client.fake.FakeCluster.Fault;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.rpc.Errors;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.BeginRecoveryOp;
import io.vdfs.common.wire.proto.ExclusionProto;
import io.vdfs.common.wire.proto.FinishRecoveryOp;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.NodeRepairResponse;
import io.vdfs.common.wire.proto.RepairReportResult;
import io.vdfs.common.wire.proto.ScrubBegunProto;
import io.vdfs.datanode.command.Commands;
import io.vdfs.datanode.command.ExitCodes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

/** What an operator asks when copies are missing. */
@Timeout(60)
class CopiesCommandsTest {
  private static final int GROUP = (int) FakeCluster.GEOMETRY.groupSize();

  private final FakeCluster cluster = new FakeCluster();
  private final FakeClient writing = new FakeClient(cluster, "x");
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  @BeforeEach
  void beSuperuser() {
    cluster.user(FakeCluster.SUPERUSER);
  }

  private int run(String... arguments) {
    bytes.reset();
    return Commands.run(VdfsCommands.line(conf -> client()), arguments, bytes, bytes);
  }

  private VdfsClient client() {
    return new FakeClient(cluster, "x").client();
  }

  private String output() {
    return bytes.toString(StandardCharsets.UTF_8);
  }

  private ContentWriter begin(String path, int groups) throws IOException {
    ContentWriter writer =
        writing.client().files().create(path, new CreateOptions(0644, 0666, true, true, 3, 4096));
    writer.write(new byte[groups * GROUP], 0, groups * GROUP);
    return writer;
  }

  private void write(String path, int groups) throws IOException {
    begin(path, groups).close();
  }

  /** A file of so many groups that recovery closed with nodes left out. */
  private void writeWithout(String path, int groups, ExclusionProto... leftOut) throws IOException {
    begin(path, groups).flush();
    FileInfo file = writing.client().names().status(path);
    BeginRecoveryOp recovery =
        BeginRecoveryOp.newBuilder()
            .setFile(WireIds.encode(file.key()))
            .setWriteEpoch(file.writeEpoch())
            .build();
    int epoch =
        writing
            .metadata()
            .call(MetaRequest.newBuilder().setBeginRecovery(recovery).build())
            .getOpenFile()
            .getStatus()
            .getWriteEpoch();
    FinishRecoveryOp end =
        FinishRecoveryOp.newBuilder()
            .setFile(WireIds.encode(file.key()))
            .setWriteEpoch(epoch)
            .setLength((long) groups * GROUP)
            .addAllExclusions(List.of(leftOut))
            .build();
    writing.metadata().call(MetaRequest.newBuilder().setFinishRecovery(end).build());
  }

  private ExclusionProto without(int node, int first, int end) {
    return ExclusionProto.newBuilder()
        .setNode(WireIds.encode(cluster.node(node)))
        .setFirstGroup(first)
        .setEndGroup(end)
        .build();
  }

  @Test
  void shouldAcceptALossWhereToldTo() throws IOException {
    assertEquals(ExitCodes.SOUND, run("fsck"), this::output);
    assertFalse(cluster.operations().containsKey(MetaRequest.OpCase.ACCEPT_LOSS));
    assertEquals(ExitCodes.SOUND, run("fsck", "--accept"), this::output);
    assertEquals(1, cluster.operations().get(MetaRequest.OpCase.ACCEPT_LOSS));
  }

  @Test
  void shouldFindASoundTreeSound() throws IOException {
    write("/d/e/f", 3);
    write("/d/empty", 0);
    ContentWriter open = begin("/d/open", 0);
    assertEquals(ExitCodes.SOUND, run("fsck"), this::output);
    open.close();
    assertTrue(
        output().startsWith("looked at    3 directories, 3 files of 0.0 GB in 3 groups, by ring"),
        output());
    assertTrue(output().contains("open         1 files are being written"), output());
    assertTrue(output().contains("missing      no copy of what was looked at"), output());
  }

  @Test
  void shouldNameFilesThatLackCopies() throws IOException {
    write("/sound", 2);
    writeWithout("/d/f", 5, without(0, 0, 2), without(1, 4, 5));
    write("/other", 1);

    assertEquals(ExitCodes.DEGRADED, run("fsck"), this::output);

    assertEquals(
        List.of("/d/f: groups 0-1: 2 of 3 copies", "/d/f: group 4: 2 of 3 copies"),
        output().lines().limit(2).toList());
    assertFalse(output().contains("/sound"), output());
    assertTrue(
        output().contains("groups       3 have fewer copies than they should have"), output());
    assertTrue(
        output().contains("missing      3 copies; 1 files are not as they should be"), output());
    assertEquals(ExitCodes.SOUND, run("fsck", "/sound"), this::output);
    assertEquals(ExitCodes.DEGRADED, run("fsck", "/d/f"), this::output);
  }

  @Test
  void shouldFailWhereBytesCannotBeRead() throws IOException {
    writeWithout("/away", 1, without(0, 0, 1), without(1, 0, 1));
    writeWithout("/lost", 1, without(0, 0, 1), without(1, 0, 1), without(2, 0, 1));
    assertEquals(ExitCodes.FAILED, run("fsck", "/lost"), this::output);
    assertTrue(output().contains("/lost: group 0: 0 of 3 copies\n"), output());
    assertEquals(ExitCodes.DEGRADED, run("fsck", "/away"), this::output);

    cluster.fault(2, Fault.DEAD);

    assertEquals(ExitCodes.FAILED, run("fsck", "/away"), this::output);
    assertTrue(
        output().contains("/away: group 0: 1 of 3 copies, none of them on a node that is alive"),
        output());
    write("/whole", 2);
    assertEquals(ExitCodes.DEGRADED, run("fsck", "/whole"), this::output);
    assertTrue(output().contains("groups       2 have a copy on a node that is not"), output());
  }

  @Test
  void shouldTellAllOfThatAsOneObject() throws IOException {
    writeWithout("/f", 5, without(0, 0, 2));
    writeWithout("/lost", 1, without(0, 0, 1), without(1, 0, 1), without(2, 0, 1));

    assertEquals(ExitCodes.FAILED, run("fsck", "--json", "/"), this::output);

    JsonNode told = new ObjectMapper().readTree(output());
    assertEquals(List.of("/f", "/lost"), told.path("files").findValuesAsText("path"));
    JsonNode range = told.at("/files/0/groups/0");
    assertEquals("lacking", range.path("state").asText());
    assertEquals(0, range.path("first").asInt());
    assertEquals(2, range.path("end").asInt());
    assertEquals(2, range.path("copies").asInt());
    assertEquals(3, range.path("wantedCopies").asInt());
    assertEquals(3, told.at("/totals/groups/sound").asInt());
    assertEquals(2, told.at("/totals/groups/lacking").asInt());
    assertEquals(1, told.at("/totals/groups/no_copy").asInt());
    assertEquals(5, told.at("/totals/missingCopies").asInt());
    assertEquals(1, told.path("ringEpoch").asInt());
    assertEquals(ExitCodes.FAILED, told.path("exitCode").asInt());
  }

  @Test
  void shouldSayWhatItCouldNotLookAt() throws IOException {
    cluster.user("alice");
    assertTrue(client().names().mkdirs("/secret/below", 0700, 0777, true));
    assertTrue(client().names().mkdirs("/open", 0755, 0777, true));
    cluster.user("bob");
    assertEquals(ExitCodes.FAILED, run("fsck"), this::output);
    assertTrue(output().contains("looked at    2 directories"), output());
    assertTrue(output().contains("not seen     /secret"), output());
    assertEquals(ExitCodes.FAILED, run("fsck", "/nothing"));
    assertTrue(output().startsWith("vdfs fsck: "), output());
    assertTrue(output().contains("/nothing"), output());
  }

  @Test
  void shouldGoThroughAllPagesOfADirectory() throws IOException {
    VdfsClient client = client();
    for (int i = 0; i < 1001; i++) {
      assertTrue(client.names().mkdirs("/d/" + i, 0755, 0777, true));
    }
    assertEquals(ExitCodes.SOUND, run("fsck", "/d"), this::output);
    assertTrue(output().contains("looked at    1002 directories, 0 files"), output());
  }

  private RepairReportResult.Builder missing(int copies, int joining) {
    return RepairReportResult.newBuilder()
        .setRingEpoch(7)
        .setGroupsLacking(copies)
        .setBytesLacking(copies * 100_000_000L)
        .setGroupsWithOneCopy(copies / 2)
        .setJoiningPlaces(joining)
        .addNodes(cluster.nodeState(0))
        .addNodes(cluster.nodeState(1).setGroupsLacking(copies).setConfirmed(false))
        .addNodes(
            cluster
                .nodeState(2)
                .setLive(false)
                .setConfirmed(false)
                .setMissingMillis(61_000)
                .setReplacedInMillis(539_000));
  }

  @Test
  void shouldReportCopiesThatAreMissing() throws IOException {
    assertEquals(ExitCodes.SOUND, run("report"), this::output);
    assertTrue(output().contains("copies       none is missing"), output());

    cluster.repairReport(missing(12, 4).setHeldUpBy("half of the nodes are missing").build());

    assertEquals(ExitCodes.DEGRADED, run("report"), this::output);
    assertTrue(
        output()
            .contains(
                "copies       12 missing (1.2 GB), of 6 groups one is left; blocks are copied for 4"
                    + " places of arcs"),
        output());
    assertTrue(
        output().contains("  n2:1003 missing for 61 s, others take its places in 539 s"), output());
    assertTrue(output().contains("  held up: half of the nodes are missing"), output());
  }

  @Test
  void shouldNotSayWhenANodeIsReplacedThatIsNot() throws IOException {
    RepairReportResult.Builder report = missing(0, 0);
    report.getNodesBuilder(2).clearReplacedInMillis();
    cluster.repairReport(report.build());
    assertEquals(ExitCodes.DEGRADED, run("report"), this::output);
    assertTrue(output().contains("  n2:1003 missing for 61 s" + System.lineSeparator()), output());

    report.getNodesBuilder(2).clearMissingMillis();
    cluster.repairReport(report.build());
    assertEquals(ExitCodes.DEGRADED, run("report"), this::output);
    assertTrue(output().contains("  n2:1003 not seen alive yet by a new leader"), output());
  }

  @Test
  void shouldNotCallACopyThereWhereTheLeaderDoesNotTell() throws IOException {
    cluster.repairReports(MetaResponse::getDefaultInstance);
    assertEquals(ExitCodes.DEGRADED, run("report"), this::output);
    assertTrue(output().contains("copies       not known, "), output());
    assertEquals(ExitCodes.FAILED, run("node", "status"), this::output);
    assertEquals(ExitCodes.FAILED, run("report", "--watch"), this::output);
  }

  @Test
  void shouldTellTheStateOfEachNode() throws IOException {
    assertEquals(ExitCodes.SOUND, run("node", "status"), this::output);
    cluster.repairReport(missing(12, 4).build());
    assertEquals(ExitCodes.DEGRADED, run("node", "status"), this::output);
    assertTrue(output().matches("(?s).*n0:1001 +\\S+ +alive +12 +0 +0 +yes\\R.*"), output());
    assertTrue(
        output().matches("(?s).*n1:1002 +\\S+ +alive +12 +0 +12 +not confirmed\\R.*"), output());
    assertTrue(output().matches("(?s).*n2:1003 +\\S+ +missing +12 +.*"), output());
    assertTrue(output().contains("others take its places in 539 s"), output());

    assertEquals(ExitCodes.DEGRADED, run("node", "status", "--json"), this::output);
    JsonNode told = new ObjectMapper().readTree(output());
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
        new ArrayDeque<>(List.of(missing(12, 8).build(), missing(4, 1).build(), whole));
    cluster.repairReports(
        () ->
            states.size() == 2 && screen.toString().indexOf("not known now") < 0
                ? Errors.response(ErrorCode.UNAVAILABLE, "an election")
                : MetaResponse.newBuilder().setRepairReport(states.remove()).build());

    int code = new CopiesWatch(client(), bar, Duration.ZERO).watch(new PrintWriter(out, true));

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
    assertEquals(ExitCodes.SOUND, run("report", "--watch"), this::output);
    assertEquals("copies       none is missing\n", output());
  }

  /** Nodes whose pass is over at the third look, and the first of which finds damage. */
  private void scrubbing() {
    AtomicLong looks = new AtomicLong();
    cluster.onRepair(
        (node, request) -> {
          assertTrue(request.getScrub());
          return NodeRepairResponse.newBuilder()
              .setScrub(
                  ScrubBegunProto.newBuilder()
                      .setPasses(2)
                      .setGroups(100)
                      .setBytes(1_000)
                      .setDamaged(5)
                      .setHeld(3_000_000_000L))
              .build();
        });
    cluster.counters(
        node ->
            Map.of(
                "scrub.passes",
                looks.incrementAndGet() > 6 ? 3L : 2L,
                "scrub.groups",
                100 + looks.get(),
                "scrub.bytes",
                1_000 + looks.get() * 100_000_000,
                "scrub.damaged",
                node == 0 ? 7L : 5L));
  }

  private int scrub(String... nodes) {
    bytes.reset();
    CommandLine root = new CommandLine(new RootCommand());
    root.addSubcommand(new ScrubCommand(new Clusters(conf -> client()), Duration.ZERO));
    return Commands.run(
        Commands.frame(root),
        Stream.concat(Stream.of("scrub"), Stream.of(nodes)).toArray(String[]::new),
        bytes,
        bytes);
  }

  @Test
  void shouldHaveNodesScrubAndTellWhatTheyFound() throws IOException {
    scrubbing();
    assertEquals(ExitCodes.DEGRADED, scrub(), this::output);
    List<String> lines = output().lines().toList();
    assertEquals(3, lines.size(), output());
    assertTrue(
        lines.get(0).matches("n0:1001 +\\d+ groups of .* GB read back, 2 damaged, 0 .*"), output());
    assertTrue(lines.get(1).contains(", 0 damaged, "), output());

    scrubbing();
    assertEquals(ExitCodes.SOUND, scrub("n1", "n2:1003"), this::output);
    assertEquals(2, output().lines().count());
    scrubbing();
    String id = cluster.node(0).toString();
    assertEquals(ExitCodes.DEGRADED, scrub("--json", id), this::output);
    JsonNode told = new ObjectMapper().readTree(output());
    assertEquals(1, told.path("nodes").size());
    assertEquals(id, told.at("/nodes/0/id").asText());
    assertEquals(2, told.at("/nodes/0/damagedGroups").asInt());
    assertTrue(told.at("/nodes/0/done").asBoolean());
    assertEquals(ExitCodes.DEGRADED, told.path("exitCode").asInt());
  }

  @Test
  void shouldSayWhichNodesDidNotScrub() {
    scrubbing();
    cluster.fault(2, Fault.DEAD);
    assertEquals(ExitCodes.DEGRADED, scrub("n1", "n2"), this::output);
    assertTrue(output().contains("n2:1003"), output());
    assertTrue(output().contains("not done: "), output());
    scrubbing();
    assertEquals(ExitCodes.FAILED, scrub("n2"), this::output);
    assertEquals(ExitCodes.FAILED, scrub("n1", "n7"), this::output);
    assertTrue(output().contains("no node is called so: name=n7;"), output());
    assertTrue(output().contains("n2:1003 ("), output());
    cluster.user("alice");
    assertEquals(ExitCodes.FAILED, scrub(), this::output);
    assertTrue(output().contains("only a superuser"), output());
  }

  @Test
  void shouldSayThatANodeStartedAnewWhileItScrubbed() {
    scrubbing();
    cluster.counters(node -> Map.of("scrub.passes", 9L, "scrub.groups", 3L));
    assertEquals(ExitCodes.FAILED, scrub("n0"), this::output);
    assertTrue(output().contains("not done: the node was started again meanwhile"), output());
  }

  @Test
  void shouldWaitForANodeThatDoesNotAnswerForAWhile() {
    AtomicLong looks = new AtomicLong();
    cluster.onRepair(
        (node, request) -> {
          cluster.fault(node, MUTE);
          return NodeRepairResponse.newBuilder().setScrub(ScrubBegunProto.newBuilder()).build();
        });
    cluster.counters(
        node -> {
          cluster.fault(node, looks.incrementAndGet() % NodeScrub.LOOKS == 4 ? NONE : MUTE);
          return Map.of("scrub.passes", looks.get() > 7 ? 1L : 0L, "scrub.groups", 7L);
        });
    assertEquals(ExitCodes.SOUND, scrub("n0"), this::output);
    assertEquals(10, looks.get(), "the tenth look saw the end");
  }

  @Test
  void shouldGiveUpANodeThatAnswersNoMore() {
    AtomicLong looks = new AtomicLong();
    cluster.onRepair(
        (node, request) -> {
          cluster.fault(0, MUTE);
          return NodeRepairResponse.newBuilder().setScrub(ScrubBegunProto.newBuilder()).build();
        });
    cluster.counters(
        node -> Map.of("scrub.passes", node == 1 || looks.incrementAndGet() > 99 ? 1L : 0L));
    assertEquals(ExitCodes.DEGRADED, scrub("n0", "n1"), this::output);
    assertEquals(5, looks.get());
    assertTrue(
        output().contains("not done: 5 looks in a row unanswered: no answer in time"), output());
    assertEquals(ExitCodes.FAILED, scrub("n0"), this::output);
  }

  private Optional<String> awaitRepair(Duration patience) throws IOException {
    ProgressBar bar = new ProgressBar(new PrintWriter(new StringWriter()), 0, () -> 0);
    return new RepairWait(client(), bar, Duration.ZERO, new Patience(patience, System::nanoTime))
        .run();
  }

  @Test
  void shouldWaitUntilAllNodesHaveLookedAndNothingIsMissing() throws IOException {
    AtomicLong looks = new AtomicLong();
    List<Integer> asked = new ArrayList<>();
    cluster.onRepair(
        (node, request) -> {
          assertTrue(request.getAudit() && !request.getScrub());
          asked.add(node);
          return NodeRepairResponse.newBuilder().setAudits(4).build();
        });
    cluster.counters(node -> Map.of("repair.audits", looks.incrementAndGet() > 20 ? 4L : 3L));
    Deque<RepairReportResult> states =
        new ArrayDeque<>(List.of(missing(12, 8).build(), missing(4, 0).build()));
    RepairReportResult whole =
        RepairReportResult.newBuilder().addNodes(cluster.nodeState(0)).build();
    cluster.repairReports(
        () ->
            MetaResponse.newBuilder()
                .setRepairReport(states.isEmpty() ? whole : states.remove())
                .build());
    assertEquals(Optional.empty(), awaitRepair(Duration.ofMinutes(1)));
    assertEquals(List.of(0, 1, 2), asked);
    assertTrue(looks.get() > 20, "a node had not looked yet");

    assertEquals(ExitCodes.SOUND, run("fsck", "--repair"), this::output);
  }

  @Test
  void shouldSayWhatCannotBeRepaired() throws IOException {
    cluster.onRepair((node, request) -> NodeRepairResponse.newBuilder().setAudits(4).build());
    cluster.counters(node -> Map.of("repair.audits", node == 1 ? 3L : 4L));
    cluster.repairReport(missing(12, 0).setHeldUpBy("too few nodes").build());
    String why = awaitRepair(Duration.ZERO).orElseThrow();
    assertEquals(
        "nothing was copied for 0 s; 12 missing (1.2 GB), of 6 groups one is left; 1 nodes still"
            + " look; held up: too few nodes",
        why);
    cluster.user("alice");
    assertEquals(ExitCodes.FAILED, run("fsck", "--repair"), this::output);
    assertTrue(output().contains("only a superuser"), output());
  }

  @Test
  void shouldAskTheOthersAndASilentNodeAgain() throws IOException {
    List<Integer> asked = new ArrayList<>();
    AtomicLong looks = new AtomicLong();
    cluster.fault(1, MUTE);
    cluster.onRepair(
        (node, request) -> {
          asked.add(node);
          return NodeRepairResponse.newBuilder().setAudits(4).build();
        });
    cluster.counters(
        node -> {
          if (node == 2 && looks.incrementAndGet() == 9) {
            cluster.fault(1, NONE);
          }
          return Map.of("repair.audits", node == 2 && looks.get() < 3 ? 3L : 4L);
        });
    assertEquals(Optional.empty(), awaitRepair(Duration.ofMinutes(1)));
    assertEquals(10, looks.get());
    assertEquals(List.of(0, 1, 2), asked.subList(0, 3));
    assertEquals(10, asked.stream().filter(node -> node == 1).count());
    assertEquals(12, asked.size(), "those that answer are asked once");
  }

  @Test
  void shouldNameEachNodeThatStaysSilent() throws IOException {
    cluster.onRepair((node, request) -> NodeRepairResponse.newBuilder().setAudits(4).build());
    cluster.counters(node -> Map.of("repair.audits", 4L));
    cluster.fault(1, MUTE);
    cluster.fault(2, MUTE);
    String why = awaitRepair(Duration.ZERO).orElseThrow();
    assertTrue(
        why.startsWith("nothing was copied for 0 s; none is missing; n1:1002: no answer"), why);
    assertTrue(why.contains("; n2:1003: no answer in time"), why);
  }

  @Test
  void shouldWaitForALeader() throws IOException {
    cluster.onRepair((node, request) -> NodeRepairResponse.newBuilder().setAudits(4).build());
    AtomicLong looks = new AtomicLong();
    cluster.counters(
        node -> {
          if (looks.incrementAndGet() == 4) {
            cluster.fault(0, NONE);
          }
          return Map.of("repair.audits", 4L);
        });
    cluster.fault(0, Fault.BUSY);
    assertEquals(Optional.empty(), awaitRepair(Duration.ofMinutes(1)));
    assertEquals(9, looks.get(), "three looks at three nodes");

    cluster.fault(0, Fault.BUSY);
    String why = awaitRepair(Duration.ZERO).orElseThrow();
    assertTrue(why.contains("how the copies are is not known; the leader: "), why);
  }

  @Test
  void shouldReportWhatIsKnownAsOneObjectWhereTheLeaderIsSilent() throws IOException {
    cluster.fault(0, Fault.BUSY);
    cluster.fault(1, MUTE);
    int code = run("report");
    assertTrue(output().contains("surplus      not known, "), output());

    assertEquals(code, run("report", "--json"), this::output);

    JsonNode told = new ObjectMapper().readTree(output());
    assertEquals(code, told.path("exitCode").asInt());
    assertTrue(told.path("surplusError").asText().contains("no majority"), output());
    assertFalse(told.has("surplusBytes"), output());
    for (String part :
        List.of(
            "/copies/error",
            "/missedDeletions/0/error",
            "/recoveries/error",
            "/nodes/1/error",
            "/nodes/1/countersError",
            "/silentMembers/n1:1002")) {
      assertFalse(told.at(part).asText().isEmpty(), () -> part + ": " + output());
    }
    assertEquals("/d0", told.at("/nodes/0/volumes/0/directory").asText());
    assertEquals(3_000_000_000L, told.at("/nodes/2/counters/stream/disk_bytes").asLong());
  }

  @Test
  void shouldReportAsOneObjectThatNobodyAnswers() throws IOException {
    for (int node = 0; node < FakeCluster.NODES; node++) {
      cluster.fault(node, Fault.DEAD);
    }
    int code = run("report");
    assertEquals(code, run("report", "--json"), this::output);
    JsonNode told = new ObjectMapper().readTree(output());
    assertEquals(ExitCodes.FAILED, told.path("exitCode").asInt());
    assertFalse(told.path("error").asText().isEmpty(), output());
  }

  @Test
  void shouldReportAsOneObject() throws IOException {
    cluster.counters(node -> Map.of("scrub.oldest_unverified_seconds", 3L * 86_400));
    assertEquals(ExitCodes.SOUND, run("report", "--json"), this::output);
    JsonNode told = new ObjectMapper().readTree(output());
    assertEquals(3, told.path("nodes").size());
    assertEquals("n0:1001", told.at("/nodes/0/address").asText());
    assertEquals(259_200, told.at("/nodes/0/counters/scrub/oldest_unverified_seconds").asInt());
    assertEquals(0, told.at("/copies/missing").asInt());
    assertEquals(ExitCodes.SOUND, told.path("exitCode").asInt());
    cluster.repairReport(missing(12, 4).build());
    assertEquals(ExitCodes.DEGRADED, run("report", "--json"), this::output);
    told = new ObjectMapper().readTree(output());
    assertEquals(12, told.at("/copies/missing").asInt());
    assertEquals("n2:1003", told.at("/copies/missingNodes/0").asText());
    assertEquals(ExitCodes.USAGE, run("report", "--json", "--watch"), this::output);

    assertEquals(ExitCodes.DEGRADED, run("report"), this::output);
    assertTrue(output().contains("repair and scrubbing"), output());
    assertTrue(output().matches("(?s).*oldest d\\R.* 3\\.0\\R.*"), output());
  }
}
