package io.vdfs.datanode.store;

import io.netty.buffer.ByteBuf;
import io.vdfs.common.checksum.VerifiedChunks;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.LeaseBound;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.store.BlockRole;
import io.vdfs.datanode.store.disk.Disk;
import io.vdfs.datanode.store.disk.SimulatedDisk;
import io.vdfs.datanode.store.group.DiskBlockStore;
import io.vdfs.datanode.store.index.HeapBlockIndex;
import io.vdfs.datanode.store.load.StoreOpener;
import io.vdfs.datanode.store.volume.StoreContext;
import io.vdfs.datanode.store.volume.ThreadingMode;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.function.Executable;

/** A store of tiny blocks on a simulated disk, and short words for what tests do with it. */
public final class StoreFixture {
  public static final int CHUNK = 512;
  public static final int BLOCK = 4 * CHUNK;
  public static final int GROUP_BLOCKS = 4;
  public static final int GROUP = GROUP_BLOCKS * BLOCK;
  public static final ClusterGeometry GEOMETRY =
      new ClusterGeometry(BLOCK, GROUP_BLOCKS, CHUNK, 12);
  public static final UUID CLUSTER = new UUID(1, 2);
  public static final NodeId NODE = new NodeId(new UUID(3, 4));
  public static final int BLANKS = 2;
  public static final FileKey KEY = new FileKey(77, 1);
  public static final List<Path> ONE_VOLUME = List.of(Path.of("/d0"));
  public static final List<Path> TWO_VOLUMES = List.of(Path.of("/d0"), Path.of("/d1"));
  public static final List<Path> THREE_VOLUMES =
      List.of(Path.of("/d0"), Path.of("/d1"), Path.of("/d2"));

  private StoreFixture() {}

  public static StoreConfig config(List<Path> volumes) {
    return new StoreConfig(
            CLUSTER, NODE, GEOMETRY, volumes, Path.of("/index"), 0, Long.MAX_VALUE, 8)
        .withBlankFiles(BLANKS);
  }

  public static StoreConfig accepting(List<Path> volumes, AcceptedLosses accepted) {
    return new StoreConfig(
        CLUSTER,
        NODE,
        GEOMETRY,
        volumes,
        Path.of("/index"),
        0,
        Long.MAX_VALUE,
        8,
        accepted,
        BLANKS,
        StoreConfig.DEFAULT_WRITE_PATIENCE);
  }

  public static DiskBlockStore open(SimulatedDisk disk, List<Path> volumes) throws VdfsException {
    return open(disk, config(volumes));
  }

  public static DiskBlockStore open(SimulatedDisk disk, StoreConfig config) throws VdfsException {
    return StoreOpener.open(
        new StoreContext(config, disk, ThreadingMode.CALLER),
        (directory, blocks) -> new HeapBlockIndex());
  }

  /** A store with one volume on a disk that is not just a simulated one. */
  public static DiskBlockStore open(Disk disk) throws VdfsException {
    return StoreOpener.open(
        new StoreContext(config(ONE_VOLUME), disk, ThreadingMode.CALLER),
        (directory, blocks) -> new HeapBlockIndex());
  }

  /** Bytes that differ from place to place and from seed to seed. */
  public static byte[] content(long seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  public static BlockWriter writer(BlockStore store, FileKey key, int group, long epoch, long start)
      throws VdfsException {
    return store.openWriter(key, BlockRole.PRIMARY, epoch, start, group);
  }

  /** A writer that says how many bytes the file is going to have. */
  public static BlockWriter smallWriter(BlockStore store, FileKey key, int bytes)
      throws VdfsException {
    return store.openWriter(
        key, BlockRole.PRIMARY, 1, 0, 0, LeaseBound.NONE, Long.MAX_VALUE, bytes);
  }

  /** Writes a file of one packet, as a client does that closes it before anything was sent. */
  public static void writeSmall(BlockStore store, FileKey key, byte[] file) throws VdfsException {
    BlockWriter writer = smallWriter(store, key, file.length);
    append(writer, file, 0, file.length);
    writer.close(true);
  }

  /** Sends the bytes of a file from {@code from} to {@code to} as one packet. */
  public static void append(BlockWriter writer, byte[] file, int from, int to)
      throws VdfsException {
    ByteBuffer data = ByteBuffer.wrap(file, from, to - from);
    writer.append(from, VerifiedChunks.compute(data, CHUNK));
  }

  /** Writes a group of a file in one go. */
  public static void write(BlockStore store, FileKey key, int group, byte[] file, long epoch)
      throws VdfsException {
    int from = group * GROUP;
    BlockWriter writer = writer(store, key, group, epoch, from);
    append(writer, file, from, Math.min(file.length, from + GROUP));
    writer.close(true);
  }

  /** Fences a group, forces it and reads it back: the length that verifies. */
  public static long verified(BlockStore store, FileKey key, int group, long epoch)
      throws VdfsException {
    store.fence(key, group, epoch);
    return store.verify(key, group, LeaseBound.NONE, List.of(), ReadPace.AT_ONCE).verified();
  }

  /** What readers get of a group, verified. */
  public static byte[] readGroup(BlockStore store, FileKey key, int group) throws VdfsException {
    long length = store.group(key, group).length();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (long block = (long) group * GROUP_BLOCKS; out.size() < length; block++) {
      int inBlock = (int) Math.min(BLOCK, length - out.size());
      out.writeBytes(Arrays.copyOf(read(store, key, block, 0, inBlock), inBlock));
    }
    return out.toByteArray();
  }

  public static byte[] read(BlockStore store, FileKey key, long block, int offset, int length)
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

  public static VdfsException assertCode(ErrorCode code, Executable action) {
    VdfsException thrown = Assertions.assertThrows(VdfsException.class, action);
    Assertions.assertEquals(code, thrown.code(), thrown.getMessage());
    return thrown;
  }

  /** The only file whose name ends so. */
  public static Path file(SimulatedDisk disk, String suffix) {
    List<Path> found =
        disk.files().stream().filter(path -> path.toString().endsWith(suffix)).toList();
    Assertions.assertEquals(1, found.size(), () -> suffix + " in " + disk.files());
    return found.get(0);
  }
}
