package io.vdfs.it.fault;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.VdfsClient;
import io.vdfs.client.hadoop.cluster.AdminClients;
import io.vdfs.common.ring.RingMap;
import io.vdfs.it.cluster.Await;
import io.vdfs.it.cluster.ClusterSpec;
import io.vdfs.it.cluster.DaemonProcesses;
import io.vdfs.it.cluster.VdfsCommands;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A ZooKeeper that loses its data loses no file: any node restores what it held. */
@Timeout(300)
class LostZooKeeperIT {
  private static final ClusterSpec SPEC = ClusterSpec.small("lostzk", 4);
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Random RANDOM = new Random(5);

  private final Map<String, byte[]> files = new TreeMap<>();
  private DaemonProcesses cluster;

  @Test
  void shouldGoOnWithAllFilesWhenZooKeeperLostEverything() throws Exception {
    try (DaemonProcesses started = DaemonProcesses.start(SPEC)) {
      cluster = started;
      VdfsCommands commands = new VdfsCommands(cluster, LIMIT);
      write("/before");
      RingMap ring = ring();

      // under running daemons, one of which ends and can't come back
      try (FileSystem connected = cluster.newFileSystem()) {
        readAll(connected);
        cluster.wipeZooKeeper();
        readAll(connected);
      }
      cluster.kill(2);
      cluster.launch(2);
      String lost = cluster.awaitEnd(2, LIMIT);
      assertTrue(lost.contains("ZooKeeper lost the cluster that this node belongs to"), lost);
      assertTrue(lost.contains("vdfs-daemon cluster-restore"), lost);
      String restored = commands.daemon(0, 2, "cluster-restore");
      assertTrue(restored.contains("restored     properties of the cluster"), restored);
      cluster.launch(2);
      cluster.awaitServing();
      assertEquals(ring, withAddressesOf(ring, ring()));
      readAll();
      write("/between");

      // everything is off, and an operator mistakes the empty ZooKeeper for a new one
      for (int node : SPEC.nodes()) {
        cluster.kill(node);
      }
      cluster.wipeZooKeeper();
      commands.vdfs(0, "format", "--nodes", "4");
      cluster.launch(0);
      String foreign = cluster.awaitEnd(0, LIMIT);
      assertTrue(foreign.contains("ZooKeeper shows another cluster"), foreign);
      assertTrue(foreign.contains("vdfs-daemon cluster-restore"), foreign);
      String refused = commands.daemon(1, 0, "cluster-restore");
      assertTrue(refused.contains("another cluster has the name"), refused);
      assertTrue(refused.contains("--replace"), refused);
      commands.daemon(0, 1, "cluster-restore", "--replace");
      String again = commands.daemon(0, 3, "cluster-restore");
      assertTrue(again.contains("nothing was written"), again);
      for (int node : SPEC.nodes()) {
        cluster.launch(node);
      }
      cluster.awaitServing();
      assertEquals(ring, withAddressesOf(ring, ring()));
      readAll();
      write("/after");

      loseTheRingAlone();
    }
  }

  /** The ring comes back with the metadata group, from its log. */
  private void loseTheRingAlone() throws Exception {
    RingMap ring = ring();
    for (int node : SPEC.nodes()) {
      cluster.kill(node);
    }
    cluster.deleteZnode("ring");
    for (int node : SPEC.nodes()) {
      cluster.launch(node);
    }
    cluster.awaitServing();
    Await.until("the ring map to be back", LIMIT, () -> ring().epoch() >= ring.epoch());
    assertEquals(ring.arcs(), ring().arcs());
    readAll();
    write("/last");
    readAll();
  }

  /** Restarted nodes have other ports; nothing else may differ. */
  private static RingMap withAddressesOf(RingMap before, RingMap now) {
    assertTrue(now.epoch() >= before.epoch(), () -> "epoch " + now.epoch());
    assertEquals(before.nodes().keySet(), now.nodes().keySet());
    return new RingMap(
        before.epoch(), now.replication(), now.placement(), now.arcs(), before.nodes());
  }

  private RingMap ring() throws IOException {
    try (VdfsClient client =
        AdminClients.open(SPEC.name(), cluster.nodeProperties(0).get("vdfs.zookeeper"), "/vdfs")) {
      return client.cluster().ring();
    }
  }

  private void write(String directory) throws IOException {
    try (FileSystem fileSystem = cluster.newFileSystem()) {
      for (int size : new int[] {0, 1, 300_000, 3_000_000, 7_000_000}) {
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
      readAll(fileSystem);
    }
  }

  private void readAll(FileSystem fileSystem) throws IOException {
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
