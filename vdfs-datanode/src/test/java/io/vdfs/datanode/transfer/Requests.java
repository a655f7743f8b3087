package io.vdfs.datanode.transfer;

import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.wire.WireChecksums;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.LocalRequest;
import io.vdfs.common.wire.proto.PartDigests;
import io.vdfs.common.wire.proto.ReadRequest;
import io.vdfs.common.wire.proto.ReplicaRequest;
import io.vdfs.common.wire.proto.WriteOpen;
import io.vdfs.common.wire.proto.WritePacket;
import java.nio.ByteBuffer;
import java.util.UUID;

/** Sound requests to one node about the first block of one file. Immutable. */
public record Requests(UUID cluster, NodeId node, FileKey file, int chunkSize) {
  public ReadRequest read(int offset, int length) {
    return ReadRequest.newBuilder()
        .setFile(WireIds.encode(file))
        .setOffset(offset)
        .setLength(length)
        .setClusterId(WireIds.encode(cluster))
        .setNode(WireIds.encode(node))
        .build();
  }

  public LocalRequest readByOneself(int offset, int length) {
    return LocalRequest.newBuilder()
        .setFile(WireIds.encode(file))
        .setOffset(offset)
        .setLength(length)
        .setClusterId(WireIds.encode(cluster))
        .setNode(WireIds.encode(node))
        .build();
  }

  public ReplicaRequest visibleLength() {
    return question().setVisibleLength(true).build();
  }

  public ReplicaRequest digests(int length) {
    return question()
        .setDigests(PartDigests.newBuilder().setLength(length).setPartBytes(length))
        .build();
  }

  private ReplicaRequest.Builder question() {
    return ReplicaRequest.newBuilder()
        .setFile(WireIds.encode(file))
        .setClusterId(WireIds.encode(cluster))
        .setNode(WireIds.encode(node));
  }

  public WriteOpen open(int epoch) {
    return WriteOpen.newBuilder()
        .setFile(WireIds.encode(file))
        .setWriteEpoch(epoch)
        .setClusterId(WireIds.encode(cluster))
        .setNode(WireIds.encode(node))
        .setTicket(TestPeers.tickets(cluster).issue(file, epoch, 0))
        .build();
  }

  public WritePacket packet(long sequence, long offset, byte[] payload) {
    return WritePacket.newBuilder()
        .setSequence(sequence)
        .setOffset(offset)
        .setChecksums(
            WireChecksums.encode(ChunkChecksums.compute(ByteBuffer.wrap(payload), chunkSize)))
        .build();
  }
}
