package io.vdfs.common.security;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.WriteTicketProto;
import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * Tickets of writers: the metadata leader gives one out with each write epoch, and a node lets no
 * client write without one, so that it need not ask whether a file was created and who writes it.
 * Immutable.
 */
public final class WriteTickets {
  private static final int BYTES = Long.BYTES + 2 * Integer.BYTES + Long.BYTES;

  private final MacKey key;
  private final byte[] cluster;

  public WriteTickets(ClusterKey key, UUID cluster) {
    this.key = key.derive(KeyPurposes.TICKET);
    this.cluster = WireIds.encode(cluster).toByteArray();
  }

  /**
   * @param lastDeletion sequence of the last deletion when the epoch was given out
   */
  public WriteTicketProto issue(FileKey file, int writeEpoch, long lastDeletion) {
    return WriteTicketProto.newBuilder()
        .setLastDeletion(lastDeletion)
        .setProof(ByteString.copyFrom(key.mac(cluster, subject(file, writeEpoch, lastDeletion))))
        .build();
  }

  /**
   * Refuses a writer without leave of the metadata leader.
   *
   * @param ticket as it came in
   * @throws VdfsException STALE_TICKET: it is none for this file, generation and epoch, or was made
   *     with a key that is given up
   */
  public void require(WriteTicketProto ticket, FileKey file, int writeEpoch) throws VdfsException {
    byte[] subject = subject(file, writeEpoch, ticket.getLastDeletion());
    if (!key.verify(ticket.getProof().toByteArray(), cluster, subject)) {
      throw new VdfsException(
          ErrorCode.STALE_TICKET,
          ("no ticket to write the file in this epoch: file=%s, epoch=%s; only the metadata"
                  + " give one, to who may write the file")
              .formatted(file, Integer.toUnsignedString(writeEpoch)));
    }
  }

  private static byte[] subject(FileKey file, int writeEpoch, long lastDeletion) {
    return ByteBuffer.allocate(BYTES)
        .putLong(file.fileId())
        .putInt(file.generation())
        .putInt(writeEpoch)
        .putLong(lastDeletion)
        .array();
  }
}
