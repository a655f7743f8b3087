package io.vdfs.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.vdfs.cli.cluster.Clusters;
import io.vdfs.cli.files.RecoverCommand;
import io.vdfs.cli.report.MetadataCommand;
import io.vdfs.client.VdfsClient;
import io.vdfs.client.fake.FakeClient;
import io.vdfs.client.fake.FakeCluster;
import io.vdfs.client.fake.FakeCluster.Fault;
import io.vdfs.client.files.CreateOptions;
import io.vdfs.common.wire.proto.RecoverLeaseResult;
import io.vdfs.common.wire.proto.WaitingRecoveriesResult;
import io.vdfs.common.wire.proto.WaitingRecoveryProto;
import io.vdfs.datanode.command.Commands;
import io.vdfs.datanode.command.ExitCodes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

@Timeout(60)
class VdfsCommandsTest {
  private final FakeCluster cluster = new FakeCluster();
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  /** Runs a command line on the cluster in memory. */
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

  @Test
  void shouldReportNodesAndLeader() throws IOException {
    cluster.leader(1);
    cluster.fault(2, Fault.DEAD);

    assertEquals(ExitCodes.DEGRADED, run("report"));

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
    run("report");
    assertTrue(output().contains("  its metadata member has ended: node 2 is too old"), output());
  }

  @Test
  void shouldNameTheAddressWhereZooKeeperCannotListen(@TempDir Path directory) throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = Integer.toString(taken.getLocalPort());

      assertEquals(
          ExitCodes.FAILED, run("zookeeper", "--data", directory.toString(), "--port", port));

      assertTrue(
          output()
              .endsWith(
                  "vdfs zookeeper: cannot listen at 127.0.0.1:"
                      + port
                      + "; choose others by --address and --port\n"),
          output());
    }
  }

  @Test
  void shouldReportHowDisksWereReadAndHowBytesCameToReaders() throws IOException {
    cluster.fault(1, Fault.MUTE);

    run("report");

    assertRow("disks", "n0:1001 3.0 3000 200 15.0 2 12.5 50% 0%");
    assertRow("runs of the disks", "n0:1001 11 12 13 14 15 1.6");
    assertRow("readers and tasks", "n0:1001 2.1 2.2 2.3 2.4 17 18 19.1");
    assertRow("disks", "n1:1002 no answer in time:");
    assertTrue(output().lines().allMatch(line -> line.length() <= 110), output());
  }

  @Test
  void shouldReportFilesThatCannotBeClosed() throws IOException {
    assertEquals(ExitCodes.SOUND, run("report"), this::output);
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
    assertEquals(ExitCodes.DEGRADED, run("report"));
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
    assertEquals(ExitCodes.SOUND, run("recover", "--accept", "/log"));
    assertEquals(2, calls.get());
    assertTrue(output().contains("1 copy of /log"), output());
  }

  @Test
  void shouldSayWhyAFileStaysOpen() {
    cluster.recovery(call -> RecoverLeaseResult.newBuilder().setFound("no keeper answers").build());
    assertEquals(ExitCodes.FAILED, run("recover", "/log"));
    assertTrue(output().contains("no keeper answers"), output());
    assertEquals(ExitCodes.USAGE, run("recover"));
    assertEquals(ExitCodes.USAGE, run("recover", "--yes", "/log"));
  }

  private int runAlone(Object command, String... arguments) {
    bytes.reset();
    return Commands.run(TestLines.alone(command), arguments, bytes, bytes);
  }

  @Test
  void shouldEndWhereTheMetadataTakesLonger() {
    AtomicInteger calls = new AtomicInteger();
    cluster.recovery(
        call -> {
          calls.incrementAndGet();
          return RecoverLeaseResult.newBuilder().setRunning(true).setFound("nobody yet").build();
        });
    Clusters clusters = new Clusters(conf -> client());
    Object recover = new RecoverCommand(clusters, Duration.ZERO, Duration.ofSeconds(1));
    assertEquals(ExitCodes.FAILED, runAlone(recover, "recover", "/log"));
    assertTrue(output().contains("the file stays open, recovery goes on: path=/log"), output());
    assertTrue(calls.get() > 1, "it did not ask again");

    cluster.metadataMembers(0, 1);
    Object metadata = new MetadataCommand(clusters, Duration.ZERO, Duration.ZERO);
    assertEquals(ExitCodes.FAILED, runAlone(metadata, "metadata", "replace", "n0", "n2"));
    assertTrue(output().contains("was given up with its leader: waitedSeconds=0"), output());
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
    assertEquals(ExitCodes.DEGRADED, run("report"));
    assertTrue(output().matches("(?s).*n1:1002 +serving +4000.0 GB +1.5 GB +3998.0 GB +/d1.*"));
    List<String> disks = output().lines().filter(line -> line.contains(": directory=/d")).toList();
    assertEquals(
        List.of(
            "volumes      n1: not served: directory=/d1",
            "volumes      n1: takes no new blocks: directory=/d2"),
        disks);
  }

  @Test
  void shouldReportNodesThatMissedDeletions() throws IOException {
    VdfsClient client = client();
    assertNotNull(
        client.files().create("/f", new CreateOptions(0644, 0666, true, true, 3, 1 << 20)));
    assertTrue(client.names().delete("/f", false));
    cluster.missDeletions(2, 1);
    run("report");
    assertTrue(
        output()
            .contains(
                "deletions    n2:1003: far behind and not waited for, at most 1 deleted files may"
                    + " still take room there"),
        output());
    assertEquals(1, output().lines().filter(line -> line.startsWith("deletions ")).count());
  }

  @Test
  void shouldNameNodesInTheOrderOfTheirNumbers() {
    run("report");
    List<String> nodes =
        output()
            .lines()
            .filter(line -> line.matches("n\\d:\\d+ +alive.*"))
            .map(line -> line.substring(0, 2))
            .toList();
    assertEquals(List.of("n0", "n1", "n2"), nodes);
  }

  @Test
  void shouldPrintTheRing() throws IOException {
    assertEquals(ExitCodes.SOUND, run("ring"));

    assertTrue(output().startsWith("ring epoch 1, 12 arcs"), output());
    assertTrue(output().contains("n1:1002 n2:1003 n0:1001"), output());
    assertEquals(13, output().lines().count());
  }

  @Test
  void shouldSetAndShowAQuota() throws IOException {
    cluster.user(FakeCluster.SUPERUSER);
    assertEquals(ExitCodes.SOUND, run("quota", "/", "7", "none"), this::output);
    assertTrue(output().matches("(?s).*inodes +1 +7\\s+space +0 +none\\s+"), output());
    assertEquals(ExitCodes.SOUND, run("quota", "/", "-", "1g"), this::output);
    assertEquals(7, client().names().quotaUsage("/").inodeLimit().orElseThrow());
    assertEquals(1L << 30, client().names().quotaUsage("/").spaceLimit().orElseThrow());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "quota",
        "quota / 7",
        "quota / -1 none",
        "quota / 7 x",
        "quota / 1g 7",
        "quota / 7 8 9",
        "report now",
        "report --josn",
        "report --watch 5",
        "fsck data",
        "fsck /data/",
        "fsck //data",
        "fsck /data/../x",
        "fsck / /data",
        "fsck --repair data",
        "fsck --repare",
        "scrub --all",
        "report --json --watch",
        "node",
        "node status n0",
        "node --json",
        "ring --all",
        "metadata",
        "metadata replace n0",
        "metadata members n0",
        "fly",
        "version 2",
        "--conf"
      })
  void shouldRefuseWrongUsageBeforeItTurnsToTheCluster(String arguments) {
    Clusters.Opener nobody =
        conf -> {
          throw new IllegalStateException("turned to the cluster");
        };
    int code = Commands.run(VdfsCommands.line(nobody), arguments.split(" "), System.out, bytes);
    assertEquals(ExitCodes.USAGE, code, output());
    assertEquals(1, output().lines().count(), output());
    assertTrue(output().startsWith("vdfs"), output());
    assertTrue(output().contains(" --help'"), output());
  }

  @Test
  void shouldTellHowEachCommandIsUsedWithoutACluster() {
    Clusters.Opener nobody =
        conf -> {
          throw new IllegalStateException("turned to the cluster");
        };
    List<String> names = new ArrayList<>();
    collect(VdfsCommands.line(nobody), names);
    assertTrue(names.contains("vdfs metadata replace"), names::toString);
    for (String name : names) {
      bytes.reset();
      List<String> arguments = new ArrayList<>(List.of((name + " --help").split(" ")));
      arguments.remove(0);
      int code =
          Commands.run(VdfsCommands.line(nobody), arguments.toArray(String[]::new), bytes, bytes);
      assertEquals(ExitCodes.SOUND, code, name);
      assertTrue(output().startsWith("Usage: " + name + " "), output());
      assertTrue(output().contains("--conf=DIR"), output());
    }
  }

  private static void collect(CommandLine command, List<String> names) {
    names.add(command.getCommandSpec().qualifiedName());
    command.getSubcommands().values().forEach(below -> collect(below, names));
  }

  @Test
  void shouldTakeTheConfigurationAtAnyPlace() {
    List<Path> opened = new ArrayList<>();
    for (String line :
        List.of(
            "--conf /etc/a metadata members",
            "metadata --conf /etc/a members",
            "metadata members --conf=/etc/a")) {
      Clusters.Opener opener =
          conf -> {
            opened.add(conf);
            return client();
          };
      Commands.run(VdfsCommands.line(opener), line.split(" "), bytes, bytes);
    }
    assertEquals(List.of(Path.of("/etc/a"), Path.of("/etc/a"), Path.of("/etc/a")), opened);
  }

  @Test
  void shouldTellItsVersionAndHowToCompleteIt() {
    assertEquals(ExitCodes.SOUND, run("version"));
    assertTrue(output().startsWith("VDFS "), output());
    assertEquals(ExitCodes.SOUND, run("completion"));
    assertTrue(output().contains("complete -F _complete_vdfs"), output());
    assertTrue(output().contains("replace"), output());
    assertEquals(ExitCodes.SOUND, run());
    assertTrue(output().startsWith("Usage: vdfs "), output());
  }

  @Test
  void shouldShowAndChangeTheMetadataMembers() throws IOException {
    cluster.metadataMembers(0, 1);
    cluster.leader(1);
    assertEquals(ExitCodes.SOUND, run("metadata", "members"));
    assertTrue(output().matches("(?s).*n0:1001 +FOLLOWER +3 +70 +0 +70 +1.*"), output());
    assertTrue(output().matches("(?s).*n1:1002 +LEADER +3 +71 +0 +70 +1 +1 of 2.*"), output());
    assertTrue(!output().contains("n2"), output());
    assertTrue(output().contains("leader: n1:1002"), output());

    assertEquals(ExitCodes.SOUND, run("metadata", "replace", "n0", "n2:1003"));
    assertTrue(output().contains("n2:1003"), output());
    assertTrue(!output().contains("n0"), output());

    cluster.failMetadataChanges("n0 does not catch up");
    assertEquals(ExitCodes.FAILED, run("metadata", "add", "n0"));
    assertEquals("vdfs metadata add: n0 does not catch up", output().strip());
    assertEquals(ExitCodes.FAILED, run("metadata", "add", "n9"));
    assertTrue(output().contains("n0:1001"), output());
  }

  @Test
  void shouldSayThatTheClusterStarts() {
    cluster.fault(1, Fault.DEAD);
    cluster.fault(2, Fault.DEAD);
    cluster.leaderKnown(false);
    cluster.starting();

    assertEquals(ExitCodes.FAILED, run("metadata", "members"));
    assertTrue(
        output().contains("starting: 1 of 3 members; waits for [n1:1002, n2:1003]"), output());
    assertFalse(output().contains("majority"), output());
  }

  @Test
  void shouldSayThatTheMetadataHasNoMajority() throws IOException {
    cluster.fault(1, Fault.DEAD);
    cluster.fault(2, Fault.DEAD);
    cluster.leaderKnown(false);

    assertEquals(ExitCodes.FAILED, run("metadata", "members"));
    assertTrue(output().contains("n1:1002"), output());
    assertTrue(output().contains("silent: "), output());
    assertTrue(output().contains("no majority: 1 of 3 metadata members answer"), output());
    assertEquals(ExitCodes.FAILED, run("metadata", "remove", "n1"));
    assertTrue(output().contains("no majority"), output());
  }

  @Test
  void shouldNameTheCureInOneLineWhenItFails(@TempDir Path directory) throws IOException {
    assertEquals(ExitCodes.FAILED, runOnNetwork("report", "--conf", directory.toString()));
    assertTrue(output().contains("no configuration file " + directory), output());

    Files.writeString(
        directory.resolve("vdfs-site.xml"),
        "<configuration><property><name>vdfs.zookeeper</name><value>,</value></property>"
            + "</configuration>");
    assertEquals(ExitCodes.FAILED, runOnNetwork("report", "--conf", directory.toString()));
    assertEquals(1, output().lines().count(), output());
    assertTrue(output().startsWith("vdfs report: "), output());
    assertTrue(output().contains("vdfs.zookeeper=,"), output());
  }

  @Test
  void shouldRefuseUnknownKeys(@TempDir Path directory) throws IOException {
    Files.writeString(
        directory.resolve("vdfs-site.xml"),
        "<configuration><property><name>vdfs.cluster.nam</name><value>x</value></property>"
            + "</configuration>");
    assertEquals(ExitCodes.FAILED, runOnNetwork("ring", "--conf", directory.toString()));
    assertTrue(output().contains("did you mean vdfs.cluster.name?"), output());
  }

  @Test
  void shouldDiagnoseWithoutAYarnAndWithoutAConfiguration(@TempDir Path directory)
      throws IOException {
    assertEquals(ExitCodes.USAGE, run("diag", "--jsn"));
    assertEquals(ExitCodes.FAILED, run("diag", "--hadoop-conf", directory.toString()));
    assertTrue(output().contains("no core-site.xml in " + directory), output());

    Files.writeString(directory.resolve("core-site.xml"), "<configuration/>");
    Files.writeString(
        directory.resolve("yarn-site.xml"),
        "<configuration><property><name>yarn.resourcemanager.webapp.address</name>"
            + "<value>localhost:1</value></property></configuration>");
    assertEquals(ExitCodes.FAILED, run("diag", "--json", "--hadoop-conf", directory.toString()));
    JsonNode told = new ObjectMapper().readTree(output());
    assertEquals(ExitCodes.FAILED, told.path("exitCode").asInt());
    assertEquals("ResourceManager", told.path("findings").path(0).path("subject").asText());
    assertTrue(told.toString().contains("http://localhost:1"), output());
    assertTrue(told.toString().contains("names no cluster of VDFS"), output());
  }

  private int runOnNetwork(String... arguments) {
    bytes.reset();
    return Commands.run(VdfsCommands.line(VdfsCommands::open), arguments, bytes, bytes);
  }
}
