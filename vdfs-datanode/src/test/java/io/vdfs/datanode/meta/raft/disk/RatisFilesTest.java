package io.vdfs.datanode.meta.raft.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RatisFilesTest {
  private static final Instant CHANGED = Instant.parse("2026-11-25T00:00:00Z");

  @TempDir Path storage;
  private final List<String> forced = new ArrayList<>();
  private Instant now = CHANGED;
  private RatisFiles files;

  private final DiskForce disk =
      new DiskForce() {
        @Override
        public void file(Path file) {
          forced.add(storage.relativize(file).toString());
        }

        @Override
        public void names(Path directory) {
          forced.add(storage.relativize(directory) + "/");
        }
      };

  @BeforeEach
  void open() throws IOException {
    Files.createDirectory(storage.resolve("current"));
    change(CHANGED);
    files = new RatisFiles(storage, disk, () -> now);
  }

  private void change(Instant time) throws IOException {
    Files.setLastModifiedTime(storage.resolve("current"), FileTime.from(time));
  }

  @Test
  void shouldForceNamesOnceForEachChange() throws IOException {
    now = CHANGED.plusSeconds(1);
    files.forceNames();
    files.forceNames();
    assertEquals(List.of("current/"), forced);
    change(CHANGED.plusSeconds(1));
    now = CHANGED.plusSeconds(2);
    files.forceNames();
    files.forceNames();
    assertEquals(List.of("current/", "current/"), forced);
  }

  /** The clock of files moves in steps: two changes may show one time. */
  @Test
  void shouldForceNamesAgainWhileAChangeMayHaveNoTimeOfItsOwn() throws IOException {
    now = CHANGED.plusMillis(10);
    files.forceNames();
    files.forceNames();
    assertEquals(List.of("current/", "current/"), forced);
  }

  @Test
  void shouldForceAllOfASnapshotThatArrived() throws IOException {
    files.forceArrived();
    assertEquals(List.of(), forced, "none arrives");
    Path snapshot = Files.createDirectories(storage.resolve("tmp/snapshot-1"));
    Files.writeString(snapshot.resolve("snapshot.1_20"), "state");
    files.forceArrived();
    files.forcePlaced();
    assertEquals(List.of("tmp/snapshot-1/snapshot.1_20", "tmp/snapshot-1/", "tmp/", "/"), forced);
  }
}
