package io.vdfs.datanode.stream;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.FileKey;
import io.vdfs.datanode.store.BlockBuffers;
import io.vdfs.datanode.store.BlockLocation;
import io.vdfs.datanode.store.BlockStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Brings blocks from the disks of this node into its page cache, in an order that keeps each disk
 * moving forward in long runs. All readers of whole blocks ask here first, and then read the bytes
 * with little delay from where the block store says they are. Thread-safe; nothing here blocks but
 * {@link #close}.
 *
 * <p>What is asked for is always read. Beyond that each volume reads ahead of sequential readers,
 * as long as no more than {@link StreamSettings#readAhead} bytes wait that were not asked for yet.
 * A reader that is slow to take what it asked for holds up no other: what was read lies in the page
 * cache, whose size is the machine's concern.
 */
public final class StreamManager implements AutoCloseable {
  private final BlockStore store;
  private final Counters<StreamManagerCounter> counters =
      new Counters<>(StreamManagerCounter.class);
  private final List<VolumeReader> volumes = new ArrayList<>();
  private final SharedScan sharedScan;
  private final boolean readsWhatIsGranted;

  private StreamManager(
      BlockStore store,
      int volumes,
      StreamSettings settings,
      BlockBuffers buffers,
      LongSupplier clock,
      Consumer<Throwable> onDefect) {
    this.store = store;
    this.sharedScan = new SharedScan(this::isInMemory, clock, counters);
    this.readsWhatIsGranted = settings.order() == StreamSettings.ReadOrder.ELEVATOR;
    for (int volume = 0; volume < volumes; volume++) {
      this.volumes.add(
          VolumeReader.start(volume, store, settings, buffers, counters, clock, onDefect));
    }
  }

  /** As the other one, with buffers of the JVM's; a defect is told to the log only. */
  public static StreamManager start(BlockStore store, int volumes, StreamSettings settings) {
    return start(store, volumes, settings, BlockBuffers.NONE, defect -> {});
  }

  /**
   * @param store not closed here; close this first
   * @param volumes number of its volumes
   * @param buffers for the reader of each
   * @param onDefect told when a volume cannot be read any more, as its thread died of a defect;
   *     returns soon, closes on another thread
   */
  public static StreamManager start(
      BlockStore store,
      int volumes,
      StreamSettings settings,
      BlockBuffers buffers,
      Consumer<Throwable> onDefect) {
    return new StreamManager(store, volumes, settings, buffers, System::nanoTime, onDefect);
  }

  /**
   * Brings a range of a block into the page cache, as far as the node holds it.
   *
   * @param host where the reader runs
   * @param offset first byte wanted, in the block
   * @param length bytes wanted, at least 1
   * @return completed once the bytes are in memory, at once if they are there; by the volume's
   *     reader thread, so pass on long work. Cancelling it gives the range up, and with it what was
   *     read ahead for a reader that waits for nothing else. Fails with NOT_FOUND (no such block,
   *     or shorter than {@code offset}), IO_ERROR, or UNAVAILABLE if too many wait, in all or of
   *     the host.
   */
  public CompletableFuture<Void> warm(
      StoreReads.Host host, FileKey key, long block, int offset, int length) {
    Optional<BlockLocation> location = store.locate(key, block);
    if (location.isEmpty() || offset < 0 || length < 1 || offset >= location.get().length()) {
      return CompletableFuture.failedFuture(
          new VdfsException(
              ErrorCode.NOT_FOUND,
              "node does not hold these bytes: file=%s, block=%s, offset=%s, length=%s, held=%s"
                  .formatted(
                      key, block, offset, length, location.map(BlockLocation::length).orElse(0))));
    }
    return warm(host, location.get(), offset, length);
  }

  /** As the other one, for a reader on this machine. */
  public CompletableFuture<Void> warm(FileKey key, long block, int offset, int length) {
    return warm(StoreReads.Host.HERE, key, block, offset, length);
  }

  private CompletableFuture<Void> warm(
      StoreReads.Host host, BlockLocation location, int offset, int length) {
    sharedScan.onAsked(location.key(), location.block());
    CompletableFuture<Void> warm = warm(host, extent(location, offset, length));
    var unused =
        warm.whenComplete(
            (done, failure) -> {
              if (failure == null) {
                sharedScan.onRead(location.key(), location.block());
              } else {
                sharedScan.onGivenUp(location.key(), location.block());
              }
            });
    return warm;
  }

  /**
   * Takes a range of a block for a reader on this machine that will want it soon, if all of it is
   * in memory and nobody waits for its disk; it then counts as asked for and read. Else does
   * nothing. Never blocks.
   *
   * @return whether it was taken
   */
  public boolean takeFromMemory(FileKey key, long block, int offset, int length) {
    Optional<BlockLocation> location =
        store.locate(key, block).filter(held -> held.length() - length >= offset);
    if (location.isEmpty()) {
      return false;
    }
    Extent extent = extent(location.get(), offset, length);
    if (volumes.get(extent.file().volume()).isWaitedFor() || !isInMemory(extent)) {
      return false;
    }
    sharedScan.onAsked(key, block);
    takeFromMemory(extent);
    sharedScan.onRead(key, block);
    return true;
  }

  private void takeFromMemory(Extent extent) {
    countRequest(extent);
    counters.increment(StreamManagerCounter.MEMORY_HITS);
    counters.add(StreamManagerCounter.MEMORY_HIT_BYTES, extent.length());
    volumes.get(extent.file().volume()).onTaken(extent);
  }

  private void countRequest(Extent extent) {
    counters.increment(StreamManagerCounter.REQUESTS);
    counters.add(StreamManagerCounter.REQUEST_BYTES, extent.length());
  }

  private boolean isInMemory(Extent extent) {
    return store.isCached(extent.file(), extent.start(), extent.length());
  }

  /** Whether memory has the first bytes of a block, which are the first to go. */
  private boolean isInMemory(FileKey key, long block) {
    return store
        .locate(key, block)
        .filter(location -> store.isCached(location.file(), location.position(), 1))
        .isPresent();
  }

  private static Extent extent(BlockLocation location, int offset, int length) {
    int bytes = Math.min(length, location.length() - offset);
    long start = location.position() + offset;
    return new Extent(location.file(), start, start + bytes);
  }

  private CompletableFuture<Void> warm(StoreReads.Host host, Extent extent) {
    if (isInMemory(extent)) {
      takeFromMemory(extent);
      return CompletableFuture.completedFuture(null);
    }
    countRequest(extent);
    return volumes.get(extent.file().volume()).ask(extent, Demand.By.readerOn(host));
  }

  /**
   * A task on this node was granted a run of blocks: the first one is read as if it had been asked
   * for as a whole. So the disk reads the blocks that tasks are granted side by side in one pass,
   * though each task begins to read its own whenever it is ready, and begins with small reads. Does
   * nothing if the node does not hold the block, reads nothing ahead, or has many such blocks to
   * read; readers are not refused for them. Never blocks.
   */
  public void onGranted(FileKey file, long firstBlock) {
    if (readsWhatIsGranted) {
      store
          .locate(file, firstBlock)
          .filter(location -> location.length() > 0)
          .ifPresent(this::onGranted);
    }
  }

  private void onGranted(BlockLocation location) {
    Extent extent = extent(location, 0, location.length());
    VolumeReader volume = volumes.get(extent.file().volume());
    if (isInMemory(extent)) {
      volume.onTaken(extent);
    } else {
      // if it cannot be read its reader will learn of it
      var unused = volume.ask(extent, Demand.By.GRANT);
    }
  }

  /** The blocks that jobs which may take theirs in any order should take. */
  public SharedScan sharedScan() {
    return sharedScan;
  }

  /** Number of volumes that are read. */
  int volumes() {
    return volumes.size();
  }

  public Counters<StreamManagerCounter> counters() {
    return counters;
  }

  /** Lets reads under way finish and refuses those that wait. Idempotent. */
  @Override
  public void close() {
    volumes.forEach(VolumeReader::close);
  }
}
