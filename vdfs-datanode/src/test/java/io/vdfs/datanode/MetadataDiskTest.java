package io.vdfs.datanode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.datanode.store.status.FailedVolume;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MetadataDiskTest {
  @TempDir private Path directory;

  @Test
  void shouldFindNothingWrongWithADirectoryThatCanBeWritten() throws Exception {
    Path metadata = directory.resolve("a/metadata");
    assertEquals(Optional.empty(), MetadataDisk.problemWith(metadata, List.of()));
    try (var entries = Files.list(metadata)) {
      assertEquals(0, entries.count());
    }
    assertEquals(Optional.empty(), MetadataDisk.problemWith(metadata, List.of()));
  }

  @Test
  void shouldNotTouchWhatLiesOnAVolumeThatIsNotServed() throws Exception {
    FailedVolume failed = new FailedVolume(directory, "its disk is not mounted");
    Path metadata = directory.resolve("metadata");
    String problem = MetadataDisk.problemWith(metadata, List.of(failed)).orElseThrow();
    assertTrue(problem.contains("its disk is not mounted"), problem);
    assertTrue(problem.contains(metadata.toString()), problem);
    assertFalse(Files.exists(metadata));
  }

  @Test
  void shouldSayWhatIsWrongWhereNothingCanBeWritten() throws Exception {
    Path file = Files.writeString(directory.resolve("file"), "x");
    Path metadata = file.resolve("metadata");
    String problem = MetadataDisk.problemWith(metadata, List.of()).orElseThrow();
    assertTrue(problem.contains("vdfs.metadata.dir"), problem);
    assertEquals(1, problem.lines().count());
  }

  /** Today's umask does not decide which users read the names of all files tomorrow. */
  @Test
  void shouldCloseTheMetadataToOtherUsers() throws Exception {
    Path metadata = directory.resolve("metadata");
    assertEquals(Optional.empty(), MetadataDisk.problemWith(metadata, List.of()));
    assertEquals("rwx------", mode(metadata));

    Path removed = Files.createDirectories(metadata.resolve("raft.removed-7/raft/current"));
    Path log = Files.writeString(removed.resolve("log_inprogress_0"), "names");
    for (Path path = log; path.startsWith(metadata); path = path.getParent()) {
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
    assertEquals(Optional.empty(), MetadataDisk.problemWith(metadata, List.of()));

    assertEquals("rw-------", mode(log));
    for (Path path = removed; path.startsWith(metadata); path = path.getParent()) {
      assertEquals("rwx------", mode(path), path::toString);
    }
  }

  private static String mode(Path path) throws Exception {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }
}
