package io.vdfs.datanode.local;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vdfs.common.checksum.VerifiedChunks;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.store.BlockRole;
import io.vdfs.datanode.store.BlockStore;
import io.vdfs.datanode.store.BlockWriter;
import io.vdfs.datanode.store.HeapIndexedStores;
import io.vdfs.datanode.store.StoreConfig;
import io.vdfs.datanode.stream.BlockWarmer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The rights of other users on a volume do not depend on the umask of the daemon. */
@Timeout(60)
class UmaskTest {
  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"000", "077"})
  void shouldGiveVolumesAndBlockFilesTheirModes(String umask) throws Exception {
    Path disk = directory.resolve("disk");
    Path volume = disk.resolve("volume");
    run(umask, volume);

    assertEquals("rwx--x--x", mode(disk));
    assertEquals("rwx--x--x", mode(volume));
    assertEquals("rwx--x--x", mode(volume.resolve("local")));
    assertEquals("rwx------", mode(volume.resolve("blocks")));
    assertEquals("rw-------", mode(volume.resolve("in-use.lock")));
    assertEquals("rw-r--r--", mode(dataFile(volume)));
  }

  private static void run(String umask, Path volume) throws Exception {
    Process process =
        new ProcessBuilder(
                "sh",
                "-c",
                "umask " + umask + " && exec \"$@\"",
                "sh",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                Daemon.class.getName(),
                volume.toString())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertEquals(0, process.waitFor(), output);
  }

  private static Path dataFile(Path volume) throws IOException {
    try (Stream<Path> files = Files.walk(volume.resolve("blocks"))) {
      return files.filter(file -> file.toString().endsWith(".vcf")).findFirst().orElseThrow();
    }
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  /** What a daemon does on a new volume, in a process of its own. */
  static final class Daemon {
    private Daemon() {}

    public static void main(String[] args) throws IOException {
      Path volume = Path.of(args[0]);
      ClusterGeometry geometry = new ClusterGeometry(2048, 4, 512, 12);
      StoreConfig config =
          new StoreConfig(
              UUID.randomUUID(),
              NodeId.random(),
              geometry,
              List.of(volume),
              volume.resolve("index"),
              0,
              StoreConfig.DEFAULT_WRITE_BACK,
              StoreConfig.DEFAULT_MAX_OPEN_FILES);
      try (BlockStore store = HeapIndexedStores.open(config)) {
        LocalDelivery.open(store, geometry, List.of(volume), BlockWarmer.NONE).close();
        BlockWriter writer = store.openWriter(new FileKey(77, 1), BlockRole.PRIMARY, 1, 0, 0);
        ByteBuffer bytes = ByteBuffer.allocate(512);
        writer.append(0, VerifiedChunks.compute(bytes, 512));
        writer.close(true);
      }
    }
  }
}
