package io.vdfs.datanode.store;

import static io.vdfs.datanode.store.StoreFixture.CLUSTER;
import static io.vdfs.datanode.store.StoreFixture.NODE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.datanode.store.disk.Disk;
import io.vdfs.datanode.store.disk.FaultyDisk;
import io.vdfs.datanode.store.disk.ForwardingDisk;
import io.vdfs.datanode.store.disk.LocalDisk;
import io.vdfs.datanode.store.load.StoreOpener;
import io.vdfs.datanode.store.volume.VolumeDirectory;
import io.vdfs.datanode.store.volume.VolumeIdentity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VolumeDirectoryTest {
  @TempDir private Path parent;

  private VolumeDirectory open(Path directory) throws IOException {
    return VolumeDirectory.take(new LocalDisk(), directory, CLUSTER, NODE);
  }

  private UUID openAndClose(Path directory, boolean fresh) throws Exception {
    VolumeDirectory opened = open(directory);
    opened.lock().close();
    assertEquals(fresh, opened.fresh());
    return opened.volume();
  }

  private static void assertNames(VdfsException e, Object... parts) {
    assertFalse(e.getMessage().contains("\n"), e.getMessage());
    for (Object part : parts) {
      assertTrue(e.getMessage().contains(part.toString()), e.getMessage());
    }
  }

  @Test
  void shouldGiveANewDirectoryAnIdentityAndKeepIt() throws Exception {
    Path directory = parent.resolve("a/b");
    UUID volume = openAndClose(directory, true);
    assertEquals(volume, openAndClose(directory, false));
    assertEquals(Optional.of(NODE), StoreOpener.nodeOf(List.of(parent, directory)));
    assertEquals(Optional.empty(), StoreOpener.nodeOf(List.of(parent.resolve("none"))));
  }

  @Test
  void shouldGiveAnEmptiedDirectoryANewIdentity() throws Exception {
    Path directory = parent.resolve("a");
    UUID before = openAndClose(directory, true);
    Files.delete(directory.resolve(VolumeIdentity.FILE_NAME));
    assertNotEquals(before, openAndClose(directory, true));
  }

  @Test
  void shouldRefuseADirectoryInUse() throws Exception {
    Path directory = parent.resolve("a");
    VolumeDirectory opened = open(directory);
    VdfsException refused = StoreFixture.assertCode(ErrorCode.MISCONFIGURED, () -> open(directory));
    assertNames(refused, directory, "in use", "stop that daemon");
    opened.lock().close();
    openAndClose(directory, false);
  }

  @Test
  void shouldRefuseADirectoryOfAnotherClusterOrNode() throws Exception {
    Path directory = parent.resolve("a");
    openAndClose(directory, true);
    UUID cluster = new UUID(8, 8);
    assertNames(
        StoreFixture.assertCode(
            ErrorCode.MISCONFIGURED,
            () -> VolumeDirectory.take(new LocalDisk(), directory, cluster, NODE)),
        directory,
        CLUSTER,
        cluster,
        "configure");
    NodeId node = new NodeId(new UUID(9, 9));
    assertNames(
        StoreFixture.assertCode(
            ErrorCode.MISCONFIGURED,
            () -> VolumeDirectory.take(new LocalDisk(), directory, CLUSTER, node)),
        directory,
        NODE,
        node,
        "configure");
    Path other = parent.resolve("b");
    VolumeDirectory.take(new LocalDisk(), other, CLUSTER, node).lock().close();
    assertNames(
        StoreFixture.assertCode(
            ErrorCode.MISCONFIGURED, () -> StoreOpener.nodeOf(List.of(directory, other))),
        other,
        NODE,
        node);
    openAndClose(directory, false);
  }

  @Test
  void shouldRefuseAForeignDirectoryAndLeaveItAlone() throws IOException {
    Path directory = Files.createDirectory(parent.resolve("home"));
    Files.writeString(directory.resolve("thesis.txt"), "precious");
    VdfsException refused = StoreFixture.assertCode(ErrorCode.MISCONFIGURED, () -> open(directory));
    assertNames(refused, directory, "thesis.txt", "configure an empty directory");
    try (var entries = Files.list(directory)) {
      assertEquals(1, entries.count());
    }
  }

  @Test
  void shouldRefuseAPathThatIsNoDirectory() throws IOException {
    Path file = Files.writeString(parent.resolve("file"), "x");
    for (Path path : List.of(file, file.resolve("below"))) {
      IOException cause = assertThrows(IOException.class, () -> open(path));
      assertNames(VolumeDirectory.unusable(path, cause), path, "configure");
      assertNames(
          StoreFixture.assertCode(ErrorCode.MISCONFIGURED, () -> StoreOpener.nodeOf(List.of(path))),
          path,
          "configure");
    }
  }

  private VdfsException unusable(Disk disk) {
    Path directory = parent.resolve("data");
    IOException cause =
        assertThrows(IOException.class, () -> VolumeDirectory.take(disk, directory, CLUSTER, NODE));
    VdfsException unusable = VolumeDirectory.unusable(directory, cause);
    assertNames(unusable, directory, "or configure another one");
    return unusable;
  }

  @Test
  void shouldAskForRoomWhenTheFilesystemIsFull() {
    FaultyDisk disk = new FaultyDisk(new LocalDisk());
    disk.fillUp();

    assertNames(unusable(disk), "make room on its filesystem");
  }

  /** The tests may run as root, which may write anywhere. */
  @Test
  void shouldNameTheUserWhoMayNotWrite() {
    Disk disk =
        new ForwardingDisk(new LocalDisk()) {
          @Override
          public void createDirectories(Path directory) throws IOException {
            throw new AccessDeniedException(directory.toString());
          }
        };

    assertNames(unusable(disk), "chown or chmod: user=" + System.getProperty("user.name"));
  }

  @Test
  void shouldRefuseAnIdentityItCannotRead() throws Exception {
    Path directory = parent.resolve("a");
    openAndClose(directory, true);
    Path identity = directory.resolve(VolumeIdentity.FILE_NAME);
    String text = Files.readString(identity);
    Files.writeString(identity, text.replace("version=6", "version=5"));
    assertNames(
        StoreFixture.assertCode(ErrorCode.MISCONFIGURED, () -> open(directory)),
        identity,
        "version=5");
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    for (int bit = 0; bit < bytes.length * 8; bit++) {
      byte[] flipped = bytes.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      Files.write(identity, flipped);
      StoreFixture.assertCode(ErrorCode.MISCONFIGURED, () -> open(directory));
    }
  }
}
