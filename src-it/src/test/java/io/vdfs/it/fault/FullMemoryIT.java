package io.vdfs.it.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.it.cluster.ClusterSpec;
import io.vdfs.it.cluster.DaemonProcesses;
import io.vdfs.it.cluster.WorkDirectory;
import io.vdfs.it.tools.PositionBytes;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Shared memory on a real filesystem in memory that is too small, mounted for the test. Needs root,
 * so only the Maven profile {@code root} runs it, and it fails there without root.
 */
@Tag("root")
@Timeout(180)
class FullMemoryIT {
  private static final String FILE = "/streamed";
  private static final int LENGTH = 8 << 20;

  /** Room for the daemon's directory and a block, but not for the blocks of a segment. */
  private static final String TOO_LITTLE = "384k";

  private static final String ENOUGH = "64m";

  private WorkDirectory work;
  private Path memory;
  private SmallFilesystem filesystem;

  @BeforeEach
  void mount() throws Exception {
    work = WorkDirectory.create("full-memory");
    memory = work.directory("memory");
    filesystem = SmallFilesystem.mount(memory, TOO_LITTLE);
  }

  @AfterEach
  void unmount() throws Exception {
    if (filesystem != null) {
      filesystem.close();
    }
    work.close();
  }

  @Test
  void shouldServeReadersOverTheSocketWhileSharedMemoryIsFull() throws Exception {
    ClusterSpec spec =
        ClusterSpec.small("full-memory", 1)
            .with("vdfs.delivery.local", "false")
            .with("vdfs.delivery.segment", "true")
            .with("vdfs.delivery.segment.directory", memory.toString());
    try (DaemonProcesses cluster = DaemonProcesses.start(spec)) {
      try (FileSystem fileSystem = cluster.newFileSystem();
          FSDataOutputStream out = fileSystem.create(new org.apache.hadoop.fs.Path(FILE))) {
        out.write(PositionBytes.of(0, LENGTH));
      }
      try (StreamingClient client = start(cluster, "full")) {
        client.awaitAbove("bytes", 2L * LENGTH);

        assertTrue(client.last("ringfallbacks") > 0, client::tail);
        assertTrue(client.last("socket") > 0, client::tail);
        assertEquals(0, client.last("failovers"), client::tail);
        client.stop();
      }

      filesystem.resize(ENOUGH);
      try (StreamingClient client = start(cluster, "roomy")) {
        client.awaitAbove("segment", 2L * LENGTH);

        assertEquals(0, client.last("socket"), client::tail);
        client.stop();
      }
    }
  }

  private static StreamingClient start(DaemonProcesses cluster, String name) throws IOException {
    return StreamingClient.start(cluster, name, 0, "auto", FILE);
  }
}
