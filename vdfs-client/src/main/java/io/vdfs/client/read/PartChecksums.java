package io.vdfs.client.read;

import io.vdfs.client.io.ClientIo;
import io.vdfs.client.io.IoCounter;
import io.vdfs.client.io.ReplicaCall;
import io.vdfs.client.io.ReplicaOrder;
import io.vdfs.client.io.replica.FileView;
import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.wire.proto.PartDigests;
import io.vdfs.common.wire.proto.ReplicaRequest;
import io.vdfs.common.wire.proto.ReplicaResponse;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Checksums of the parts of a file, of any size that divides the cluster's chunks. The nodes make
 * them from the bytes they hold; only checksums travel. Thread-safe.
 */
public final class PartChecksums {
  private static final int MAX_BYTES = 4 << 20;
  private static final int MAX_PARTS = 8192;

  private final ClientIo io;
  private final ReplicaCall replicas;

  public PartChecksums(ClientIo io) {
    this.io = io;
    this.replicas = new ReplicaCall(io);
  }

  /**
   * CRC32C of each part of a range, big-endian one after the other.
   *
   * @param start on the border of a part, counted from the start of the file
   * @param partBytes divides the cluster's chunk size
   * @throws VdfsException UNAVAILABLE or CORRUPT if a range has no replica that can tell
   */
  public byte[] of(FileView view, long start, long length, int partBytes) throws IOException {
    ByteBuffer checksums =
        ByteBuffer.allocate(Math.toIntExact((length + partBytes - 1) / partBytes * Integer.BYTES));
    int most = (int) Math.min(MAX_BYTES, (long) MAX_PARTS * partBytes);
    most -= most % partBytes;
    for (long position = start; position < start + length; ) {
      int piece = pieceAt(position, start + length, most);
      ask(view, position, piece, partBytes).getPartChecksumsList().forEach(checksums::putInt);
      position += piece;
    }
    return checksums.array();
  }

  /** Bytes from a position on that one answer of one node can cover. */
  private int pieceAt(long position, long end, int most) {
    int blockSize = io.geometry().blockSize();
    return (int) Math.min(Math.min(blockSize - position % blockSize, end - position), most);
  }

  private ReplicaResponse ask(FileView view, long position, int length, int partBytes)
      throws IOException {
    ClusterGeometry geometry = io.geometry();
    long block = geometry.blockAt(position);
    PartDigests range =
        PartDigests.newBuilder()
            .setBlock(block)
            .setOffset((int) (position - block * geometry.blockSize()))
            .setLength(length)
            .setPartBytes(partBytes)
            .build();
    ReplicaRequest question = ReplicaRequest.newBuilder().setDigests(range).build();
    int expected = ChunkChecksums.countFor(length, partBytes);
    ReplicaResponse answer =
        replicas.first(
            ReplicaOrder.of(io, view, geometry.groupOfBlock(block)),
            view,
            geometry.groupOfBlock(block),
            question,
            candidate -> checkShape(candidate, expected));
    io.counters().add(IoCounter.BYTES_DIGESTED_BY_NODES, length);
    return answer;
  }

  private static void checkShape(ReplicaResponse answer, int expected) throws VdfsException {
    if (answer.getPartChecksumsCount() != expected) {
      throw new VdfsException(
          ErrorCode.UNAVAILABLE,
          "replica told another number of checksums: told=%s, expected=%s"
              .formatted(answer.getPartChecksumsCount(), expected));
    }
  }
}
