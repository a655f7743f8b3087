package io.vdfs.it.fault;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.datanode.store.disk.DiskFullException;
import io.vdfs.datanode.store.disk.LocalDisk;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What the store's disk says of a real filesystem that has room for bytes, and none for a name.
 * Needs root, so only the Maven profile {@code root} runs it, and it fails there without root.
 */
@Tag("root")
@Timeout(60)
class FullDirectoryIT {
  @TempDir private Path directory;
  private SmallFilesystem mounted;

  @BeforeEach
  void mount() throws IOException {
    // one of the two is the directory itself
    mounted = SmallFilesystem.mount(directory, "1m,nr_inodes=2");
  }

  @AfterEach
  void unmount() throws IOException {
    mounted.close();
  }

  @Test
  void shouldTellAFullDiskFromOneThatFails() throws IOException {
    LocalDisk disk = new LocalDisk();
    Path file = directory.resolve("file");
    disk.create(file).close();

    assertThrows(DiskFullException.class, () -> disk.link(directory.resolve("link"), file));
    assertThrows(DiskFullException.class, () -> disk.create(directory.resolve("another")));

    assertTrue(disk.exists(file));
    assertFalse(disk.exists(directory.resolve("link")));
  }
}
