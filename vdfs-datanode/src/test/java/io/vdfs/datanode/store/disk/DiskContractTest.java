package io.vdfs.datanode.store.disk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a real disk and the one of the simulations have in common. */
class DiskContractTest {
  private static final int BYTES = 5000;

  @TempDir private Path temporary;

  static Stream<Disk> disks() {
    return Stream.of(new LocalDisk(), new SimulatedDisk());
  }

  private Path directory(Disk disk) throws IOException {
    Path directory = temporary.resolve("a").resolve("b");
    disk.createDirectories(directory);
    return directory;
  }

  private static void write(Disk disk, Path file, int bytes) throws IOException {
    try (DiskFile created = disk.create(file)) {
      DiskTransfer.writeFully(created, ByteBuffer.allocate(bytes), 0);
    }
  }

  @ParameterizedTest
  @MethodSource("disks")
  void shouldTellTheSizeOfAFile(Disk disk) throws IOException {
    Path file = directory(disk).resolve("file");
    assertThrows(NoSuchFileException.class, () -> disk.size(file));
    write(disk, file, BYTES);
    assertEquals(BYTES, disk.size(file));
    try (DiskFile open = disk.open(file)) {
      assertEquals(BYTES, open.size());
      DiskTransfer.writeFully(open, ByteBuffer.allocate(1), 2 * BYTES);
      assertEquals(2 * BYTES + 1, disk.size(file));
      open.truncate(1);
      assertEquals(1, disk.size(file));
    }
    disk.delete(file);
    assertThrows(NoSuchFileException.class, () -> disk.size(file));
  }

  @ParameterizedTest
  @MethodSource("disks")
  void shouldKeepAFileUnderEachOfItsNames(Disk disk) throws IOException {
    Path one = directory(disk).resolve("one");
    Path other = one.resolveSibling("other");
    Path third = one.resolveSibling("third");
    write(disk, one, BYTES);
    write(disk, third, BYTES);
    disk.link(other, one);
    assertTrue(disk.isSame(one, other));
    assertFalse(disk.isSame(one, third));
    assertThrows(FileAlreadyExistsException.class, () -> disk.link(third, one));

    disk.delete(one);

    assertFalse(disk.exists(one));
    assertEquals(BYTES, disk.size(other));
    assertThrows(NoSuchFileException.class, () -> disk.open(one));
  }

  @ParameterizedTest
  @MethodSource("disks")
  void shouldReplaceAFileByRenamingAnother(Disk disk) throws IOException {
    Path one = directory(disk).resolve("one");
    Path other = one.resolveSibling("other");
    write(disk, one, BYTES);
    write(disk, other, 1);
    disk.rename(one, other);
    assertFalse(disk.exists(one));
    assertEquals(BYTES, disk.size(other));
    assertThrows(NoSuchFileException.class, () -> disk.rename(one, other));
  }

  @ParameterizedTest
  @MethodSource("disks")
  void shouldListWhatADirectoryHolds(Disk disk) throws IOException {
    Path directory = directory(disk);
    assertEquals(List.of(), disk.list(directory));
    assertEquals(List.of(), disk.list(directory.resolve("missing")));
    write(disk, directory.resolve("2"), 0);
    write(disk, directory.resolve("10"), 0);
    disk.createDirectories(directory.resolve("1"));
    assertEquals(List.of("1", "10", "2"), disk.list(directory));
    assertThrows(IOException.class, () -> disk.list(directory.resolve("2")));
  }

  @ParameterizedTest
  @MethodSource("disks")
  void shouldMakeNothingOverAFile(Disk disk) throws IOException {
    Path file = directory(disk).resolve("file");
    write(disk, file, BYTES);
    assertThrows(FileAlreadyExistsException.class, () -> disk.create(file));
    assertThrows(FileAlreadyExistsException.class, () -> disk.createFilled(file, 1));
    assertThrows(
        NoSuchFileException.class, () -> disk.create(file.resolveSibling("no").resolve("f")));
    assertEquals(BYTES, disk.size(file));
    disk.delete(file.resolveSibling("missing"));
    assertEquals(List.of("file"), disk.list(file.getParent()));
  }

  @ParameterizedTest
  @MethodSource("disks")
  void shouldMakeAFileOfZeros(Disk disk) throws IOException {
    Path file = directory(disk).resolve("file");
    try (DiskFile filled = disk.createFilled(file, BYTES)) {
      ByteBuffer bytes = ByteBuffer.allocate(BYTES).put(0, (byte) 1).put(BYTES - 1, (byte) 1);
      DiskTransfer.readFully(filled, bytes, 0);
      assertEquals(ByteBuffer.allocate(BYTES), bytes.flip());
    }
    assertEquals(BYTES, disk.size(file));
  }
}
