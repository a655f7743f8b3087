package io.vdfs.client.delivery.segment;

import io.vdfs.client.delivery.LocalFiles;
import io.vdfs.client.io.BlockDelivery;
import io.vdfs.client.io.ClientIo;
import io.vdfs.client.io.Delivery;
import io.vdfs.client.io.IoCounter;
import io.vdfs.client.io.ReadAttempt;
import io.vdfs.client.io.WantedRange;
import io.vdfs.client.io.replica.FileView;
import io.vdfs.client.io.replica.NodeHealth;
import io.vdfs.client.io.replica.ReplicaNode;
import io.vdfs.common.error.ErrorCode;

/**
 * Segment delivery: the node on this machine lays bytes into slots of a file in memory, the
 * segment, of which each connection has one. No reader waits for a slot. Not used for a while where
 * a segment could not be had, opened or trusted. Thread-safe.
 */
public final class SegmentBlockDelivery implements BlockDelivery {
  private final ClientIo io;
  private final LocalFiles files;
  private final NodeHealth doubts;
  private final AttachedSegments segments = new AttachedSegments();

  /**
   * @param files closed with this
   */
  public SegmentBlockDelivery(ClientIo io, LocalFiles files) {
    this.io = io;
    this.files = files;
    this.doubts = io.doubts();
  }

  @Override
  public Delivery name() {
    return Delivery.SEGMENT;
  }

  @Override
  public boolean reaches(ReplicaNode node) {
    return node.local();
  }

  @Override
  public boolean isPromising(ReplicaNode node, FileView view) {
    return reaches(node) && !doubts.isSuspect(node.id());
  }

  @Override
  public boolean leavesBytesInPlace() {
    return true;
  }

  @Override
  public ReadAttempt start(WantedRange range) {
    return SegmentAttempt.start(io, files, segments, range);
  }

  /** Bytes from segments are counted when they are copied. */
  @Override
  public void onKept(ReplicaNode node, int bytes) {}

  /**
   * A read need not wait for a slot. Damage may be that of the shared memory alone; if it is not,
   * the socket shows it too.
   */
  @Override
  public Turn onFailed(ReplicaNode node, ErrorCode code) {
    return switch (code) {
      case NO_SPACE -> {
        io.counters().increment(IoCounter.SEGMENT_FALLBACKS);
        yield Turn.SAME_NODE_BY_SOCKET;
      }
      case UNSUPPORTED, CORRUPT, IO_ERROR -> {
        doubts.failed(node.id());
        io.counters().increment(IoCounter.SEGMENT_FALLBACKS);
        yield Turn.NEXT_WAY;
      }
      default -> Turn.NEXT_NODE;
    };
  }

  /** Those of this process. */
  AttachedSegments segments() {
    return segments;
  }

  @Override
  public void close() {
    files.close();
  }
}
