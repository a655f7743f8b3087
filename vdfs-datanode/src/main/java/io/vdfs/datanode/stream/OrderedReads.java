package io.vdfs.datanode.stream;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.datanode.store.BlockData;
import io.vdfs.datanode.store.BlockStore;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The reads of a node in the order that suits its disks, and the heads of the blocks that were read
 * recently. Thread-safe.
 */
public final class OrderedReads implements StoreReads {
  private static final Logger LOG = LoggerFactory.getLogger(OrderedReads.class);

  private final BlockStore store;
  private final StreamManager streams;
  private final BlockHeads heads;

  /**
   * @param store not closed here
   * @param streams orders the reads of {@code store}; not closed here
   */
  public OrderedReads(BlockStore store, StreamManager streams, int chunkSize) {
    this.store = store;
    this.streams = streams;
    this.heads = new BlockHeads(chunkSize, streams.counters());
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
   * For callers that then read the bytes without coming here: keeps the head of the block, as
   * {@link #read} would have done.
   */
  public BlockWarmer forOthers() {
    return this::warmForOthers;
  }

  private CompletableFuture<Void> warmForOthers(FileKey file, long block, int offset, int length) {
    CompletableFuture<Void> warm = streams.warm(file, block, offset, length);
    var unused = warm.thenRun(() -> keepHead(file, block, offset, length));
    return warm;
  }

  private void keepHead(FileKey file, long block, int offset, int length) {
    boolean missing =
        offset == 0
            && length >= heads.bytes()
            && store.locate(file, block).filter(place -> !heads.has(place, 0, 1)).isPresent();
    if (!missing) {
      return;
    }
    try {
      BlockData head = store.read(file, block, 0, heads.bytes(), false);
      try {
        heads.keep(head);
      } finally {
        head.data().release();
      }
    } catch (VdfsException e) {
      // the block went away or is bad, which its reader finds out
      LOG.debug("no head kept: file={}, block={}", file, block, e);
    }
  }

  @Override
  public Optional<BlockData> kept(FileKey file, long block, int offset, int length) {
    if (!heads.mayHave(offset, length)) {
      return Optional.empty();
    }
    return store
        .locate(file, block)
        .filter(place -> heads.has(place, offset, length))
        .filter(place -> !store.isCached(place.file(), place.position() + offset, length))
        .flatMap(place -> heads.find(place, offset, length));
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
}
