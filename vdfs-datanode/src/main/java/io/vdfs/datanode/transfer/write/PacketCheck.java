package io.vdfs.datanode.transfer.write;

import io.netty.buffer.ByteBuf;
import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.checksum.VerifiedChunks;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.wire.WireChecksums;
import io.vdfs.common.wire.proto.WriteOpen;
import io.vdfs.common.wire.proto.WritePacket;

/**
 * Follows the packets of a pipeline: each has the next number and continues at the chunk boundary
 * at or below the end of the one before, without going back. Confined to its stage.
 */
final class PacketCheck {
  private final ClusterGeometry geometry;
  private final long groupEnd;
  private long end;
  private long sequence = -1;
  private boolean finished;

  private PacketCheck(ClusterGeometry geometry, long groupEnd, long start) {
    this.geometry = geometry;
    this.groupEnd = groupEnd;
    this.end = start;
  }

  /**
   * @throws VdfsException INVALID_ARGUMENT if the start is not on a chunk boundary in the group
   */
  static PacketCheck of(ClusterGeometry geometry, WriteOpen open) throws VdfsException {
    long groupStart = Integer.toUnsignedLong(open.getGroup()) * geometry.groupSize();
    long start = open.getStartOffset();
    long groupEnd = groupStart + geometry.groupSize();
    if (open.getGroup() < 0
        || start < groupStart
        || start >= groupEnd
        || start % geometry.chunkSize() != 0) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "a pipeline starts on a chunk boundary of its group: group=%s, startOffset=%s"
              .formatted(open.getGroup(), start));
    }
    return new PacketCheck(geometry, groupEnd, start);
  }

  /**
   * Takes note of a packet.
   *
   * @throws VdfsException INVALID_ARGUMENT if no sound writer would send it
   */
  void accept(WritePacket packet, int length) throws VdfsException {
    int chunkSize = geometry.chunkSize();
    long packetEnd = packet.getOffset() + length;
    boolean inOrder = !finished && packet.getSequence() == sequence + 1;
    boolean inPlace =
        length == 0
            || (packet.getOffset() == end - end % chunkSize
                && packetEnd >= end
                && packetEnd <= groupEnd);
    if (!inOrder
        || !inPlace
        || !WireChecksums.holds(
            packet.getChecksums(), ChunkChecksums.countFor(length, chunkSize))) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          ("packet out of order: sequence=%s, expected=%s, offset=%s, length=%s,"
                  + " bytes of checksums=%s, end=%s, groupEnd=%s, finished=%s")
              .formatted(
                  packet.getSequence(),
                  sequence + 1,
                  packet.getOffset(),
                  length,
                  packet.getChecksums().size(),
                  end,
                  groupEnd,
                  finished));
    }
    sequence++;
    end = Math.max(end, length == 0 ? end : packetEnd);
    finished = packet.getLast();
  }

  /**
   * Compares the bytes with the writer's checksums, the only time that this node does.
   *
   * @param data stays the caller's; the chunks are of use as long as its bytes are there
   * @throws VdfsException CORRUPT naming the place
   */
  VerifiedChunks verify(WritePacket packet, ByteBuf data) throws VdfsException {
    return VerifiedChunks.verify(
        data.nioBuffer(),
        WireChecksums.decode(packet.getChecksums()),
        geometry.chunkSize(),
        bad ->
            new VdfsException(
                ErrorCode.CORRUPT,
                "packet arrived damaged: sequence=%s, offset=%s"
                    .formatted(
                        packet.getSequence(),
                        packet.getOffset() + (long) bad * geometry.chunkSize())));
  }
}
