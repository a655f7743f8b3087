package io.vdfs.it.fault;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.it.cluster.ClusterSpec;
import io.vdfs.it.cluster.DaemonProcesses;
import io.vdfs.it.cluster.LoggedProcess;
import io.vdfs.it.tools.PositionBytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.fs.ClusterStorageCapacityExceededException;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Daemons that leave more room to others than their disks have. */
@Timeout(240)
class ReservedVolumeIT {
  private static final ClusterSpec SPEC = ClusterSpec.small("reserved", 3);
  private static final byte[] CONTENT = PositionBytes.of(0, 3 << 20);

  /** No disk has as much. */
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

  @Test
  void shouldTellClientsOfHadoopThatThereIsNoSpaceAndServeWhatThereIs() throws Exception {
    Path before = new Path("/before");
    try (DaemonProcesses cluster = DaemonProcesses.start(SPEC);
        FileSystem fileSystem = cluster.newFileSystem()) {
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
      cluster.awaitServing();
      Path after = new Path("/after");
      write(fileSystem, after);
      assertReads(fileSystem, after);
      assertReads(fileSystem, before);
      assertEquals(CONTENT.length, fileSystem.getFileStatus(after).getLen());
    }
  }
}
