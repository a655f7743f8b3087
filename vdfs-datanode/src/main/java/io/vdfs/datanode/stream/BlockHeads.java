package io.vdfs.datanode.stream;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.FileKey;
import io.vdfs.datanode.store.BlockData;
import io.vdfs.datanode.store.BlockLocation;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The first bytes of blocks that were read recently, for readers whose last record goes on in the
 * next block: without them such a reader would send the disk back, where the page cache is too
 * small for what is being scanned. A head is used only as long as the store has the same checksums
 * for these bytes. A new head takes the memory of the oldest one, unless that is being sent: the
 * collector of garbage would copy each of them several times. Thread-safe: the monitor guards the
 * map, which has a reference to each head in it; while there are others its bytes do not change.
 */
final class BlockHeads {
  private static final int HEAD_BYTES = 256 << 10;
  private static final int HEADS = 128;

  private final int headBytes;
  private final int heads;
  private final int chunkSize;
  private final Counters<StreamManagerCounter> counters;
  private final Map<Key, Head> kept = new LinkedHashMap<>();

  private record Key(FileKey file, long block) {}

  private record Head(ByteBuf bytes, ChunkChecksums checksums) {}

  /** Keeps the first 256 KiB, the least that a client asks for, of the last 128 blocks. */
  BlockHeads(int chunkSize, Counters<StreamManagerCounter> counters) {
    this(HEAD_BYTES, HEADS, chunkSize, counters);
  }

  /**
   * @param headBytes kept of each block, rounded down to whole chunks
   * @param heads most that are kept; the oldest goes first
   */
  BlockHeads(int headBytes, int heads, int chunkSize, Counters<StreamManagerCounter> counters) {
    this.headBytes = headBytes - headBytes % chunkSize;
    this.heads = heads;
    this.chunkSize = chunkSize;
    this.counters = counters;
  }

  /** Bytes of a head. */
  int bytes() {
    return headBytes;
  }

  /**
   * Keeps the head of what was read, if it begins its block, has a whole head and matches its
   * checksums.
   */
  void keep(BlockData data) {
    if (data.offset() != 0 || headBytes == 0 || data.data().readableBytes() < headBytes) {
      return;
    }
    Key key = new Key(data.key(), data.block());
    ChunkChecksums checksums = data.checksums().range(0, headBytes / chunkSize);
    if (isKept(key, checksums)) {
      return;
    }
    ByteBuffer read = data.data().nioBuffer(data.data().readerIndex(), headBytes);
    if (checksums.firstMismatch(read, chunkSize) >= 0) {
      return; // it would outlive the repair of what the disk has
    }
    put(key, new Head(memory().writeBytes(read), checksums));
  }

  /** Empty, and nobody else's. */
  private ByteBuf memory() {
    Optional<ByteBuf> oldest;
    synchronized (this) {
      oldest = kept.size() < heads ? Optional.empty() : drop(kept.keySet().iterator().next());
    }
    return oldest.map(ByteBuf::clear).orElseGet(() -> Unpooled.buffer(headBytes, headBytes));
  }

  private synchronized void put(Key key, Head head) {
    var unused = drop(key);
    kept.put(key, head);
    if (kept.size() > heads) {
      unused = drop(kept.keySet().iterator().next());
    }
  }

  /** The memory of a head that is no longer kept, unless somebody still has a part of it. */
  private Optional<ByteBuf> drop(Key key) {
    Head dropped = kept.remove(key);
    if (dropped == null || dropped.bytes.refCnt() == 1) {
      return Optional.ofNullable(dropped).map(Head::bytes);
    }
    dropped.bytes.release();
    return Optional.empty();
  }

  /** Whether a head is kept; if so it counts as kept just now. */
  private synchronized boolean isKept(Key key, ChunkChecksums checksums) {
    Head known = kept.get(key);
    if (known == null || !known.checksums.equals(checksums)) {
      return false;
    }
    kept.remove(key);
    kept.put(key, known);
    return true;
  }

  /** Bytes of the whole chunks that cover a range which lies in a head. */
  int bytes(int offset, int length) {
    int end = (offset + length + chunkSize - 1) / chunkSize;
    return (end - offset / chunkSize) * chunkSize;
  }

  /** Whether a range lies in a head, be it kept or not. */
  boolean mayHave(int offset, int length) {
    return offset >= 0 && length >= 1 && (long) offset + length <= headBytes;
  }

  /** Whether {@link #find} has a range now. */
  synchronized boolean has(BlockLocation location, int offset, int length) {
    return usable(location, offset, length).isPresent();
  }

  /**
   * The whole chunks that cover a range of a block, if its head does. A part of a head is a copy,
   * so that it holds no more memory than it has bytes.
   *
   * @param location what the store holds of the block now
   * @return to be released by the receiver
   */
  Optional<BlockData> find(BlockLocation location, int offset, int length) {
    Optional<Head> found = retain(location, offset, length);
    if (found.isPresent()) {
      counters.increment(StreamManagerCounter.BLOCK_HEAD_HITS);
    }
    return found.map(head -> cut(location, head, offset, length));
  }

  private synchronized Optional<Head> retain(BlockLocation location, int offset, int length) {
    Optional<Head> found = usable(location, offset, length);
    found.ifPresent(head -> head.bytes.retain());
    return found;
  }

  private Optional<Head> usable(BlockLocation location, int offset, int length) {
    if (!mayHave(offset, length)) {
      return Optional.empty();
    }
    Head head = kept.get(new Key(location.key(), location.block()));
    boolean same =
        head != null
            && location.length() >= headBytes
            && location.checksums().range(0, headBytes / chunkSize).equals(head.checksums);
    return same ? Optional.of(head) : Optional.empty();
  }

  /**
   * @param head its reference is taken over
   */
  private BlockData cut(BlockLocation location, Head head, int offset, int length) {
    int first = offset / chunkSize;
    int bytes = bytes(offset, length);
    return new BlockData(
        location.key(),
        location.block(),
        first * chunkSize,
        bytes == headBytes ? head.bytes.duplicate() : copy(head.bytes, first * chunkSize, bytes),
        head.checksums.range(first, first + bytes / chunkSize));
  }

  private static ByteBuf copy(ByteBuf head, int from, int bytes) {
    try {
      return Unpooled.buffer(bytes, bytes).writeBytes(head, from, bytes);
    } finally {
      head.release();
    }
  }
}
