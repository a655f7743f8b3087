package io.vdfs.it.fault;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.it.cluster.Await;
import io.vdfs.it.cluster.ClusterSpec;
import io.vdfs.it.cluster.DaemonProcesses;
import io.vdfs.it.cluster.LoggedProcess;
import io.vdfs.it.tools.PositionBytes;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.ClusterStorageCapacityExceededException;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Daemons that reserve more room for other uses than their disks have. */
@Timeout(240)
class ReservedVolumeIT {
  private static final ClusterSpec SPEC = ClusterSpec.small("reserved", 3);
  private static final byte[] CONTENT = PositionBytes.of(0, 3 << 20);

  private static final Duration LIMIT = Duration.ofSeconds(90);

  /** More than any disk has. */
  private static final String ALL = "4096t";

  private static void write(FileSystem fileSystem, Path path) throws Exception {
    try (FSDataOutputStream out = fileSystem.create(path)) {
      out.write(CONTENT);
    }
  }

  private static void assertReads(FileSystem fileSystem, Path path) throws Exception {
    try (FSDataInputStream in = fileSystem.open(path)) {
      assertArrayEquals(CONTENT, in.readAllBytes());
    }
  }

  /** A client whose writers soon give up a node that they cannot spare. */
  private static FileSystem impatient(DaemonProcesses cluster) throws IOException {
    Configuration configuration = cluster.configuration();
    configuration.set("fs.vdfs.write.nodes.wait", "5s");
    return FileSystem.newInstance(cluster.uri(), configuration);
  }

  /** Right after all daemons died, a client may still call one of them at its old address. */
  private static void awaitServing(DaemonProcesses cluster) throws Exception {
    Await.until(
        "the daemons",
        LIMIT,
        () -> {
          try {
            cluster.awaitServing();
            return true;
          } catch (IOException e) {
            return false;
          }
        });
  }

  @Test
  void shouldTellClientsOfHadoopThatThereIsNoSpaceAndServeWhatThereIs() throws Exception {
    Path before = new Path("/before");
    try (DaemonProcesses cluster = DaemonProcesses.start(SPEC);
        FileSystem fileSystem = impatient(cluster)) {
      write(fileSystem, before);
      List<LoggedProcess> full = new ArrayList<>();
      try {
        for (int node : SPEC.nodes()) {
          cluster.kill(node);
          Map<String, String> properties = new TreeMap<>(cluster.nodeProperties(node));
          properties.put("vdfs.volume.reserve", ALL);
          full.add(cluster.launch("full" + node, properties));
        }
        assertReads(fileSystem, before);

        ClusterStorageCapacityExceededException refused =
            assertThrows(
                ClusterStorageCapacityExceededException.class,
                () -> write(fileSystem, new Path("/refused")));

        assertTrue(refused.getMessage().contains("NO_SPACE"), refused.getMessage());
        assertTrue(refused.getMessage().contains("vdfs.volume.reserve"), refused.getMessage());
        for (LoggedProcess daemon : full) {
          assertTrue(daemon.isAlive(), daemon.tail());
          daemon.kill();
        }
      } finally {
        for (LoggedProcess daemon : full) {
          daemon.close();
        }
      }
      for (int node : SPEC.nodes()) {
        cluster.launch(node);
      }
      awaitServing(cluster);
      Path after = new Path("/after");
      write(fileSystem, after);
      assertReads(fileSystem, after);
      assertReads(fileSystem, before);
      assertEquals(CONTENT.length, fileSystem.getFileStatus(after).getLen());
    }
  }
}
