package io.vdfs.client.write;

import io.vdfs.client.io.replica.ReplicaNode;
import io.vdfs.common.model.NodeId;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One group that is being written: the packets that nodes may still need from us, the pipeline of
 * the current epoch, and the nodes that failed in it or were left out of it. Confined to its
 * writer.
 *
 * <p>A packet stays until a node that is killed would still have it: until a later flush is
 * acknowledged, or the block it ends in is complete, since a node writes the footer of a complete
 * block before it acknowledges it.
 *
 * <pre>
 *   CLOSED --open--> OPENING --onReady--> STREAMING --last packet acknowledged--> DONE
 *     ^                 |                     |
 *     +-----close-------+---------------------+
 * </pre>
 */
final class GroupSession {
  enum State {
    CLOSED,
    OPENING,
    STREAMING,
    DONE
  }

  private final int group;
  private final int blockSize;
  private final GroupChecksum checksum;

  /** Packets that are acknowledged but that a node would lose if it were killed now. */
  private final Deque<Packet> unkept = new ArrayDeque<>();

  private final Deque<Packet> unacknowledged = new ArrayDeque<>();
  private final Map<NodeId, String> failed = new LinkedHashMap<>();
  private final Set<NodeId> leftOut = new HashSet<>();
  private State state = State.CLOSED;
  private List<ReplicaNode> nodes = List.of();
  private WritePipeline pipeline;
  private boolean reopened;
  private long acknowledgedEnd;
  private long flushedEnd;
  private long keptEnd;
  private long headSequence;
  private long pendingBytes;
  private long lastProgress;
  private boolean finished;
  private int bytes;

  /**
   * @param start end of the bytes in the file that are there already, not before the group's start
   * @param checksum of these, to go on with
   */
  GroupSession(int group, long start, int blockSize, GroupChecksum checksum) {
    this.group = group;
    this.blockSize = blockSize;
    this.checksum = checksum;
    this.acknowledgedEnd = start;
    this.flushedEnd = start;
    this.keptEnd = start;
  }

  int group() {
    return group;
  }

  /** CRC32C of all bytes that the file has in the group so far; 0: not known. */
  int checksum() {
    return checksum.value();
  }

  /** Number of bytes that will be sent; 0 if that is not known. */
  int bytes() {
    return bytes;
  }

  void setBytes(int all) {
    bytes = all;
  }

  State state() {
    return state;
  }

  /** Nodes of the current pipeline, or of the last one; in its order. */
  List<ReplicaNode> nodes() {
    return nodes;
  }

  /** End of the bytes that every node of the pipeline has. */
  long acknowledgedEnd() {
    return acknowledgedEnd;
  }

  /** End of the bytes that every node of the pipeline keeps even if its process is killed. */
  long flushedEnd() {
    return flushedEnd;
  }

  /** Where a pipeline has to begin to send all that nodes may lack; a chunk boundary. */
  long resumeAt(int chunkSize) {
    for (Packet packet : unacknowledged) {
      if (packet.size() > 0) {
        return packet.offset();
      }
    }
    return acknowledgedEnd - acknowledgedEnd % chunkSize;
  }

  /** Bytes of the packets that are kept. */
  long pendingBytes() {
    return pendingBytes;
  }

  /** Whether the last packet of the group was queued. */
  boolean isFinished() {
    return finished;
  }

  /** Whether everything sent is acknowledged. */
  boolean isIdle() {
    return unacknowledged.isEmpty();
  }

  /** Whether this group had a pipeline that has ended, so that another one needs a new epoch. */
  boolean isReopened() {
    return reopened;
  }

  boolean owns(WritePipeline candidate) {
    return pipeline != null && pipeline == candidate;
  }

  /** Whether the node has owed an answer for longer than its limit, in nanoseconds. */
  boolean isOverdue(long now, long openLimit, long ackLimit) {
    return switch (state) {
      case OPENING -> now - lastProgress >= openLimit;
      case STREAMING -> !unacknowledged.isEmpty() && now - lastProgress >= ackLimit;
      case CLOSED, DONE -> false;
    };
  }

  /** Nanoseconds since the nodes were first asked for something they have not done. */
  long waited(long now) {
    boolean owing = state == State.OPENING || !unacknowledged.isEmpty();
    return owing ? now - lastProgress : 0;
  }

  /** Nodes that failed since the last epoch began, with the reason. */
  Map<NodeId, String> failed() {
    return failed;
  }

  boolean hasFailed(ReplicaNode node) {
    return failed.containsKey(node.id());
  }

  void onFailed(ReplicaNode node, String reason) {
    failed.putIfAbsent(node.id(), node.address() + ": " + reason);
  }

  /** A new epoch begins, in which every node has a chance. */
  void forgetFailures() {
    failed.clear();
  }

  /** Nodes left out by this writer. */
  Set<NodeId> leftOut() {
    return leftOut;
  }

  void onOpening(WritePipeline opened, List<ReplicaNode> pipelineNodes, long now) {
    pipeline = opened;
    nodes = pipelineNodes;
    state = State.OPENING;
    lastProgress = now;
  }

  /** The pipeline takes packets: sends again what nodes may lack. */
  void onReady(long now) {
    state = State.STREAMING;
    lastProgress = now;
    headSequence = 0;
    long sequence = 0;
    for (Packet packet : unacknowledged) {
      pipeline.send(packet, sequence++);
    }
  }

  /** Puts a packet before all others; only while there is no pipeline. */
  void queueFirst(Packet packet) {
    unacknowledged.addFirst(packet);
    pendingBytes += packet.size();
  }

  /** Whether a packet with bytes is queued. */
  boolean hasQueuedBytes() {
    return pendingBytes > 0;
  }

  void send(Packet packet, long now) {
    if (unacknowledged.isEmpty()) {
      lastProgress = now;
    }
    checksum.add(packet);
    pipeline.send(packet, headSequence + unacknowledged.size());
    unacknowledged.addLast(packet);
    pendingBytes += packet.size();
    finished |= packet.purpose().isLast();
  }

  /**
   * @return false if {@code sequence} was never sent
   */
  boolean onAcknowledged(long sequence, long now) {
    if (sequence >= headSequence + unacknowledged.size()) {
      return false;
    }
    while (headSequence <= sequence) {
      Packet packet = unacknowledged.removeFirst();
      headSequence++;
      unkept.addLast(packet);
      acknowledgedEnd = Math.max(acknowledgedEnd, packet.end());
      if (packet.purpose().flushes()) {
        flushedEnd = acknowledgedEnd;
        keptEnd = acknowledgedEnd;
      }
      lastProgress = now;
    }
    keptEnd = Math.max(keptEnd, acknowledgedEnd - acknowledgedEnd % blockSize);
    while (!unkept.isEmpty() && unkept.getFirst().end() <= keptEnd) {
      letGo(unkept.removeFirst());
    }
    if (finished && unacknowledged.isEmpty()) {
      close();
      state = State.DONE;
    }
    return true;
  }

  private void letGo(Packet packet) {
    pendingBytes -= packet.size();
    packet.release();
  }

  /** Gives the pipeline up; packets stay, and those that nodes may lack are to be sent again. */
  void close() {
    if (pipeline != null) {
      pipeline.close();
      pipeline = null;
      reopened = true;
    }
    while (!unkept.isEmpty()) {
      unacknowledged.addFirst(unkept.removeLast());
    }
    if (state != State.DONE) {
      state = State.CLOSED;
    }
  }

  void release() {
    close();
    unacknowledged.forEach(Packet::release);
    unacknowledged.clear();
    pendingBytes = 0;
  }
}
