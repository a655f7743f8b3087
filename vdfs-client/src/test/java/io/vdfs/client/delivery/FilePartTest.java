package io.vdfs.client.delivery;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.io.IoCounter;
import io.vdfs.client.io.TestCluster;
import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.net.DataBuffers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FilePartTest {
  private static final int CHUNK = TestCluster.GEOMETRY.chunkSize();
  private static final int WINDOWS = 2 * FilePart.WINDOWS_PER_SAMPLE + 1;
  private static final int PLACE = 3 * CHUNK;

  @TempDir private Path directory;
  private final byte[] content = new byte[(WINDOWS - 1) * FilePart.WINDOW + CHUNK / 2];
  private final List<Long> fetched = new ArrayList<>();
  private TestCluster cluster;
  private long read;
  private int asked;
  private boolean early;

  @BeforeEach
  void setUp() throws IOException {
    cluster = new TestCluster(1, 1);
    new Random(1).nextBytes(content);
  }

  @AfterEach
  void tearDown() throws Exception {
    cluster.close();
  }

  private FilePart open(byte[] stored, DiskReads diskReads) throws IOException {
    ByteBuffer file = ByteBuffer.allocate(PLACE + stored.length).position(PLACE).put(stored);
    Path path = Files.write(directory.resolve("blocks"), file.array());
    LocalFiles files =
        new LocalFiles(
            Duration.ofMinutes(1).toNanos(),
            System::nanoTime,
            later -> {},
            new Counters<>(IoCounter.class),
            () -> diskReads,
            DataBuffers.windows());
    ChunkChecksums checksums = ChunkChecksums.compute(ByteBuffer.wrap(content), CHUNK);
    FilePart.Range range = new FilePart.Range(path.toString(), PLACE, 0, content.length, checksums);
    LocalFiles.Handle handle = files.open(path.toString());
    FilePart.Owner owner =
        new FilePart.Owner() {
          @Override
          public void onRead(int bytes, long ofThem) {
            read += bytes;
            fetched.add(ofThem);
          }

          @Override
          public VdfsException onCut(String where) {
            return new VdfsException(ErrorCode.UNSUPPORTED, where);
          }

          @Override
          public boolean isEarly() {
            return early;
          }

          @Override
          public void onClosed() {}
        };
    return new FilePart(cluster.io, range, handle, handle.diskReads(), owner);
  }

  private byte[] readAll(FilePart part) throws IOException {
    ByteBuffer target = ByteBuffer.allocate(content.length);
    while (target.hasRemaining()) {
      ByteBuffer piece = target.slice(target.position(), Math.min(CHUNK + 1, target.remaining()));
      part.copy(target.position(), piece);
      target.position(target.position() + piece.position());
    }
    return target.array();
  }

  @Test
  void shouldAskForSomeWindowsWhatTheyCostTheDisk() throws IOException {
    long[] disk = {0};
    DiskReads growing =
        () -> {
          asked++;
          return disk[0] += 10L * asked;
        };
    FilePart part = open(content, growing);

    assertArrayEquals(content, readAll(part));
    part.close();

    assertEquals(content.length, read);
    assertEquals(2 * 3, asked);
    List<Long> told = new ArrayList<>(Collections.nCopies(FilePart.WINDOWS_PER_SAMPLE, 20L));
    told.addAll(Collections.nCopies(FilePart.WINDOWS_PER_SAMPLE, 40L));
    told.add(60L);
    assertEquals(told, fetched);
  }

  @Test
  void shouldFindADamagedChunkInAWindowThatIsNotAsked() throws IOException {
    byte[] damaged = content.clone();
    damaged[FilePart.WINDOW + CHUNK] ^= 1;
    FilePart part = open(damaged, DiskReads.NONE);

    VdfsException failure = assertThrows(VdfsException.class, () -> readAll(part));
    part.close();

    assertEquals(ErrorCode.CORRUPT, failure.code());
    long position = PLACE + FilePart.WINDOW + (long) CHUNK;
    assertTrue(failure.getMessage().contains("position=" + position), failure.getMessage());
    assertEquals(FilePart.WINDOW, read);
    assertEquals(1, cluster.io.counters().get(IoCounter.CORRUPT_CHUNKS));
  }

  @Test
  void shouldNotCountAsDamagedWhatMayLieElsewhereByNow() throws IOException {
    early = true;
    FilePart part = open(new byte[content.length], DiskReads.NONE);

    VdfsException failure = assertThrows(VdfsException.class, () -> readAll(part));
    part.close();

    assertEquals(ErrorCode.CORRUPT, failure.code());
    assertEquals(0, cluster.io.counters().get(IoCounter.CORRUPT_CHUNKS));
  }
}
