package io.vdfs.datanode.store.index;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.security.OwnerOnly;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import net.openhft.chronicle.map.ChronicleMap;

/**
 * The index off the heap, in a file of a Chronicle Map that is made anew at each start and never
 * trusted after its process ends. A map has room for a fixed number of entries of one size from the
 * start, so that an entry it holds can always be replaced. When it is full, all entries move to one
 * of twice the size, while others wait; if that one cannot be made, new entries are refused.
 *
 * <p>Thread-safe: the lock's write side guards the replacement of {@code table}; its read side
 * covers each access to it.
 */
public final class ChronicleBlockIndex implements BlockIndex {
  private static final String FILE_PREFIX = "block-index-";
  private static final long LEAST_ENTRIES = 4096;
  private static final double HEADROOM = 1.5;

  static {
    // it calls out to the network otherwise
    System.setProperty("chronicle.analytics.disable", "true");
  }

  private final Path directory;
  private final int chunksPerBlock;
  private final Runnable onGrowth;
  private final ReadWriteLock lock = new ReentrantReadWriteLock();
  private Table table;
  private int number;

  private record Table(ChronicleMap<byte[], byte[]> map, Path file, long capacity) {
    /**
     * @return whether it is in; if not, the map is full
     */
    boolean put(byte[] key, byte[] entry) {
      try {
        map.put(key, entry);
        return true;
      } catch (IllegalStateException e) {
        // a segment has no room left
        return false;
      }
    }

    void discard() {
      map.close();
      delete(file);
    }
  }

  private ChronicleBlockIndex(Path directory, int chunksPerBlock, Runnable onGrowth) {
    this.directory = directory;
    this.chunksPerBlock = chunksPerBlock;
    this.onGrowth = onGrowth;
  }

  /**
   * Makes an empty index in a directory, which is closed to other users, and deletes those that
   * earlier processes left there.
   *
   * @param chunksPerBlock checksums of a whole block
   * @param blocks entries to expect at once
   * @param onGrowth called after each move to a larger map
   * @throws VdfsException MISCONFIGURED if the directory can't be used, or if this Java has no
   *     compiler; NO_SPACE
   */
  public static ChronicleBlockIndex create(
      Path directory, int chunksPerBlock, long blocks, Runnable onGrowth) throws VdfsException {
    requireCompiler(Optional.ofNullable(ToolProvider.getSystemJavaCompiler()));
    return create(
        directory, chunksPerBlock, onGrowth, Math.max(LEAST_ENTRIES, (long) (blocks * HEADROOM)));
  }

  /** Chronicle Map loads classes of the compiler, whether it compiles anything or not. */
  static void requireCompiler(Optional<JavaCompiler> compiler) throws VdfsException {
    if (compiler.isEmpty()) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          "this Java has no compiler, so it is no JDK: java.home=%s; set JAVA_HOME to a JDK 17"
              .formatted(System.getProperty("java.home")));
    }
  }

  static ChronicleBlockIndex create(
      Path directory, int chunksPerBlock, Runnable onGrowth, long capacity) throws VdfsException {
    ChronicleBlockIndex index = new ChronicleBlockIndex(directory, chunksPerBlock, onGrowth);
    try {
      OwnerOnly.directory(directory);
      for (Path left : leftovers(directory)) {
        Files.delete(left);
      }
    } catch (VdfsException e) {
      throw e;
    } catch (IOException e) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          ("cannot clear the directory of the block index: directory=%s; make it writable or"
                  + " configure another one")
              .formatted(directory),
          e);
    }
    index.table = index.newTable(capacity);
    return index;
  }

  private static List<Path> leftovers(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries
          .filter(entry -> entry.getFileName().toString().startsWith(FILE_PREFIX))
          .toList();
    }
  }

  @Override
  public Optional<BlockEntry> get(BlockKey key) {
    lock.readLock().lock();
    try {
      return Optional.ofNullable(table.map().get(BlockEntryCodec.encode(key)))
          .map(BlockEntryCodec::decode);
    } finally {
      lock.readLock().unlock();
    }
  }

  @Override
  public void put(BlockKey key, BlockEntry entry) throws VdfsException {
    byte[] keyBytes = BlockEntryCodec.encode(key);
    byte[] entryBytes = BlockEntryCodec.encode(entry, chunksPerBlock);
    long full = putUnlessFull(keyBytes, entryBytes);
    while (full >= 0) {
      grow(full);
      full = putUnlessFull(keyBytes, entryBytes);
    }
  }

  /**
   * @return -1 if the entry is in, else the capacity that did not suffice
   */
  private long putUnlessFull(byte[] key, byte[] entry) {
    lock.readLock().lock();
    try {
      return table.put(key, entry) ? -1 : table.capacity();
    } finally {
      lock.readLock().unlock();
    }
  }

  private void grow(long tooSmall) throws VdfsException {
    lock.writeLock().lock();
    try {
      if (table.capacity() != tooSmall) {
        return;
      }
      Table larger = newTable(2 * tooSmall);
      while (!copy(table, larger)) {
        larger.discard();
        larger = newTable(2 * larger.capacity());
      }
      table.discard();
      table = larger;
    } finally {
      lock.writeLock().unlock();
    }
    onGrowth.run();
  }

  private static boolean copy(Table from, Table to) {
    return from.map().forEachEntryWhile(entry -> to.put(entry.key().get(), entry.value().get()));
  }

  private Table newTable(long entries) throws VdfsException {
    Path file = directory.resolve(FILE_PREFIX + number);
    try {
      ChronicleMap<byte[], byte[]> map =
          ChronicleMap.of(byte[].class, byte[].class)
              .name(FILE_PREFIX + number)
              .entries(entries)
              // a segment that overflows would extend the file, and not notice if there is no room
              .allowSegmentTiering(false)
              .constantKeySizeBySample(new byte[BlockEntryCodec.KEY_SIZE])
              .constantValueSizeBySample(new byte[BlockEntryCodec.entrySize(chunksPerBlock)])
              .putReturnsNull(true)
              .skipCloseOnExitHook(true)
              .createPersistedTo(file.toFile());
      OwnerOnly.file(file);
      number++;
      return new Table(map, file, entries);
    } catch (IOException e) {
      // a process that opened the unfinished file would wait a minute for another one to finish it
      delete(file);
      throw new VdfsException(
          ErrorCode.NO_SPACE,
          "cannot make a block index: file=%s, entries=%s; make room on its filesystem"
              .formatted(file, entries),
          e);
    }
  }

  private static void delete(Path file) {
    // a file that stays is removed at the next start
    boolean deleted = file.toFile().delete();
    assert deleted || !Files.exists(file) : file;
  }

  @Override
  public void remove(BlockKey key) {
    lock.readLock().lock();
    try {
      table.map().remove(BlockEntryCodec.encode(key));
    } finally {
      lock.readLock().unlock();
    }
  }

  @Override
  public long size() {
    lock.readLock().lock();
    try {
      return table.map().longSize();
    } finally {
      lock.readLock().unlock();
    }
  }

  long capacity() {
    lock.readLock().lock();
    try {
      return table.capacity();
    } finally {
      lock.readLock().unlock();
    }
  }

  @Override
  public void close() {
    lock.writeLock().lock();
    try {
      table.discard();
    } finally {
      lock.writeLock().unlock();
    }
  }
}
