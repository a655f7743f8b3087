package io.vdfs.it.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.it.cluster.ClusterSpec;
import io.vdfs.it.cluster.DaemonProcesses;
import io.vdfs.it.cluster.LoggedProcess;
import io.vdfs.it.cluster.WorkDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A daemon that is started for the first time on a filesystem that accepts no writes, mounted for
 * the test. Needs root, so only the Maven profile {@code root} runs it, and it fails there without
 * root.
 */
@Tag("root")
@Timeout(120)
class UnusableVolumeIT {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private WorkDirectory work;
  private Path data;
  private SmallFilesystem mounted;
  private DaemonProcesses cluster;

  @BeforeEach
  void mount() throws Exception {
    work = WorkDirectory.create("unusable-volume");
    data = work.directory("data");
    mounted = SmallFilesystem.mount(data, "64k");
    cluster = DaemonProcesses.unformatted(ClusterSpec.small("unusable-volume", 1));
    cluster.format();
  }

  @AfterEach
  void unmount() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
    if (mounted != null) {
      mounted.close();
    }
    work.close();
  }

  private void assertEndsWith(Map<String, String> more, String cure) throws Exception {
    Map<String, String> properties = new TreeMap<>(cluster.nodeProperties(0));
    properties.putAll(more);
    try (LoggedProcess daemon = cluster.launch("unusable", properties)) {
      assertNotEquals(0, daemon.awaitExit(LIMIT), daemon.tail());
      List<String> last =
          daemon.error().lines().filter(line -> line.startsWith("vdfs-daemon: ")).toList();
      assertEquals(1, last.size(), daemon.error());
      assertTrue(last.get(0).contains(data.toString()), last.get(0));
      assertTrue(last.get(0).contains(cure), last.get(0));
    }
  }

  private void fillUp() {
    try {
      while (true) {
        Files.write(Files.createTempFile(data.resolve("lost+found"), "", ""), new byte[4096]);
      }
    } catch (IOException e) {
      assertTrue(e.getMessage().contains("No space left on device"), e::toString);
    }
  }

  @Test
  void shouldAskForRoomWhenTheFilesystemIsFull() throws Exception {
    Files.createDirectory(data.resolve("lost+found"));
    fillUp();

    assertEndsWith(Map.of("vdfs.data.dirs", data.toString()), "make room on its filesystem");
  }

  @Test
  void shouldAskForAnotherMountWhenTheFilesystemIsReadOnly() throws Exception {
    mounted.makeReadOnly();

    assertEndsWith(Map.of("vdfs.data.dirs", data.toString()), "mount its filesystem for writing");
  }
}
