package io.vdfs.datanode.store;

import io.netty.buffer.ByteBuf;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.LeaseBound;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.store.BlockRole;
import io.vdfs.common.store.ChunkChecksums;
import io.vdfs.datanode.store.disk.SimulatedDisk;
import io.vdfs.datanode.store.index.HeapBlockIndex;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.function.Executable;

/** A store of tiny blocks on a simulated disk, and short words for what tests do with it. */
final class StoreFixture {
  static final int CHUNK = 512;
  static final int BLOCK = 4 * CHUNK;
  static final int GROUP_BLOCKS = 4;
  static final int GROUP = GROUP_BLOCKS * BLOCK;
  static final ClusterGeometry GEOMETRY = new ClusterGeometry(BLOCK, GROUP_BLOCKS, CHUNK, 12);
  static final UUID CLUSTER = new UUID(1, 2);
  static final NodeId NODE = new NodeId(new UUID(3, 4));
  static final int BLANKS = 2;
  static final FileKey KEY = new FileKey(77, 1);
  static final List<Path> ONE_VOLUME = List.of(Path.of("/d0"));
  static final List<Path> TWO_VOLUMES = List.of(Path.of("/d0"), Path.of("/d1"));
  static final List<Path> THREE_VOLUMES = List.of(Path.of("/d0"), Path.of("/d1"), Path.of("/d2"));

  private StoreFixture() {}

  static StoreConfig config(List<Path> volumes) {
    return new StoreConfig(
            CLUSTER, NODE, GEOMETRY, volumes, Path.of("/index"), 0, Long.MAX_VALUE, 8)
        .withBlankFiles(BLANKS);
  }

  static StoreConfig accepting(List<Path> volumes, Set<Path> empty) {
    return new StoreConfig(
        CLUSTER,
        NODE,
        GEOMETRY,
        volumes,
        Path.of("/index"),
        0,
        Long.MAX_VALUE,
        8,
        empty,
        BLANKS,
        StoreConfig.DEFAULT_WRITE_PATIENCE);
  }

  static DiskBlockStore open(SimulatedDisk disk, List<Path> volumes) throws VdfsException {
    return open(disk, config(volumes));
  }

  static DiskBlockStore open(SimulatedDisk disk, StoreConfig config) throws VdfsException {
    return DiskBlockStore.open(
        new StoreContext(config, disk, ThreadingMode.CALLER),
        (directory, blocks) -> new HeapBlockIndex());
  }

  /** Bytes that differ from place to place and from seed to seed. */
  static byte[] content(long seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  static BlockWriter writer(BlockStore store, FileKey key, int group, long epoch, long start)
      throws VdfsException {
    return store.openWriter(key, BlockRole.PRIMARY, epoch, start, group);
  }

  /** A writer who says how many bytes the file is going to have. */
  static BlockWriter smallWriter(BlockStore store, FileKey key, int bytes) throws VdfsException {
    return store.openWriter(
        key, BlockRole.PRIMARY, 1, 0, 0, LeaseBound.NONE, Long.MAX_VALUE, bytes);
  }

  /** Writes a file of one packet, as a client does that closes it before anything was sent. */
  static void writeSmall(BlockStore store, FileKey key, byte[] file) throws VdfsException {
    BlockWriter writer = smallWriter(store, key, file.length);
    append(writer, file, 0, file.length);
    writer.close(true);
  }

  /** Sends the bytes of a file from {@code from} to {@code to} as one packet. */
  static void append(BlockWriter writer, byte[] file, int from, int to) throws VdfsException {
    ByteBuffer data = ByteBuffer.wrap(file, from, to - from);
    writer.append(from, data, ChunkChecksums.compute(data, CHUNK));
  }

  /** Writes a group of a file in one go. */
  static void write(BlockStore store, FileKey key, int group, byte[] file, long epoch)
      throws VdfsException {
    int from = group * GROUP;
    BlockWriter writer = writer(store, key, group, epoch, from);
    append(writer, file, from, Math.min(file.length, from + GROUP));
    writer.close(true);
  }

  /** Fences a group, forces it and reads it back: the length that verifies. */
  static long verified(BlockStore store, FileKey key, int group, long epoch) throws VdfsException {
    store.fence(key, group, epoch);
    return store.verify(key, group, LeaseBound.NONE, List.of()).verified();
  }

  /** What readers get of a group, verified. */
  static byte[] readGroup(BlockStore store, FileKey key, int group) throws VdfsException {
    long length = store.group(key, group).length();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (long block = (long) group * GROUP_BLOCKS; out.size() < length; block++) {
      int inBlock = (int) Math.min(BLOCK, length - out.size());
      out.writeBytes(Arrays.copyOf(read(store, key, block, 0, inBlock), inBlock));
    }
    return out.toByteArray();
  }

  static byte[] read(BlockStore store, FileKey key, long block, int offset, int length)
      throws VdfsException {
    BlockData data = store.read(key, block, offset, length, true);
    ByteBuf buffer = data.data();
    try {
      Assertions.assertEquals(
          -1, data.checksums().firstMismatch(buffer.nioBuffer(), CHUNK), "checksums sent along");
      byte[] bytes = new byte[buffer.readableBytes()];
      buffer.getBytes(0, bytes);
      return bytes;
    } finally {
      buffer.release();
    }
  }

  static VdfsException assertCode(ErrorCode code, Executable action) {
    VdfsException thrown = Assertions.assertThrows(VdfsException.class, action);
    Assertions.assertEquals(code, thrown.code(), thrown.getMessage());
    return thrown;
  }

  /** The only file whose name ends so. */
  static Path file(SimulatedDisk disk, String suffix) {
    List<Path> found =
        disk.files().stream().filter(path -> path.toString().endsWith(suffix)).toList();
    Assertions.assertEquals(1, found.size(), () -> suffix + " in " + disk.files());
    return found.get(0);
  }
}
