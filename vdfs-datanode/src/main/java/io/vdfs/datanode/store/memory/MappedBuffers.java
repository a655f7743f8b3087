package io.vdfs.datanode.store.memory;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import io.vdfs.datanode.store.BlockBuffers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.BitSet;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Buffers of one file on a filesystem in memory: it loses its name as soon as it is there, is
 * written once, so that it has all its space, and mapped once. No other process can open or cut it,
 * so this mapping never gives a signal, as one of a file with a name may. It is not unmapped while
 * it or a buffer of it is in use, which may be on its way to a reader.
 *
 * <p>Thread-safe: the monitor guards {@code taken}.
 */
public final class MappedBuffers implements BlockBuffers {
  /** Most bytes of one mapping that buffers can be cut from. */
  public static final long MAX_BYTES = 1L << 30;

  /** Each buffer has whole units. */
  static final int UNIT = 64 << 10;

  private static final Logger LOG = LoggerFactory.getLogger(MappedBuffers.class);
  private static final Path IN_MEMORY = Path.of("/dev/shm");
  private static final int ZEROS = 256 << 10;

  private final ByteBuffer memory;
  private final int units;
  private final BitSet taken = new BitSet();

  private MappedBuffers(ByteBuffer memory) {
    this.memory = memory;
    this.units = memory.capacity() / UNIT;
  }

  /**
   * Makes the file in {@code /dev/shm}, or where the JVM puts its files if there is none. Blocks on
   * the filesystem.
   *
   * @param bytes of all buffers together, no more than {@link #MAX_BYTES}; less than a unit for
   *     none
   * @return {@link BlockBuffers#NONE} where there can be none, which the log tells
   */
  public static BlockBuffers open(long bytes) {
    return open(
        bytes,
        Files.isDirectory(IN_MEMORY) ? IN_MEMORY : Path.of(System.getProperty("java.io.tmpdir")));
  }

  static BlockBuffers open(long bytes, Path directory) {
    if (bytes < UNIT) {
      return NONE;
    }
    try {
      return new MappedBuffers(map(directory, bytes / UNIT * UNIT));
    } catch (IOException | UnsupportedOperationException e) {
      LOG.warn(
          "no memory of the daemon's own for readers, who get the JVM's: directory={}, bytes={},"
              + " cause={}",
          directory,
          bytes,
          e.toString());
      return NONE;
    }
  }

  private static ByteBuffer map(Path directory, long bytes) throws IOException {
    Path file = directory.resolve("vdfs-buffers-" + UUID.randomUUID());
    try (FileChannel channel =
        FileChannel.open(
            file,
            Set.of(
                StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
      Files.delete(file);
      ByteBuffer zeros = ByteBuffer.allocate(ZEROS);
      for (long at = 0; at < bytes; at = channel.position()) {
        channel.write(zeros.clear().limit((int) Math.min(ZEROS, bytes - at)));
      }
      return channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes);
    }
  }

  @Override
  public Optional<ByteBuf> take(int bytes) {
    int wanted = (int) (((long) bytes + UNIT - 1) / UNIT);
    int first = takeUnits(wanted);
    return first < 0
        ? Optional.empty()
        : Optional.of(new Piece(memory.slice(first * UNIT, bytes), first, wanted));
  }

  /**
   * Takes the first free units that lie together, so that the memory used last is used again.
   *
   * @return the first unit, or -1 if there are not as many together
   */
  private synchronized int takeUnits(int wanted) {
    int first = taken.nextClearBit(0);
    while (wanted <= units - first) {
      int end = taken.nextSetBit(first);
      if (end < 0 || end - first >= wanted) {
        taken.set(first, first + wanted);
        return first;
      }
      first = taken.nextClearBit(end);
    }
    return -1;
  }

  private synchronized void giveUnits(int first, int count) {
    taken.clear(first, first + count);
  }

  /** Units that are taken until the last reference to their buffer goes. */
  private final class Piece extends UnpooledDirectByteBuf {
    private final int first;
    private final int count;

    Piece(ByteBuffer bytes, int first, int count) {
      super(UnpooledByteBufAllocator.DEFAULT, bytes, bytes.capacity());
      this.first = first;
      this.count = count;
      clear();
    }

    @Override
    protected void deallocate() {
      super.deallocate();
      giveUnits(first, count);
    }
  }
}
