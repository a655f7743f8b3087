package io.vdfs.client.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.CreateOptions;
import io.vdfs.client.VdfsClient;
import io.vdfs.client.fake.FakeClient;
import io.vdfs.client.fake.FakeCluster;
import io.vdfs.client.fake.FakeCluster.Fault;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.RecoverLeaseResult;
import io.vdfs.common.wire.proto.WaitingRecoveriesResult;
import io.vdfs.common.wire.proto.WaitingRecoveryProto;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class VdfsCommandsTest {
  private final FakeCluster cluster = new FakeCluster();
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);

  private String output() {
    return bytes.toString(StandardCharsets.UTF_8);
  }

  @Test
  void shouldReportNodesAndLeader() throws IOException {
    cluster.leader(1);
    cluster.fault(2, Fault.DEAD);

    new ReportCommand().run(new FakeClient(cluster, "x").client(), out);

    assertTrue(output().contains("leader       n1:1002"), output());
    assertTrue(output().contains("nodes        3, 2 alive"), output());
    assertTrue(output().matches("(?s).*n2:1003 +dead +/r +2 +4 +12 +0 member.*"), output());
    assertTrue(output().contains("feature level in force: 1"), output());
    assertTrue(output().matches("(?s).*1\\.0 \\(0123456789ab\\) +1 +n0:1001.*"), output());
    assertTrue(output().matches("(?s).*1\\.1 \\(0123456789ab\\) +2 +n1:1002.*"), output());
  }

  @Test
  void shouldReportAMemberThatHasEndedByItself() throws IOException {
    cluster.metadataMembers(0, 1);
    new ReportCommand().run(new FakeClient(cluster, "x").client(), out);
    assertTrue(output().contains("  its metadata member has ended: node 2 is too old"), output());
  }

  @Test
  void shouldReportHowDisksWereReadAndHowBytesCameToReaders() throws IOException {
    cluster.fault(1, Fault.MUTE);

    new ReportCommand().run(new FakeClient(cluster, "x").client(), out);

    assertRow("disks", "n0:1001 3.0 3000 200 15.0 2 12.5 50% 0%");
    assertRow("runs of the disks", "n0:1001 11 12 13 14 15 1.6");
    assertRow("readers and tasks", "n0:1001 2.1 2.2 2.3 2.4 17 18 19.1");
    assertRow("disks", "n1:1002 no answer in time:");
    assertTrue(output().lines().allMatch(line -> line.length() <= 110), output());
  }

  @Test
  void shouldReportFilesThatCannotBeClosed() throws IOException {
    new ReportCommand().run(new FakeClient(cluster, "x").client(), out);
    assertFalse(output().contains("recoveries"), output());
    cluster.waitingRecoveries(
        WaitingRecoveriesResult.newBuilder()
            .addRecoveries(
                WaitingRecoveryProto.newBuilder()
                    .setPath("/log")
                    .setWaitingMillis(61_000)
                    .setReason("too few nodes answer"))
            .setMore(2)
            .build());
    new ReportCommand().run(new FakeClient(cluster, "x").client(), out);
    assertTrue(output().contains("recoveries   3 files wait for nodes"), output());
    assertTrue(output().contains("  /log since 61 s"), output());
    assertTrue(output().contains("    too few nodes answer"), output());
  }

  @Test
  void shouldCloseAFileOnceAnAttemptUnderWayHasEnded() throws IOException {
    AtomicInteger calls = new AtomicInteger();
    cluster.recovery(
        call ->
            RecoverLeaseResult.newBuilder()
                .setClosed(call.getAccept() && calls.incrementAndGet() == 2)
                .setRunning(true)
                .setFound("1 copy of " + call.getPath())
                .build());
    new RecoverCommand(Duration.ofSeconds(30))
        .run(new FakeClient(cluster, "x").client(), List.of("--accept", "/log"), out);
    assertEquals(2, calls.get());
    assertTrue(output().contains("1 copy of /log"), output());
  }

  @Test
  void shouldSayWhyAFileStaysOpen() {
    cluster.recovery(call -> RecoverLeaseResult.newBuilder().setFound("no keeper answers").build());
    VdfsClient client = new FakeClient(cluster, "x").client();
    RecoverCommand command = new RecoverCommand(Duration.ofSeconds(30));
    VdfsException open =
        assertThrows(VdfsException.class, () -> command.run(client, List.of("/log"), out));
    assertTrue(open.getMessage().contains("no keeper answers"), open.getMessage());
    assertThrows(VdfsException.class, () -> command.run(client, List.of(), out));
    assertThrows(VdfsException.class, () -> command.run(client, List.of("--yes", "/log"), out));
  }

  /** A row of a table, whatever blanks and decimal points it is written with. */
  private void assertRow(String table, String row) {
    String rows =
        output()
            .replace(',', '.')
            .lines()
            .dropWhile(line -> !line.startsWith(table + " "))
            .takeWhile(line -> !line.isBlank())
            .map(line -> line.replaceAll(" +", " "))
            .collect(Collectors.joining("\n"));
    assertTrue(rows.contains(row), () -> "no " + row + " in " + output());
  }

  @Test
  void shouldReportDisksThatAreNotWell() throws IOException {
    cluster.diskProblems(1, "not served: directory=/d1", "takes no new blocks: directory=/d2");
    new ReportCommand().run(new FakeClient(cluster, "x").client(), out);
    List<String> disks = output().lines().filter(line -> line.startsWith("volumes ")).toList();
    assertEquals(
        List.of(
            "volumes      n1: not served: directory=/d1",
            "volumes      n1: takes no new blocks: directory=/d2"),
        disks);
  }

  @Test
  void shouldReportNodesThatMissedDeletions() throws IOException {
    VdfsClient client = new FakeClient(cluster, "x").client();
    assertNotNull(client.create("/f", new CreateOptions(0644, 0666, true, true, 3, 1 << 20)));
    assertTrue(client.delete("/f", false));
    cluster.missDeletions(2, 1);
    new ReportCommand().run(client, out);
    assertTrue(
        output()
            .contains(
                "deletions    n2:1003: far behind and not waited for, at most 1 deleted files may"
                    + " still take room there"),
        output());
    assertEquals(1, output().lines().filter(line -> line.startsWith("deletions ")).count());
  }

  @Test
  void shouldPrintTheRing() throws IOException {
    new RingCommand().run(new FakeClient(cluster, "x").client().cluster(), out);

    assertTrue(output().startsWith("ring epoch 1, 12 arcs"), output());
    assertTrue(output().contains("n1:1002 n2:1003 n0:1001"), output());
    assertEquals(13, output().lines().count());
  }

  @Test
  void shouldSetAndShowAQuota() throws IOException {
    cluster.user(FakeCluster.SUPERUSER);
    VdfsClient client = new FakeClient(cluster, "x").client();

    new QuotaCommand().run(client, List.of("/", "7", "none"), out);
    assertTrue(output().matches("(?s).*inodes +1 +7\\s+space +0 +none\\s+"), output());
    new QuotaCommand().run(client, List.of("/", "-", "1000"), out);
    assertEquals(7, client.quotaUsage("/").inodeLimit().orElseThrow());
    assertEquals(1000, client.quotaUsage("/").spaceLimit().orElseThrow());

    for (List<String> wrong :
        List.of(List.<String>of(), List.of("/", "7"), List.of("/", "-1", "x"))) {
      assertThrows(VdfsException.class, () -> new QuotaCommand().run(client, wrong, out));
    }
  }

  @Test
  void shouldShowAndChangeTheMetadataMembers() throws IOException {
    cluster.metadataMembers(0, 1);
    cluster.leader(1);
    VdfsClient client = new FakeClient(cluster, "x").client();

    new MetadataCommand().run(client, List.of("members"), out);
    assertTrue(output().matches("(?s).*n0:1001 +FOLLOWER +3 +70 +0 +70 +1.*"), output());
    assertTrue(output().matches("(?s).*n1:1002 +LEADER +3 +71 +0 +70 +1 +1 of 2.*"), output());
    assertTrue(!output().contains("n2"), output());
    assertTrue(output().contains("leader: n1:1002"), output());

    bytes.reset();
    new MetadataCommand().run(client, List.of("replace", "n0", "n2:1003"), out);
    assertTrue(output().contains("n2:1003"), output());
    assertTrue(!output().contains("n0"), output());

    cluster.failMetadataChanges("n0 does not catch up");
    VdfsException failed =
        assertThrows(
            VdfsException.class,
            () -> new MetadataCommand().run(client, List.of("add", "n0"), out));
    assertEquals("n0 does not catch up", failed.getMessage());
    VdfsException unknown =
        assertThrows(
            VdfsException.class,
            () -> new MetadataCommand().run(client, List.of("add", "n9"), out));
    assertTrue(unknown.getMessage().contains("n0:1001"), unknown::getMessage);
    for (List<String> wrong :
        List.of(List.<String>of(), List.of("replace", "n0"), List.of("members", "n0"))) {
      assertThrows(VdfsException.class, () -> new MetadataCommand().run(client, wrong, out));
    }
  }

  @Test
  void shouldSayThatTheMetadataHasNoMajority() throws IOException {
    cluster.fault(1, Fault.DEAD);
    cluster.fault(2, Fault.DEAD);
    cluster.leaderKnown(false);
    VdfsClient client = new FakeClient(cluster, "x").client();

    new MetadataCommand().run(client, List.of("members"), out);
    assertTrue(output().contains("n1:1002"), output());
    assertTrue(output().contains("silent: "), output());
    assertTrue(output().contains("no majority: 1 of 3 metadata members answer"), output());
    VdfsException refused =
        assertThrows(
            VdfsException.class,
            () -> new MetadataCommand().run(client, List.of("remove", "n1"), out));
    assertTrue(refused.getMessage().contains("no majority"), refused::getMessage);
  }

  @Test
  void shouldNameTheCureInOneLineWhenItFails(@TempDir Path directory) throws IOException {
    String[] report = {"report", "--conf", directory.toString()};
    assertEquals(1, VdfsCommands.run(report, out, out));
    assertTrue(output().contains("no configuration file " + directory), output());

    bytes.reset();
    Files.writeString(
        directory.resolve("vdfs-site.xml"),
        "<configuration><property><name>vdfs.zookeeper</name><value>,</value></property>"
            + "</configuration>");
    assertEquals(1, VdfsCommands.run(report, out, out));
    assertEquals(1, output().lines().count(), output());
    assertTrue(output().startsWith("vdfs report: "), output());
    assertTrue(output().contains("vdfs.zookeeper=,"), output());

    assertEquals(2, VdfsCommands.run(new String[] {"fly"}, out, out));
  }
}
