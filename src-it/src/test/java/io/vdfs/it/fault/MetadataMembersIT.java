package io.vdfs.it.fault;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.VdfsClient;
import io.vdfs.client.hadoop.cluster.AdminClients;
import io.vdfs.common.metrics.Metric;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.MetadataMemberProto;
import io.vdfs.common.wire.proto.MetadataStatusResponse;
import io.vdfs.it.cluster.Await;
import io.vdfs.it.cluster.ClusterSpec;
import io.vdfs.it.cluster.DaemonProcesses;
import io.vdfs.it.cluster.LoggedProcess;
import io.vdfs.it.cluster.VdfsHome;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The metadata outlive their members: a dead member is replaced by a node that was none, and if a
 * majority is gone, an operator's command goes on with the survivor.
 */
@Timeout(300)
class MetadataMembersIT {
  /** Elections come by what the tests do, not by a busy machine. */
  private static final ClusterSpec SPEC =
      ClusterSpec.small("members", 4)
          .with("vdfs.metadata.election.timeout.min", "2s")
          .with("vdfs.metadata.election.timeout.max", "4s");

  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final List<Integer> SIZES = List.of(0, 1, 100_000, 3_000_000);
  private static final Random RANDOM = new Random(11);

  private final Map<String, byte[]> files = new TreeMap<>();
  private DaemonProcesses cluster;
  private int commands;

  @Test
  void shouldOutliveMembersOneByOneAndTheLossOfAMajority() throws Exception {
    try (DaemonProcesses started = DaemonProcesses.start(SPEC)) {
      cluster = started;
      write("/before");
      List<Integer> founders = members();
      assertEquals(3, founders.size());
      int spare =
          SPEC.nodes().stream().filter(node -> !founders.contains(node)).findAny().orElseThrow();
      int first = founders.stream().filter(node -> node != leader()).findAny().orElseThrow();

      replaceADeadMember(first, spare);
      write("/between");
      int second = leader();
      assertTrue(founders.contains(second), "the new member leads already: " + second);
      cluster.kill(second);
      int survivor =
          founders.stream().filter(n -> n != first && n != second).findAny().orElseThrow();
      Await.until("another leader", LIMIT, () -> leader() == survivor || leader() == spare);
      readAll();

      loseTheMajority(survivor, spare);
      recover(survivor);
      cluster.launch(first);
      cluster.launch(second);
      cluster.restart(survivor);
      assertEquals(List.of(survivor), members());
      readAll();
      write("/after");

      // the former member of the abandoned group has put its log aside
      Await.until("the former member to have none", LIMIT, () -> isRetired(second));
      run(0, "vdfs", "metadata", "add", cluster.host(second));
      assertEquals(sorted(survivor, second), members());
      readAll();
    }
  }

  @Test
  void shouldReplaceAMissingMemberByItself() throws Exception {
    ClusterSpec impatient = SPEC.with("vdfs.metadata.replace.after", "3s");
    try (DaemonProcesses started = DaemonProcesses.start(impatient)) {
      cluster = started;
      write("/before");
      List<Integer> founders = members();
      int dead = leader();
      cluster.kill(dead);
      List<Integer> expected = SPEC.nodes().stream().filter(node -> node != dead).toList();
      assertFalse(founders.equals(expected), founders::toString);
      Await.until("the spare to be a member", LIMIT, () -> members().equals(expected));
      assertEquals(1, counter(leader(), "member_changes"));

      // with one member less there would be no majority if the dead one still counted
      int second = leader();
      cluster.kill(second);
      Await.until("another leader", LIMIT, () -> leader() != second);
      readAll();
      try (FileSystem fileSystem = cluster.newFileSystem()) {
        assertTrue(fileSystem.mkdirs(new Path("/after")), "a change of names");
      }
    }
  }

  private void replaceADeadMember(int dead, int spare) throws Exception {
    String refused = run(1, "vdfs", "metadata", "replace", cluster.host(spare), cluster.host(dead));
    assertTrue(refused.contains("not a metadata member"), refused);
    cluster.kill(dead);
    int leader = leader();
    String shown = run(0, "vdfs", "metadata", "replace", cluster.host(dead), cluster.host(spare));
    assertTrue(shown.contains(cluster.host(spare)), shown);
    assertFalse(shown.contains(cluster.host(dead) + ":"), shown);
    assertTrue(members().contains(spare), shown);
    assertFalse(members().contains(dead), shown);
    assertEquals(1, counter(leader, "member_changes"));
  }

  private void loseTheMajority(int survivor, int destroyed) throws Exception {
    cluster.kill(destroyed);
    Configuration impatient = cluster.configuration();
    impatient.set("fs.vdfs.retry.time", "6s");
    try (FileSystem fileSystem = FileSystem.newInstance(cluster.uri(), impatient)) {
      String told =
          Await.value(
              "the loss to be told",
              LIMIT,
              () -> {
                try {
                  fileSystem.getFileStatus(new Path("/")); // answered while the lease still holds
                  return Optional.empty();
                } catch (IOException failure) {
                  return Optional.of(String.valueOf(failure.getMessage()))
                      .filter(message -> message.contains("not answering="));
                }
              });
      assertTrue(told.contains("answering=[" + cluster.host(survivor)), told);
      assertTrue(told.contains(cluster.host(destroyed)), told);
      assertTrue(told.contains("docs/operations/failures.md"), told);
    }
    String shown = run(1, "vdfs", "metadata", "members");
    assertTrue(shown.contains("no majority: 1 of 3 metadata members answer"), shown);
  }

  private void recover(int survivor) throws Exception {
    String lives = run(1, "vdfs-daemon", survivor, "metadata-recover", "--accept-loss");
    assertTrue(lives.contains("metadata-recover: "), lives);
    assertTrue(lives.contains("in use by a running DataNode"), lives);
    cluster.kill(survivor);
    Await.until("the end of its session", LIMIT, () -> cluster.session(survivor).isEmpty());
    String looked = run(1, "vdfs-daemon", survivor, "metadata-recover");
    assertTrue(looked.contains("last entry"), looked);
    assertTrue(looked.contains("Nothing was given up"), looked);
    String done = run(0, "vdfs-daemon", survivor, "metadata-recover", "--accept-loss");
    assertTrue(done.contains("only metadata member now"), done);
  }

  private boolean isRetired(int node) throws IOException {
    try (Stream<java.nio.file.Path> entries =
        Files.list(cluster.dataDirectory(node).resolve("metadata"))) {
      return entries.anyMatch(entry -> entry.getFileName().toString().startsWith("raft.removed-"));
    }
  }

  /** Runs {@code bin/vdfs-daemon} with the settings of a node. */
  private String run(int code, String script, int node, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("--conf", conf(node)));
    command.addAll(Arrays.asList(arguments));
    return runCommand(code, script, command);
  }

  /** Runs {@code bin/vdfs}. */
  private String run(int code, String script, String command, String... arguments)
      throws Exception {
    List<String> all = new ArrayList<>(List.of(command, "--conf", conf(0)));
    all.addAll(Arrays.asList(arguments));
    return runCommand(code, script, all);
  }

  private String conf(int node) throws IOException {
    return cluster.directory().directory("conf-node" + node).toString();
  }

  private String runCommand(int code, String script, List<String> arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(VdfsHome.path().resolve("bin").resolve(script).toString());
    command.addAll(arguments);
    commands++;
    try (LoggedProcess process =
        LoggedProcess.start(
            "command" + commands,
            cluster.directory().directory("logs"),
            command,
            Map.of("JAVA_HOME", System.getProperty("java.home")))) {
      int exit = process.awaitExit(LIMIT);
      String said = process.output() + process.error();
      assertEquals(code, exit, command + "\n" + said + "\n" + cluster.logs());
      return said;
    }
  }

  /** Numbers of the nodes that Raft's configuration lists, as the leader has it. */
  private List<Integer> members() throws Exception {
    try (VdfsClient client = client()) {
      List<Integer> members = new ArrayList<>();
      for (MetadataMemberProto member : status(client, leader()).getMembersList()) {
        members.add(number(client, WireIds.nodeId(member.getId())));
      }
      return members.stream().sorted().toList();
    }
  }

  private static List<Integer> sorted(Integer... nodes) {
    return Stream.of(nodes).sorted().toList();
  }

  /** Number of the leader, as soon as there is one. */
  private int leader() {
    try (VdfsClient client = client()) {
      return Await.value(
          "a leader",
          LIMIT,
          () -> {
            for (RingNode node : client.cluster().ring().nodes().values()) {
              try {
                if (client.nodes().metadataStatus(node).getRole().equals("LEADER")) {
                  return Optional.of(number(client, node.id()));
                }
              } catch (IOException e) {
                // a dead one
              }
            }
            return Optional.empty();
          });
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private MetadataStatusResponse status(VdfsClient client, int node) throws IOException {
    return client.nodes().metadataStatus(node(client, node));
  }

  private long counter(int node, String name) throws IOException {
    try (VdfsClient client = client()) {
      return client.nodes().counters(node(client, node)).stream()
          .filter(metric -> metric.group().equals("raft") && metric.name().equals(name))
          .mapToLong(Metric::value)
          .sum();
    }
  }

  private RingNode node(VdfsClient client, int number) throws IOException {
    return client.cluster().ring().nodes().values().stream()
        .filter(node -> node.host().equals(cluster.host(number)))
        .findAny()
        .orElseThrow();
  }

  private int number(VdfsClient client, NodeId id) throws IOException {
    String host = client.cluster().ring().node(id).orElseThrow().host();
    return SPEC.hosts().indexOf(host);
  }

  private VdfsClient client() throws IOException {
    return AdminClients.open(SPEC.name(), cluster.nodeProperties(0).get("vdfs.zookeeper"), "/vdfs");
  }

  private void write(String directory) throws IOException {
    try (FileSystem fileSystem = cluster.newFileSystem()) {
      for (int size : SIZES) {
        byte[] bytes = new byte[size];
        RANDOM.nextBytes(bytes);
        String file = directory + "/" + size;
        try (FSDataOutputStream out = fileSystem.create(new Path(file))) {
          out.write(bytes);
        }
        files.put(file, bytes);
      }
    }
  }

  /** Reads all files with a client that knows nothing of the cluster yet. */
  private void readAll() throws IOException {
    try (FileSystem fileSystem = cluster.newFileSystem()) {
      for (Map.Entry<String, byte[]> file : files.entrySet()) {
        byte[] bytes = new byte[file.getValue().length];
        try (FSDataInputStream in = fileSystem.open(new Path(file.getKey()))) {
          in.readFully(bytes);
          assertEquals(-1, in.read());
        }
        assertArrayEquals(file.getValue(), bytes, file.getKey());
      }
    }
  }
}
