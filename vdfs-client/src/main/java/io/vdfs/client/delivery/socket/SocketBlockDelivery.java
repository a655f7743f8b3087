package io.vdfs.client.delivery.socket;

import io.vdfs.client.io.BlockDelivery;
import io.vdfs.client.io.ClientIo;
import io.vdfs.client.io.Delivery;
import io.vdfs.client.io.IoCounter;
import io.vdfs.client.io.ReadAttempt;
import io.vdfs.client.io.WantedRange;
import io.vdfs.client.io.replica.FileView;
import io.vdfs.client.io.replica.ReplicaNode;
import io.vdfs.common.error.ErrorCode;

/** Socket delivery: bytes come over the network, from any node. Thread-safe. */
public final class SocketBlockDelivery implements BlockDelivery {
  private final ClientIo io;

  public SocketBlockDelivery(ClientIo io) {
    this.io = io;
  }

  @Override
  public Delivery name() {
    return Delivery.SOCKET;
  }

  @Override
  public boolean reaches(ReplicaNode node) {
    return true;
  }

  @Override
  public boolean isPromising(ReplicaNode node, FileView view) {
    return true;
  }

  @Override
  public boolean leavesBytesInPlace() {
    return false;
  }

  @Override
  public ReadAttempt start(WantedRange range) {
    return SocketAttempt.start(io, range);
  }

  @Override
  public void onKept(ReplicaNode node, int bytes) {
    io.counters().add(IoCounter.BYTES_BY_SOCKET, bytes);
    io.counters()
        .add(node.local() ? IoCounter.BYTES_READ_LOCAL : IoCounter.BYTES_READ_REMOTE, bytes);
  }

  @Override
  public Turn onFailed(ReplicaNode node, ErrorCode code) {
    return Turn.NEXT_NODE;
  }

  @Override
  public void close() {
    // connections belong to others
  }
}
