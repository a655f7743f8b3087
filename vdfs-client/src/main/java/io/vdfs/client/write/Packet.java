package io.vdfs.client.write;

import io.netty.buffer.ByteBuf;
import io.vdfs.client.io.BufferBudget;
import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.wire.WireChecksums;
import io.vdfs.common.wire.proto.WritePacket;

/**
 * Bytes on their way to a pipeline, kept until acknowledged. Owns one reference to its data, and
 * the share of the budget that the data take.
 *
 * @param offset of the first byte in the file, on a chunk boundary
 * @param data may be empty: the packet then carries its purpose only
 */
record Packet(
    long offset,
    ByteBuf data,
    ChunkChecksums checksums,
    Purpose purpose,
    BufferBudget.Share share) {
  /** What an acknowledgement of a packet promises for everything up to its end. */
  enum Purpose {
    /** Received by every node. */
    DATA,
    /** Survives the kill of a node's process and is seen by new readers. */
    FLUSH,
    /**
     * As FLUSH, but without a waiting caller: nodes may hold the acknowledgement back, as that of
     * DATA.
     */
    OWN_FLUSH,
    /** Survives a power cut. */
    SYNC,
    /** As SYNC, and the group is finished. */
    LAST,
    /** As FLUSH, and the group is finished. */
    LAST_UNFORCED;

    boolean flushes() {
      return this != DATA;
    }

    /** Whether a caller waits, so that the acknowledgement must not be held back. */
    boolean isAwaited() {
      return flushes() && this != OWN_FLUSH;
    }

    boolean syncs() {
      return this == SYNC || this == LAST;
    }

    boolean isLast() {
      return this == LAST || this == LAST_UNFORCED;
    }
  }

  int size() {
    return data.readableBytes();
  }

  long end() {
    return offset + size();
  }

  WritePacket header(long sequence) {
    return WritePacket.newBuilder()
        .setSequence(sequence)
        .setOffset(offset)
        .setChecksums(WireChecksums.encode(checksums))
        .setFlush(purpose.flushes())
        .setSync(purpose.syncs())
        .setLast(purpose.isLast())
        .setAwaited(purpose.isAwaited())
        .build();
  }

  void release() {
    data.release();
    share.release();
  }
}
