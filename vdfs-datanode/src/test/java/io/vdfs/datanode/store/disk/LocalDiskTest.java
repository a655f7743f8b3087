package io.vdfs.datanode.store.disk;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LocalDiskTest {
  private static final int MEBI = 1 << 20;
  private static final long UNIT = 512; // of what stat counts

  @TempDir private Path directory;

  @Test
  void shouldGiveRoomInTheMiddleOfAFileBack() throws Exception {
    byte[] bytes = new byte[8 * MEBI];
    new Random(7).nextBytes(bytes);
    Path path = directory.resolve("file");
    try (DiskFile file = new LocalDisk().create(path)) {
      DiskTransfer.writeFully(file, ByteBuffer.wrap(bytes), 0);
      file.force();
      long before = allocated(path);

      file.deallocate(2 * MEBI, 4 * MEBI);
      file.force();

      assertEquals(bytes.length, file.size());
      long given = before - allocated(path);
      assertTrue(given >= 4 * MEBI - 8192 && given <= 4 * MEBI, "given back: " + given);
    }
    Arrays.fill(bytes, 2 * MEBI, 6 * MEBI, (byte) 0);
    assertArrayEquals(bytes, Files.readAllBytes(path));
  }

  @Test
  void shouldSayWhyRoomIsNotGivenBack() throws Exception {
    Path path = directory.resolve("file");
    try (DiskFile file = new LocalDisk().create(path)) {
      Files.delete(path);
      IOException failure = assertThrows(IOException.class, () -> file.deallocate(0, 4096));
      assertTrue(failure.getMessage().contains(path.toString()), failure::getMessage);
      assertTrue(failure.getMessage().contains("No such file"), failure::getMessage);
    }
    assertTrue(Files.notExists(path), "a file came into being");
  }

  @ParameterizedTest
  @ValueSource(ints = {64 << 10, 200 << 10, 4096, 24_576 + 100, 1})
  void shouldMakeAFileOfZerosThatCanBeWrittenTo(int size) throws Exception {
    Path path = directory.resolve("file");
    byte[] expected = new byte[size];
    try (DiskFile file = new LocalDisk().createFilled(path, size)) {
      assertArrayEquals(expected, Files.readAllBytes(path));
      expected[size - 1] = 7;
      DiskTransfer.writeFully(file, ByteBuffer.wrap(new byte[] {7}), size - 1);
    }
    assertArrayEquals(expected, Files.readAllBytes(path));
    assertThrows(FileAlreadyExistsException.class, () -> new LocalDisk().createFilled(path, size));
    assertArrayEquals(expected, Files.readAllBytes(path));
  }

  private static long allocated(Path file) throws Exception {
    Process stat = new ProcessBuilder("stat", "--format", "%b", file.toString()).start();
    String said = new String(stat.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, stat.waitFor());
    return Long.parseLong(said.strip()) * UNIT;
  }
}
