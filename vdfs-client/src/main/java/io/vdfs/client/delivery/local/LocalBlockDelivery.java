package io.vdfs.client.delivery.local;

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
import io.vdfs.common.model.NodeId;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Local delivery: blocks are read from the files of the node on this machine, which says where they
 * lie. Not used for files that are being written, nor for a while where the node's files could not
 * be read or the page cache lost what it held. Thread-safe.
 */
public final class LocalBlockDelivery implements BlockDelivery {
  /** Bytes read from a node's files over which they are judged, unless set otherwise. */
  public static final long WINDOW = LocalReads.WINDOW;

  private final ClientIo io;
  private final LocalFiles files;
  private final long window;
  private final NodeHealth doubts;
  private final Map<NodeId, GrantingNode> nodes = new ConcurrentHashMap<>();

  /**
   * @param files closed with this
   * @param window bytes read from a node's files over which they are judged
   */
  public LocalBlockDelivery(ClientIo io, LocalFiles files, long window) {
    this.io = io;
    this.files = files;
    this.window = window;
    this.doubts = io.doubts();
  }

  @Override
  public Delivery name() {
    return Delivery.LOCAL;
  }

  @Override
  public boolean reaches(ReplicaNode node) {
    return node.local();
  }

  @Override
  public boolean isPromising(ReplicaNode node, FileView view) {
    return reaches(node) && !view.open() && !doubts.isSuspect(node.id());
  }

  @Override
  public boolean leavesBytesInPlace() {
    return true;
  }

  @Override
  public ReadAttempt start(WantedRange range) {
    NodeId node = range.node().id();
    return LocalAttempt.start(io, files, granting(node), () -> suspend(node), range);
  }

  /** Bytes from files are counted when they are copied. */
  @Override
  public void onKept(ReplicaNode node, int bytes) {}

  @Override
  public Turn onFailed(ReplicaNode node, ErrorCode code) {
    if (code == ErrorCode.CORRUPT || code == ErrorCode.IO_ERROR) {
      granting(node.id()).early().clear();
    }
    if (code == ErrorCode.UNSUPPORTED) {
      doubts.failed(node.id());
    }
    if (code != ErrorCode.UNSUPPORTED && code != ErrorCode.LEASE_CONFLICT) {
      return Turn.NEXT_NODE;
    }
    io.counters().increment(IoCounter.LOCAL_FALLBACKS);
    return Turn.NEXT_WAY;
  }

  private GrantingNode granting(NodeId node) {
    return nodes.computeIfAbsent(
        node,
        unknown ->
            new GrantingNode(
                new LocalReads(window, io.settings().localFetchPercent()),
                new EarlyGrants(io.geometry().blockSize(), io::nanoTime)));
  }

  /**
   * Too many of the bytes read had left the page cache: other deliveries are used for a while, if
   * allowed.
   */
  private void suspend(NodeId node) {
    if (io.settings().delivery() == Delivery.AUTO) {
      io.counters().increment(IoCounter.LOCAL_SUSPENSIONS);
      doubts.failed(node);
    }
  }

  @Override
  public void close() {
    files.close();
  }
}
