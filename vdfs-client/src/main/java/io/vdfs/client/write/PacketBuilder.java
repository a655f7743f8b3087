package io.vdfs.client.write;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.vdfs.client.io.BufferBudget;
import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.net.DataBuffers;

/**
 * Gathers written bytes into packets on the chunk grid. A last partial chunk that was sent stays
 * here, because the packet after it begins with that chunk again. A packet begins with room for one
 * chunk, which it takes from the budget in any case, and grows to its full size if the budget has
 * that much left; so a file that is hardly written takes little. Confined to its writer.
 */
final class PacketBuilder {
  private final int chunkSize;
  private final int capacity;
  private final BufferBudget budget;
  private ByteBuf bytes;
  private BufferBudget.Share share;
  private long start;
  private long sentEnd;

  /**
   * @param packetSize most bytes of a packet
   * @param end bytes the file has
   * @param tail the bytes of its last, partial chunk; empty where it ends on a chunk boundary
   */
  PacketBuilder(BufferBudget budget, int chunkSize, int packetSize, long end, byte[] tail) {
    this.budget = budget;
    this.chunkSize = chunkSize;
    this.capacity = Math.max(chunkSize, packetSize - packetSize % chunkSize);
    this.start = end - tail.length;
    this.sentEnd = end;
    if (start % chunkSize != 0 || tail.length >= chunkSize) {
      throw new IllegalArgumentException(
          "tail is not the last partial chunk: end=" + end + ", tail=" + tail.length);
    }
    begin(false);
    bytes.writeBytes(tail);
  }

  /** End of what was appended. */
  long end() {
    return start + bytes.readableBytes();
  }

  boolean hasUnsent() {
    return end() > sentEnd;
  }

  boolean isFull() {
    return bytes.readableBytes() == bytes.capacity();
  }

  /** Takes up to {@code length} bytes and returns how many; 0 only if full. */
  int append(byte[] source, int offset, int length) {
    if (length >= bytes.writableBytes()) {
      grow();
    }
    int taken = Math.min(length, bytes.writableBytes());
    bytes.writeBytes(source, offset, taken);
    return taken;
  }

  private void grow() {
    if (bytes.capacity() < capacity && share.tryTake(capacity - bytes.capacity())) {
      bytes.capacity(capacity);
    }
  }

  /** Everything appended since the last packet, from the chunk boundary at or below that. */
  Packet seal(Packet.Purpose purpose) {
    long end = end();
    int partial = (int) (end % chunkSize);
    ByteBuf sealed = bytes;
    BufferBudget.Share sealedShare = share;
    begin(isFull());
    bytes.writeBytes(sealed, sealed.readableBytes() - partial, partial);
    Packet packet = packetOf(start, sealed, purpose, sealedShare);
    start = end - partial;
    sentEnd = end;
    return packet;
  }

  /** A packet without bytes. */
  Packet marker(Packet.Purpose purpose) {
    return new Packet(sentEnd, Unpooled.EMPTY_BUFFER, ChunkChecksums.NONE, purpose, budget.share());
  }

  /**
   * The partial chunk before {@code end}, which was sent and acknowledged, once more: for a new
   * pipeline, which begins at a chunk boundary.
   */
  Packet tail(long end) {
    int partial = (int) (end % chunkSize);
    if (end > sentEnd || end - partial != start) {
      throw new IllegalStateException(
          "partial chunk is gone: end=" + end + ", start=" + start + ", sentEnd=" + sentEnd);
    }
    return packetOf(start, bytes.retainedSlice(0, partial), Packet.Purpose.DATA, budget.share());
  }

  void release() {
    bytes.release();
    bytes = Unpooled.EMPTY_BUFFER;
    share.release();
  }

  private Packet packetOf(
      long offset, ByteBuf data, Packet.Purpose purpose, BufferBudget.Share shareOfData) {
    ChunkChecksums checksums = ChunkChecksums.compute(data.nioBuffer(), chunkSize);
    return new Packet(offset, data, checksums, purpose, shareOfData);
  }

  /**
   * Begins with an empty buffer.
   *
   * @param whole of full size if the budget allows, as it will be filled
   */
  private void begin(boolean whole) {
    BufferBudget.Share next = budget.share();
    next.take(chunkSize);
    int size = whole && next.tryTake(capacity - chunkSize) ? capacity : chunkSize;
    boolean made = false;
    try {
      bytes = DataBuffers.pool().directBuffer(size, capacity);
      share = next;
      made = true;
    } finally {
      if (!made) {
        next.release();
      }
    }
  }
}
