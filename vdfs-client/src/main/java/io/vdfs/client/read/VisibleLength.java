package io.vdfs.client.read;

import io.vdfs.client.io.ClientIo;
import io.vdfs.client.io.ReplicaCall;
import io.vdfs.client.io.ReplicaOrder;
import io.vdfs.client.io.replica.FileView;
import io.vdfs.client.io.replica.ReplicaNode;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ReplicaRequest;
import io.vdfs.common.wire.proto.ReplicaResponse;
import java.io.IOException;
import java.util.List;

/**
 * Finds how far a file that is being written can be read: from the recorded length on, asks the
 * keepers group by group until one is not full. What a writer flushed is on every keeper, so one at
 * which the writer has the group open is as good as any. A keeper where the group is not open may
 * be back from a power cut or with an old disk, unnoticed by the writer, or have taken the place of
 * one that the writer wrote to: then all are asked, and if the group is open at none of them, the
 * spares, too; the one that has most is believed. Bytes that an earlier writer left behind the
 * start of the present lease do not count.
 */
final class VisibleLength {
  private final ClientIo io;
  private final ReplicaCall replicas;

  VisibleLength(ClientIo io) {
    this.io = io;
    this.replicas = new ReplicaCall(io);
  }

  /**
   * @return the recorded length or more; exactly that for a file that is closed
   * @throws VdfsException UNAVAILABLE if no replica of a group answers
   */
  long of(FileView view) throws IOException {
    if (!view.open()) {
      return view.length();
    }
    long groupSize = io.geometry().groupSize();
    int group = io.geometry().groupAt(view.length());
    long inGroup = lengthOf(view, group);
    while (inGroup == groupSize) {
      group++;
      inGroup = lengthOf(view, group);
    }
    return Math.max(view.length(), group * groupSize + inGroup);
  }

  /** Bytes of the group that can be read; 0 where the writer has not come to it. */
  private long lengthOf(FileView view, int group) throws IOException {
    ReplicaResponse found = ask(ReplicaOrder.keepers(io, view, group), view, group);
    List<ReplicaNode> spares = ReplicaOrder.spares(io, view, group);
    if (isCertain(found) || spares.isEmpty()) {
      return found.getLength();
    }
    try {
      return Math.max(found.getLength(), ask(spares, view, group).getLength());
    } catch (VdfsException e) {
      // a spare need not have anything
      return found.getLength();
    }
  }

  private ReplicaResponse ask(List<ReplicaNode> nodes, FileView view, int group)
      throws IOException {
    long least = Math.max(0, view.length() - group * io.geometry().groupSize());
    return replicas.longest(
        nodes, view, group, question(view), answer -> checkLength(answer, least), this::isCertain);
  }

  private boolean isCertain(ReplicaResponse answer) {
    return answer.getBeingWritten() || answer.getLength() == io.geometry().groupSize();
  }

  /** An earlier writer's bytes behind the start of the lease do not count. */
  private static ReplicaRequest question(FileView view) {
    return ReplicaRequest.newBuilder()
        .setVisibleLength(true)
        .setLease(WireIds.encode(view.lease()))
        .build();
  }

  private void checkLength(ReplicaResponse answer, long least) throws VdfsException {
    if (answer.getLength() < least || answer.getLength() > io.geometry().groupSize()) {
      throw new VdfsException(
          ErrorCode.UNAVAILABLE,
          "replica has another length than it must: length=%s, least=%s"
              .formatted(answer.getLength(), least));
    }
  }
}
