package io.vdfs.it.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.it.cluster.Await;
import io.vdfs.it.cluster.ClusterSpec;
import io.vdfs.it.cluster.DaemonProcesses;
import io.vdfs.it.tools.PositionBytes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients and daemons that are killed while block files are read locally. */
@Timeout(180)
class LocalDeliveryIT {
  private static final String FILE = "/streamed";
  private static final int LENGTH = 8 << 20;
  private static final int NODES = 3;
  private static final int DEFAULT_KILLS = 20;

  /** One in so many kills hits a daemon. */
  private static final int DAEMON_EVERY = 5;

  private static final long STALL_LIMIT_MILLIS = 1000;
  private static final String LEFT = "left";
  private static final Duration CLEAN_UP_LIMIT = Duration.ofSeconds(30);

  private static DaemonProcesses cluster;

  @BeforeAll
  @Timeout(120)
  static void startCluster() throws Exception {
    cluster = DaemonProcesses.start(ClusterSpec.small("delivery", NODES));
    try (FileSystem fileSystem = cluster.newFileSystem();
        FSDataOutputStream out = fileSystem.create(new org.apache.hadoop.fs.Path(FILE))) {
      out.write(PositionBytes.of(0, LENGTH));
    }
  }

  @AfterAll
  static void stopCluster() throws IOException {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void shouldLeaveNoNameBehindWhenAClientIsKilled() throws Exception {
    try (StreamingClient client = start("killed-client", 0, "local")) {
      client.awaitAbove("local", 3L * LENGTH);
      assertEquals(0, client.last("fallbacks") + client.last("remote"), client::tail);
      assertFalse(links(0).isEmpty(), "a name while it reads");

      client.kill();

      awaitNoLinks(0);
    }
  }

  @Test
  void shouldGoOnAtAnotherReplicaWhenTheDaemonIsKilled() throws Exception {
    try (StreamingClient client = start("bereaved-client", 1, "auto")) {
      client.awaitAbove("local", LENGTH);
      // the node itself may send the heads of blocks that the page cache has lost
      assertEquals(0, client.last("fallbacks") + client.last("remote"), client::tail);
      List<Path> left = links(1);
      assertFalse(left.isEmpty(), "a name while it reads");
      try {
        cluster.kill(1);
        long before = client.last("bytes");
        client.awaitAbove("bytes", before + 2L * LENGTH);

        assertTrue(client.last("failovers") > 0);
        assertTrue(client.last("remote") > 0, "the other replicas are not local");
        assertEquals(left, links(1), "nobody is there to remove them");
      } finally {
        cluster.launch(1);
      }
      Await.until(
          "the end of names that the killed daemon left",
          CLEAN_UP_LIMIT,
          () -> left.stream().noneMatch(Files::exists));
      client.stop();
    }
    awaitNoLinks(1);
    cluster.awaitServing();
  }

  /** Twenty in the build, 200 with {@code -Pkills}. */
  @Test
  @Timeout(1800)
  void shouldServeEveryoneElseWhileOthersAreKilled() throws Exception {
    int count = Integer.getInteger("vdfs.it.kills", DEFAULT_KILLS);
    Random random = new Random(count);
    List<Boolean> kills = new ArrayList<>(Collections.nCopies(count - count / DAEMON_EVERY, false));
    kills.addAll(Collections.nCopies(count / DAEMON_EVERY, true));
    Collections.shuffle(kills, random);
    List<StreamingClient> clients = new ArrayList<>();
    int down = -1;
    long begun = System.nanoTime();
    try {
      StreamingClient witness = start("witness", 0, "auto");
      clients.add(witness);
      for (int number = 0; number < kills.size(); number++) {
        if (kills.get(number)) {
          awaitStarted(down);
          down = random.nextInt(NODES);
          kill(down);
        } else {
          StreamingClient victim = start("victim" + number, random.nextInt(NODES), "auto");
          clients.add(victim);
          victim.awaitAbove("bytes", random.nextInt(LENGTH));
          victim.kill();
        }
      }
      awaitStarted(down);
      witness.awaitAbove("bytes", witness.last("bytes") + LENGTH);
      witness.stop();
      assertTrue(witness.last("local") > 0);
      assertEquals(0, witness.last("corrupt"));
      long stall = witness.last("stall");
      long machine = witness.last("hiccup");
      String took =
          "stall="
              + stall
              + " ms, the machine's own="
              + machine
              + " ms, all took="
              + Duration.ofNanos(System.nanoTime() - begun);
      System.out.println(count + " kills: " + took);
      assertTrue(stall <= STALL_LIMIT_MILLIS + machine, took);
    } finally {
      for (StreamingClient client : clients) {
        client.close();
      }
    }
    for (int node = 0; node < NODES; node++) {
      awaitNoLinks(node);
    }
  }

  /** Kills a daemon and starts it again, with a name that its new run has to remove. */
  private static void kill(int node) throws Exception {
    cluster.kill(node);
    Files.createFile(cluster.dataDirectory(node).resolve("local").resolve(LEFT));
    cluster.launch(node);
  }

  /**
   * @param node killed before, or -1
   */
  private static void awaitStarted(int node) throws Exception {
    if (node >= 0) {
      Path left = cluster.dataDirectory(node).resolve("local").resolve(LEFT);
      Await.until("a start of node " + node, CLEAN_UP_LIMIT, () -> !Files.exists(left));
      cluster.awaitServing();
    }
  }

  private static StreamingClient start(String name, int node, String delivery) throws IOException {
    return StreamingClient.start(cluster, name, node, delivery, FILE);
  }

  private static void awaitNoLinks(int node) throws Exception {
    Await.until("no names on node " + node, CLEAN_UP_LIMIT, () -> links(node).isEmpty());
  }

  private static List<Path> links(int node) throws IOException {
    try (Stream<Path> links = Files.list(cluster.dataDirectory(node).resolve("local"))) {
      return links.sorted().toList();
    }
  }
}
