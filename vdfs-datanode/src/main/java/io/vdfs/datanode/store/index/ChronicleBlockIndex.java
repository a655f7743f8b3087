package io.vdfs.datanode.store.index;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.stream.Stream;
import net.openhft.chronicle.map.ChronicleMap;

/**
 * The index off the heap, in a file of a Chronicle Map that is made anew at each start and never
 * trusted after the process. A map has a fixed number of entries: when it is full, all entries move
 * to one of twice the size, while others wait.
 *
 * <p>Thread-safe: the lock's write side guards the replacement of {@code map}; its read side covers
 * each access to it.
 */
public final class ChronicleBlockIndex implements BlockIndex {
  private static final String FILE_PREFIX = "block-index-";
  private static final long LEAST_ENTRIES = 4096;
  private static final double HEADROOM = 1.5;
  private static final double BLOAT = 2;
  private static final int PUTS_PER_SIZE_CHECK = 256;

  static {
    // it calls out to the network otherwise
    System.setProperty("chronicle.analytics.disable", "true");
  }

  private final Path directory;
  private final int chunksPerBlock;
  private final Runnable onGrowth;
  private final ReadWriteLock lock = new ReentrantReadWriteLock();
  private final AtomicLong puts = new AtomicLong();
  private ChronicleMap<byte[], byte[]> map;
  private Path file;
  private long capacity;
  private int number;

  private ChronicleBlockIndex(Path directory, int chunksPerBlock, Runnable onGrowth) {
    this.directory = directory;
    this.chunksPerBlock = chunksPerBlock;
    this.onGrowth = onGrowth;
  }

  /**
   * Makes an empty index in a directory and deletes those that earlier processes left there.
   *
   * @param chunksPerBlock checksums of a whole block
   * @param blocks entries to expect at once
   * @param onGrowth called after each move to a larger map
   */
  public static ChronicleBlockIndex create(
      Path directory, int chunksPerBlock, long blocks, Runnable onGrowth) throws VdfsException {
    return create(
        directory, chunksPerBlock, onGrowth, Math.max(LEAST_ENTRIES, (long) (blocks * HEADROOM)));
  }

  static ChronicleBlockIndex create(
      Path directory, int chunksPerBlock, Runnable onGrowth, long capacity) throws VdfsException {
    ChronicleBlockIndex index = new ChronicleBlockIndex(directory, chunksPerBlock, onGrowth);
    try {
      Files.createDirectories(directory);
      for (Path left : leftovers(directory)) {
        Files.delete(left);
      }
    } catch (IOException e) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          "cannot clear the directory of the block index: directory="
              + directory
              + "; make it writable or configure another one",
          e);
    }
    index.openMap(capacity);
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
      return Optional.ofNullable(map.get(BlockEntryCodec.encode(key))).map(BlockEntryCodec::decode);
    } finally {
      lock.readLock().unlock();
    }
  }

  @Override
  public void put(BlockKey key, BlockEntry entry) throws VdfsException {
    byte[] keyBytes = BlockEntryCodec.encode(key);
    byte[] entryBytes = BlockEntryCodec.encode(entry);
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
      if (puts.incrementAndGet() % PUTS_PER_SIZE_CHECK == 0 && map.longSize() >= capacity) {
        return capacity;
      }
      map.put(key, entry);
      return -1;
    } catch (IllegalStateException e) {
      // a segment of the map has no room left
      return capacity;
    } finally {
      lock.readLock().unlock();
    }
  }

  private void grow(long tooSmall) throws VdfsException {
    lock.writeLock().lock();
    try {
      if (capacity != tooSmall) {
        return;
      }
      ChronicleMap<byte[], byte[]> old = map;
      Path oldFile = file;
      openMap(2 * tooSmall);
      old.forEach(map::put);
      discard(old, oldFile);
    } finally {
      lock.writeLock().unlock();
    }
    onGrowth.run();
  }

  private void openMap(long entries) throws VdfsException {
    Path target = directory.resolve(FILE_PREFIX + number);
    try {
      map =
          ChronicleMap.of(byte[].class, byte[].class)
              .name(FILE_PREFIX + number)
              .entries(entries)
              .maxBloatFactor(BLOAT)
              .constantKeySizeBySample(new byte[BlockEntryCodec.KEY_SIZE])
              .averageValueSize(BlockEntryCodec.entrySize(chunksPerBlock))
              .putReturnsNull(true)
              .skipCloseOnExitHook(true)
              .createPersistedTo(target.toFile());
    } catch (IOException e) {
      throw new VdfsException(
          ErrorCode.NO_SPACE,
          "cannot make a block index: file=" + target + ", entries=" + entries,
          e);
    }
    file = target;
    capacity = entries;
    number++;
  }

  private static void discard(ChronicleMap<byte[], byte[]> map, Path file) {
    map.close();
    // a file that stays is removed at the next start
    boolean deleted = file.toFile().delete();
    assert deleted || !Files.exists(file) : file;
  }

  @Override
  public void remove(BlockKey key) {
    lock.readLock().lock();
    try {
      map.remove(BlockEntryCodec.encode(key));
    } finally {
      lock.readLock().unlock();
    }
  }

  @Override
  public long size() {
    lock.readLock().lock();
    try {
      return map.longSize();
    } finally {
      lock.readLock().unlock();
    }
  }

  long capacity() {
    lock.readLock().lock();
    try {
      return capacity;
    } finally {
      lock.readLock().unlock();
    }
  }

  @Override
  public void close() {
    lock.writeLock().lock();
    try {
      discard(map, file);
    } finally {
      lock.writeLock().unlock();
    }
  }
}
