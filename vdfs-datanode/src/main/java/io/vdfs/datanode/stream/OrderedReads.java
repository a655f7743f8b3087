package io.vdfs.datanode.stream;

import io.vdfs.common.concurrent.DaemonThreads;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.datanode.store.BlockData;
import io.vdfs.datanode.store.BlockLocation;
import io.vdfs.datanode.store.BlockStore;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The reads of a node in the order that suits its disks, and the heads of the blocks that were read
 * recently. Heads that no reader brings along are read on a thread of their volume, so that a disk
 * that hangs delays no others, and only as long as few of them wait. Thread-safe.
 */
public final class OrderedReads implements StoreReads, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(OrderedReads.class);
  private static final int MAX_WAITING_HEADS = 64;
  private static final long CLOSE_LIMIT_SECONDS = 10;

  private final BlockStore store;
  private final StreamManager streams;
  private final BlockHeads heads;

  /** One for each volume. */
  private final List<ThreadPoolExecutor> headThreads;

  /**
   * @param store not closed here; close this first
   * @param streams orders the reads of {@code store}; not closed here
   */
  public OrderedReads(BlockStore store, StreamManager streams, int chunkSize) {
    this.store = store;
    this.streams = streams;
    this.heads = new BlockHeads(chunkSize, streams.counters());
    this.headThreads =
        IntStream.range(0, streams.volumes()).mapToObj(OrderedReads::headThread).toList();
  }

  /** Begins with its first step; what does not fit is discarded, as heads need not be kept. */
  private static ThreadPoolExecutor headThread(int volume) {
    return new ThreadPoolExecutor(
        1,
        1,
        0,
        TimeUnit.SECONDS,
        new LinkedBlockingQueue<>(MAX_WAITING_HEADS),
        DaemonThreads.named("vdfs-heads-" + volume),
        new ThreadPoolExecutor.DiscardPolicy());
  }

  @Override
  public CompletableFuture<Void> warm(
      StoreReads.Host host, FileKey file, long block, int offset, int length) {
    boolean head =
        heads.mayHave(offset, length)
            && store
                .locate(file, block)
                .filter(place -> heads.has(place, offset, length))
                .isPresent();
    return head
        ? CompletableFuture.completedFuture(null)
        : streams.warm(host, file, block, offset, length);
  }

  /**
   * For callers that then read the bytes without coming here: keeps the head of the block soon
   * after, as {@link #read} would have done. Not of what is taken from memory before it is asked
   * for: who wants that reads the block before it as well, and needs no head to end with.
   */
  public BlockWarmer forOthers() {
    return new BlockWarmer() {
      @Override
      public CompletableFuture<Void> warm(FileKey file, long block, int offset, int length) {
        CompletableFuture<Void> warm = streams.warm(file, block, offset, length);
        if (isHead(offset, length)) {
          var unused = warm.thenRun(() -> keepHeadSoon(file, block));
        }
        return warm;
      }

      @Override
      public boolean takeFromMemory(FileKey file, long block, int offset, int length) {
        return streams.takeFromMemory(file, block, offset, length);
      }
    };
  }

  private boolean isHead(int offset, int length) {
    return offset == 0 && length >= heads.bytes();
  }

  private void keepHeadSoon(FileKey file, long block) {
    store
        .locate(file, block)
        .filter(place -> !heads.has(place, 0, 1))
        .ifPresent(place -> headThreads.get(place.volume()).execute(() -> keepHead(place)));
  }

  private void keepHead(BlockLocation place) {
    if (heads.has(place, 0, 1)) {
      return; // several asked for it at a time
    }
    try {
      BlockData head = store.read(place.key(), place.block(), 0, heads.bytes(), false);
      try {
        heads.keep(head);
      } finally {
        head.data().release();
      }
    } catch (VdfsException e) {
      // the block went away or is bad, which its reader finds out
      LOG.debug("no head kept: file={}, block={}", place.key(), place.block(), e);
    } catch (RuntimeException | Error e) {
      // nobody waits for it
      LOG.error("no head kept: file={}, block={}", place.key(), place.block(), e);
    }
  }

  @Override
  public OptionalInt keptBytes(FileKey file, long block, int offset, int length) {
    return keptAt(file, block, offset, length).isPresent()
        ? OptionalInt.of(heads.bytes(offset, length))
        : OptionalInt.empty();
  }

  @Override
  public Optional<BlockData> kept(FileKey file, long block, int offset, int length) {
    return keptAt(file, block, offset, length).flatMap(place -> heads.find(place, offset, length));
  }

  private Optional<BlockLocation> keptAt(FileKey file, long block, int offset, int length) {
    if (!heads.mayHave(offset, length)) {
      return Optional.empty();
    }
    return store
        .locate(file, block)
        .filter(place -> heads.has(place, offset, length))
        .filter(place -> !store.isCached(place.file(), place.position() + offset, length));
  }

  @Override
  public BlockData read(FileKey file, long block, int offset, int length) throws VdfsException {
    Optional<BlockData> head =
        heads.mayHave(offset, length)
            ? store.locate(file, block).flatMap(place -> heads.find(place, offset, length))
            : Optional.empty();
    if (head.isPresent()) {
      return head.get();
    }
    // the reader verifies; a second pass over all the bytes here would tell nothing new
    BlockData read = store.read(file, block, offset, length, false);
    boolean handedOut = false;
    try {
      heads.keep(read);
      handedOut = true;
      return read;
    } finally {
      if (!handedOut) {
        read.data().release();
      }
    }
  }

  /** Waits for heads that are being read, within a limit. Idempotent. */
  @Override
  public void close() {
    headThreads.forEach(ThreadPoolExecutor::shutdown);
    try {
      long limit = System.nanoTime() + TimeUnit.SECONDS.toNanos(CLOSE_LIMIT_SECONDS);
      for (ThreadPoolExecutor volume : headThreads) {
        if (!volume.awaitTermination(limit - System.nanoTime(), TimeUnit.NANOSECONDS)) {
          LOG.warn("heads of blocks are read after closing: threads={}", volume);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
