package io.vdfs.datanode.transfer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBufUtil;
import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.checksum.Crc32c;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.LeaseBound;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

/** What the data plane relies on, of every store. */
@Timeout(60)
abstract class AbstractReplicaStoreTest {
  static final ClusterGeometry GEOMETRY = new ClusterGeometry(2048, 4, 512, 12);

  private static final FileKey FILE = new FileKey(77, 3);
  private static final int GROUP = (int) GEOMETRY.groupSize();

  private final byte[] content = new byte[2 * GROUP];

  AbstractReplicaStoreTest() {
    new Random(2).nextBytes(content);
  }

  abstract ReplicaStore store();

  @Test
  void shouldHoldWhatWasWritten() throws Exception {
    ReplicaWriter writer =
        store().openWriter(FILE, 1, 1, GROUP, true, LeaseBound.NONE, Long.MAX_VALUE);
    append(writer, GROUP, 1000);
    writer.checkpoint();
    assertEquals(new ReplicaState(1000, 1), store().state(FILE, 1));
    append(writer, GROUP + 512, 3000);
    writer.sync();
    writer.close(true);

    assertEquals(new ReplicaState(3512, 2), store().state(FILE, 1));
    assertHeld(GROUP, 3512);
    assertEquals(
        List.of(crc(GROUP, 2048), crc(GROUP + 2048, 1464)), store().blockChecksums(FILE, 1));
    assertEquals(new ReplicaState(0, 0), store().state(FILE, 0));
    assertEquals(List.of(), store().blockChecksums(FILE, 0));
  }

  @Test
  void shouldGiveWholeChunksThatCoverTheRange() throws Exception {
    write(1, 0, 3000);
    store().warm(FILE, 0, 600, 500).get(20, TimeUnit.SECONDS);

    ReplicaChunks chunks = store().read(FILE, 0, 600, 500);
    assertEquals(512, chunks.offset());
    assertEquals(1024, chunks.data().readableBytes());
    assertEquals(2, chunks.checksums().size());
    chunks.data().release();
    assertFails(ErrorCode.NOT_FOUND, () -> store().read(FILE, 1, 1000, 1));
    assertFails(ErrorCode.NOT_FOUND, () -> store().read(FILE, 9, 0, 1));
  }

  @Test
  void shouldKeepTheEndUntilOtherBytesReplaceIt() throws Exception {
    write(1, 0, 3000);
    ReplicaWriter again =
        store().openWriter(FILE, 0, 2, 1024, true, LeaseBound.NONE, Long.MAX_VALUE);
    assertEquals(3000, store().state(FILE, 0).length());
    append(again, 1024, 700);
    assertEquals(3000, store().state(FILE, 0).length());
    again.abandon();
    assertHeld(0, 3000);

    ReplicaWriter shorter =
        store().openWriter(FILE, 0, 3, 1024, true, LeaseBound.NONE, Long.MAX_VALUE);
    append(shorter, 1024, 700);
    shorter.close(true);
    assertEquals(new ReplicaState(1724, 4), store().state(FILE, 0));
    assertHeld(0, 1724);
  }

  @Test
  void shouldFenceEarlierWriters() throws Exception {
    ReplicaWriter early = store().openWriter(FILE, 0, 1, 0, true, LeaseBound.NONE, Long.MAX_VALUE);
    append(early, 0, 100);
    assertFails(
        ErrorCode.LEASE_CONFLICT,
        () -> store().openWriter(FILE, 0, 1, 0, true, LeaseBound.NONE, Long.MAX_VALUE));
    ReplicaWriter late = store().openWriter(FILE, 0, 2, 0, true, LeaseBound.NONE, Long.MAX_VALUE);
    assertFails(ErrorCode.FENCED, () -> append(early, 0, 200));
    assertFails(
        ErrorCode.FENCED,
        () -> store().openWriter(FILE, 0, 1, 0, true, LeaseBound.NONE, Long.MAX_VALUE));
    append(late, 0, 300);

    assertEquals(new ReplicaState(300, 5), store().fence(FILE, 0, 5));
    assertFails(ErrorCode.FENCED, () -> append(late, 0, 400));
    assertFails(ErrorCode.FENCED, () -> store().fence(FILE, 0, 4));
    assertFails(ErrorCode.FENCED, () -> store().truncate(FILE, 0, 10, 4));
    store().truncate(FILE, 0, 200, 5);
    assertEquals(new ReplicaState(200, 5), store().state(FILE, 0));
    assertFails(ErrorCode.FILE_CHANGED, () -> store().truncate(FILE, 0, 201, 5));
    assertHeld(0, 200);
  }

  @Test
  void shouldRefuseToBeginBehindWhatIsHeld() throws Exception {
    write(1, 0, 600);

    assertFails(
        ErrorCode.FILE_CHANGED,
        () -> store().openWriter(FILE, 0, 2, 1024, true, LeaseBound.NONE, Long.MAX_VALUE));
  }

  @Test
  void shouldRefuseBytesThatDifferFromTheirChecksums() throws Exception {
    ReplicaWriter writer = store().openWriter(FILE, 0, 1, 0, true, LeaseBound.NONE, Long.MAX_VALUE);
    ByteBuffer bytes = ByteBuffer.wrap(content, 0, 512).slice();

    assertFails(ErrorCode.CORRUPT, () -> writer.append(0, bytes, List.of(crc(512, 512))));
    assertEquals(0, store().state(FILE, 0).length());
    writer.abandon();
  }

  private void write(int epoch, int from, int length) throws VdfsException {
    ReplicaWriter writer =
        store().openWriter(FILE, 0, epoch, from, true, LeaseBound.NONE, Long.MAX_VALUE);
    append(writer, from, length);
    writer.close(true);
  }

  private void append(ReplicaWriter writer, int offset, int length) throws VdfsException {
    ByteBuffer bytes = ByteBuffer.wrap(content, offset, length).slice();
    writer.append(offset, bytes, ChunkChecksums.compute(bytes, GEOMETRY.chunkSize()).asList());
  }

  private void assertHeld(int from, int length) throws Exception {
    for (int at = from; at < from + length; at += GEOMETRY.blockSize()) {
      int wanted = Math.min(GEOMETRY.blockSize(), from + length - at);
      ReplicaChunks chunks = store().read(FILE, at / GEOMETRY.blockSize(), 0, wanted);
      assertArrayEquals(
          Arrays.copyOfRange(content, at, at + wanted), ByteBufUtil.getBytes(chunks.data()));
      assertEquals(
          -1,
          ChunkChecksums.of(chunks.checksums().size(), chunks.checksums()::get)
              .firstMismatch(chunks.data().nioBuffer(), GEOMETRY.chunkSize()));
      chunks.data().release();
    }
  }

  private int crc(int from, int length) {
    return Crc32c.of(ByteBuffer.wrap(content, from, length));
  }

  private static void assertFails(ErrorCode code, Executable call) {
    Throwable failed = assertThrows(Exception.class, call);
    Throwable cause = failed instanceof ExecutionException ? failed.getCause() : failed;
    assertTrue(
        cause instanceof VdfsException known && known.code() == code,
        () -> "expected=" + code + ", was=" + cause);
  }
}
