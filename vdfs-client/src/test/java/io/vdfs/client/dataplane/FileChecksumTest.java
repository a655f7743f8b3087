package io.vdfs.client.dataplane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.files.ContentWriter;
import io.vdfs.client.names.FileInfo;
import io.vdfs.common.checksum.Crc32c;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Checksums of files, and of their first bytes, where the nodes hold more than is recorded. */
@Timeout(60)
class FileChecksumTest {
  private static final byte[] BYTES = WriterCluster.bytes(1, WriterCluster.GROUP + 5000);
  private static final int FLUSHED = BYTES.length - 10;

  @TempDir private Path directory;

  private static int expected(int length) {
    return Crc32c.of(ByteBuffer.wrap(BYTES, 0, length));
  }

  @Test
  void shouldSumUpWhatAWriterHasFlushed() throws IOException {
    try (WriterCluster cluster = new WriterCluster(directory, 3, 3)) {
      ContentWriter writer = cluster.create(3);
      writer.write(BYTES, 0, 3000);
      writer.flush();

      FileInfo file = cluster.file();
      assertEquals(3000, file.length(), "the first flush is recorded");
      assertEquals(0, file.view().length());
      assertEquals(expected(3000), cluster.checksum(file, 3000));
      assertEquals(expected(2900), cluster.checksum(file, 2900));
      writer.close();
    }
  }

  @Test
  void shouldSumUpAFileThatIsAppendedTo() throws IOException {
    try (WriterCluster cluster = new WriterCluster(directory, 3, 3)) {
      write(cluster);
      ContentWriter writer = cluster.append();
      writer.write(BYTES, FLUSHED, 10);
      writer.flush();

      FileInfo file = cluster.file();
      assertTrue(file.isUnderConstruction());
      assertEquals(expected(FLUSHED), cluster.checksum(file, FLUSHED));
      assertEquals(expected(BYTES.length), cluster.checksum(file, BYTES.length));
      writer.close();
      assertEquals(expected(BYTES.length), cluster.checksum(cluster.file(), BYTES.length));
    }
  }

  @Test
  void shouldSumUpAContentThatEndsBeforeItsFile() throws IOException {
    try (WriterCluster cluster = new WriterCluster(directory, 3, 3)) {
      write(cluster);
      FileInfo pinned = cluster.file().limitedTo(FLUSHED);
      try (ContentWriter writer = cluster.append()) {
        writer.write(BYTES, FLUSHED, 10);
      }

      assertEquals(expected(FLUSHED), cluster.checksum(pinned, FLUSHED));
      FileInfo shorter = cluster.file().limitedTo(3000);
      assertEquals(expected(3000), cluster.checksum(shorter, 3000));
    }
  }

  @Test
  void shouldKeepTheLimitOfAContentThatIsBeingWritten() throws IOException {
    try (WriterCluster cluster = new WriterCluster(directory, 3, 3)) {
      ContentWriter writer = cluster.create(3);
      writer.write(BYTES, 0, 3000);
      writer.flush();

      FileInfo file = cluster.file();
      FileInfo pinned = file.limitedTo(2000);
      assertEquals(2000, pinned.length());
      assertEquals(expected(2000), cluster.checksum(pinned, 2000));
      assertNotEquals(file, file.limitedTo(3000));
      writer.close();
    }
  }

  private static void write(WriterCluster cluster) throws IOException {
    try (ContentWriter writer = cluster.create(3)) {
      writer.write(BYTES, 0, FLUSHED);
    }
  }
}
