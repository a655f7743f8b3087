package io.vdfs.cli.files;

import static io.vdfs.client.fake.FakeCluster.Fault.MUTE;
import static io.vdfs.client.fake.FakeCluster.Fault.NONE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.cli.MissingCopies;
import io.vdfs.cli.SuperuserLine;
import io.vdfs.cli.progress.Patience;
import io.vdfs.cli.progress.ProgressBar;
import io.vdfs.client.fake.FakeCluster;
import io.vdfs.client.fake.FakeCluster.Fault;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.NodeRepairResponse;
import io.vdfs.common.wire.proto.RepairReportResult;
import io.vdfs.datanode.command.ExitCodes;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How an operator has missing copies made. */
@Timeout(60)
class RepairWaitTest {
  private final FakeCluster cluster = new FakeCluster();
  private final SuperuserLine line = new SuperuserLine(cluster);

  private Optional<String> awaitRepair(Duration patience) throws IOException {
    ProgressBar bar = new ProgressBar(new PrintWriter(new StringWriter()), 0, () -> 0);
    return new RepairWait(
            line.client(), bar, Duration.ZERO, new Patience(patience, System::nanoTime))
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
        new ArrayDeque<>(
            List.of(
                MissingCopies.of(cluster, 12, 8).build(), MissingCopies.of(cluster, 4, 0).build()));
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

    assertEquals(ExitCodes.SOUND, line.run("fsck", "--repair"), line::output);
  }

  @Test
  void shouldSayWhatCannotBeRepaired() throws IOException {
    cluster.onRepair((node, request) -> NodeRepairResponse.newBuilder().setAudits(4).build());
    cluster.counters(node -> Map.of("repair.audits", node == 1 ? 3L : 4L));
    cluster.repairReport(MissingCopies.of(cluster, 12, 0).setHeldUpBy("too few nodes").build());
    String why = awaitRepair(Duration.ZERO).orElseThrow();
    assertEquals(
        "nothing was copied for 0 s; 12 missing (1.2 GB), of 6 groups one is left; 1 nodes still"
            + " look; held up: too few nodes",
        why);
    cluster.user("alice");
    assertEquals(ExitCodes.FAILED, line.run("fsck", "--repair"), line::output);
    assertTrue(line.output().contains("only a superuser"), line.output());
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
}
