package io.vdfs.datanode.transfer.replica;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBufUtil;
import io.vdfs.common.checksum.Crc32c;
import io.vdfs.common.checksum.VerifiedChunks;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.store.BlockRole;
import io.vdfs.datanode.store.BlockData;
import io.vdfs.datanode.store.BlockStore;
import io.vdfs.datanode.store.BlockWriter;
import io.vdfs.datanode.store.GroupState;
import io.vdfs.datanode.stream.StoreReads;
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
abstract class AbstractTransferStoreTest {
  static final ClusterGeometry GEOMETRY = new ClusterGeometry(2048, 4, 512, 12);

  private static final FileKey FILE = new FileKey(77, 3);
  private static final int GROUP = (int) GEOMETRY.groupSize();

  private final byte[] content = new byte[2 * GROUP];

  AbstractTransferStoreTest() {
    new Random(2).nextBytes(content);
  }

  abstract BlockStore store();

  abstract StoreReads reads();

  /** What a node holds of a group: its length, and its write epoch or fence. */
  private record Held(long length, long epoch) {}

  private Held state(int group) {
    return held(store().group(FILE, group));
  }

  private static Held held(GroupState state) {
    return new Held(state.length(), Math.max(state.contentEpoch(), state.fenceEpoch()));
  }

  private BlockWriter open(int group, long epoch, long start) throws VdfsException {
    return store().openWriter(FILE, BlockRole.PRIMARY, epoch, start, group);
  }

  @Test
  void shouldHoldWhatWasWritten() throws Exception {
    BlockWriter writer = open(1, 1, GROUP);
    append(writer, GROUP, 1000);
    writer.checkpoint();
    assertEquals(new Held(1000, 1), state(1));
    append(writer, GROUP + 512, 3000);
    writer.sync();
    writer.close(true);

    assertEquals(new Held(3512, 2), state(1));
    assertHeld(GROUP, 3512);
    assertEquals(
        List.of(crc(GROUP, 2048), crc(GROUP + 2048, 1464)),
        GroupChecksums.of(store(), GEOMETRY, FILE, 1));
    assertEquals(new Held(0, 0), state(0));
    assertEquals(List.of(), GroupChecksums.of(store(), GEOMETRY, FILE, 0));
  }

  @Test
  void shouldGiveWholeChunksThatCoverTheRange() throws Exception {
    write(1, 0, 3000);
    reads().warm(StoreReads.Host.HERE, FILE, 0, 600, 500).get(20, TimeUnit.SECONDS);

    BlockData chunks = reads().read(FILE, 0, 600, 500);
    assertEquals(512, chunks.offset());
    assertEquals(1024, chunks.data().readableBytes());
    assertEquals(2, chunks.checksums().count());
    chunks.data().release();
    assertFails(ErrorCode.NOT_FOUND, () -> reads().read(FILE, 1, 1000, 1));
    assertFails(ErrorCode.NOT_FOUND, () -> reads().read(FILE, 9, 0, 1));
  }

  @Test
  void shouldKeepTheEndUntilOtherBytesReplaceIt() throws Exception {
    write(1, 0, 3000);
    BlockWriter again = open(0, 2, 1024);
    assertEquals(3000, state(0).length());
    append(again, 1024, 700);
    assertEquals(3000, state(0).length());
    again.abandon();
    assertHeld(0, 3000);

    BlockWriter shorter = open(0, 3, 1024);
    append(shorter, 1024, 700);
    shorter.close(true);
    assertEquals(new Held(1724, 4), state(0));
    assertHeld(0, 1724);
  }

  @Test
  void shouldFenceEarlierWriters() throws Exception {
    BlockWriter early = open(0, 1, 0);
    append(early, 0, 100);
    assertFails(ErrorCode.LEASE_CONFLICT, () -> open(0, 1, 0));
    BlockWriter late = open(0, 2, 0);
    assertFails(ErrorCode.FENCED, () -> append(early, 0, 200));
    assertFails(ErrorCode.FENCED, () -> open(0, 1, 0));
    append(late, 0, 300);

    assertEquals(new Held(300, 5), held(store().fence(FILE, 0, 5)));
    assertFails(ErrorCode.FENCED, () -> append(late, 0, 400));
    assertFails(ErrorCode.FENCED, () -> store().fence(FILE, 0, 4));
    assertFails(ErrorCode.FENCED, () -> store().truncateGroup(FILE, 0, 10, 4));
    store().truncateGroup(FILE, 0, 200, 5);
    assertEquals(new Held(200, 5), state(0));
    assertFails(ErrorCode.FILE_CHANGED, () -> store().truncateGroup(FILE, 0, 201, 5));
    assertHeld(0, 200);
  }

  @Test
  void shouldRefuseToBeginBehindWhatIsHeld() throws Exception {
    write(1, 0, 600);

    assertFails(ErrorCode.FILE_CHANGED, () -> open(0, 2, 1024));
  }

  private void write(int epoch, int from, int length) throws VdfsException {
    BlockWriter writer = open(0, epoch, from);
    append(writer, from, length);
    writer.close(true);
  }

  private void append(BlockWriter writer, int offset, int length) throws VdfsException {
    ByteBuffer bytes = ByteBuffer.wrap(content, offset, length).slice();
    writer.append(offset, VerifiedChunks.compute(bytes, GEOMETRY.chunkSize()));
  }

  private void assertHeld(int from, int length) throws Exception {
    for (int at = from; at < from + length; at += GEOMETRY.blockSize()) {
      int wanted = Math.min(GEOMETRY.blockSize(), from + length - at);
      BlockData chunks = reads().read(FILE, at / GEOMETRY.blockSize(), 0, wanted);
      assertArrayEquals(
          Arrays.copyOfRange(content, at, at + wanted), ByteBufUtil.getBytes(chunks.data()));
      assertEquals(
          -1, chunks.checksums().firstMismatch(chunks.data().nioBuffer(), GEOMETRY.chunkSize()));
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
