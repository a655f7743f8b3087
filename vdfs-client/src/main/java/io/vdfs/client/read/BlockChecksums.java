package io.vdfs.client.read;

import io.vdfs.client.io.ClientIo;
import io.vdfs.client.io.ReplicaCall;
import io.vdfs.client.io.ReplicaOrder;
import io.vdfs.client.io.replica.FileView;
import io.vdfs.common.checksum.Crc32c;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.wire.proto.ReplicaRequest;
import io.vdfs.common.wire.proto.ReplicaResponse;
import java.io.IOException;

/**
 * The checksum of a whole file from its writer's checksums, without reading its bytes: what Hadoop
 * calls COMPOSITE_CRC. Thread-safe.
 */
public final class BlockChecksums {
  private static final ReplicaRequest QUESTION =
      ReplicaRequest.newBuilder().setChecksums(true).build();

  private final ClientIo io;
  private final ReplicaCall replicas;

  public BlockChecksums(ClientIo io) {
    this.io = io;
    this.replicas = new ReplicaCall(io);
  }

  /**
   * CRC32C of the file's bytes up to its recorded length; 0 for an empty file.
   *
   * @param view of a closed file; of one that is being written, replicas may hold more
   * @throws VdfsException UNAVAILABLE if no replica of a group can tell, or has just its length
   */
  public int ofFile(FileView view) throws IOException {
    ClusterGeometry geometry = io.geometry();
    int crc = 0;
    for (int group = 0; group < geometry.groupCount(view.length()); group++) {
      long start = group * geometry.groupSize();
      long length = Math.min(geometry.groupSize(), view.length() - start);
      ReplicaResponse answer =
          replicas.first(
              ReplicaOrder.of(io, view, group),
              view,
              group,
              QUESTION,
              candidate -> checkShape(candidate, length));
      for (int block = 0; block < answer.getBlockChecksumsCount(); block++) {
        long rest = length - (long) block * geometry.blockSize();
        crc =
            Crc32c.combine(
                crc, answer.getBlockChecksums(block), Math.min(geometry.blockSize(), rest));
      }
    }
    return crc;
  }

  private void checkShape(ReplicaResponse answer, long length) throws VdfsException {
    if (answer.getLength() != length
        || answer.getBlockChecksumsCount() != io.geometry().blockCount(length)) {
      throw new VdfsException(
          ErrorCode.UNAVAILABLE,
          "replica has another length than the file: length=%s, blocks=%s, expected length=%s"
              .formatted(answer.getLength(), answer.getBlockChecksumsCount(), length));
    }
  }
}
