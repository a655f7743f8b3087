package io.vdfs.client.delivery;

import io.netty.buffer.ByteBuf;
import io.vdfs.client.io.BlockPart;
import java.nio.ByteBuffer;
import java.util.List;

/** Bytes in memory, verified when they arrived. Confined to its reader. */
public final class ReceivedPart implements BlockPart {
  private final int start;
  private final List<ByteBuf> pieces;

  /**
   * @param pieces follow one another from {@code start}; owned by the part
   */
  public ReceivedPart(int start, List<ByteBuf> pieces) {
    this.start = start;
    this.pieces = pieces;
  }

  @Override
  public int start() {
    return start;
  }

  @Override
  public int end() {
    return start + pieces.stream().mapToInt(ByteBuf::readableBytes).sum();
  }

  @Override
  public void copy(int from, ByteBuffer target) {
    int skip = from - start;
    for (ByteBuf piece : pieces) {
      int available = piece.readableBytes() - skip;
      if (available > 0 && target.hasRemaining()) {
        int copied = Math.min(available, target.remaining());
        piece.getBytes(piece.readerIndex() + skip, target.slice(target.position(), copied));
        target.position(target.position() + copied);
        skip = 0;
      } else {
        skip = Math.max(0, skip - piece.readableBytes());
      }
    }
  }

  @Override
  public boolean copyFromMemory(int from, ByteBuffer target) {
    copy(from, target);
    return true;
  }

  @Override
  public boolean isEarly() {
    return false;
  }

  @Override
  public void close() {
    pieces.forEach(ByteBuf::release);
  }
}
