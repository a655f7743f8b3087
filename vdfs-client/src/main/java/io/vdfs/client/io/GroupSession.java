package io.vdfs.client.io;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * One group that is being written: its packets that are not acknowledged, and the pipeline of the
 * current epoch. Confined to its writer.
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
  private final Deque<Packet> unacknowledged = new ArrayDeque<>();
  private State state = State.CLOSED;
  private List<ReplicaNode> nodes = List.of();
  private WritePipeline pipeline;
  private long acknowledgedEnd;
  private long flushedEnd;
  private long headSequence;
  private long unacknowledgedBytes;
  private long lastProgress;
  private boolean finished;

  /**
   * @param start end of the bytes in the file that are there already, not before the group's start
   */
  GroupSession(int group, long start) {
    this.group = group;
    this.acknowledgedEnd = start;
    this.flushedEnd = start;
  }

  int group() {
    return group;
  }

  State state() {
    return state;
  }

  /** Nodes of the current pipeline, in its order. */
  List<ReplicaNode> nodes() {
    return nodes;
  }

  /** End of what every node of the pipeline has. */
  long acknowledgedEnd() {
    return acknowledgedEnd;
  }

  /** End of what every node of the pipeline keeps even if its process is killed. */
  long flushedEnd() {
    return flushedEnd;
  }

  long unacknowledgedBytes() {
    return unacknowledgedBytes;
  }

  /** Whether the last packet of the group was queued. */
  boolean isFinished() {
    return finished;
  }

  boolean isIdle() {
    return unacknowledged.isEmpty();
  }

  boolean owns(WritePipeline candidate) {
    return pipeline == candidate;
  }

  /** Whether the node owes an answer since {@code limit} nanoseconds. */
  boolean isOverdue(long now, long openLimit, long ackLimit) {
    return switch (state) {
      case OPENING -> now - lastProgress >= openLimit;
      case STREAMING -> !unacknowledged.isEmpty() && now - lastProgress >= ackLimit;
      case CLOSED, DONE -> false;
    };
  }

  void onOpening(WritePipeline opened, List<ReplicaNode> pipelineNodes, long now) {
    pipeline = opened;
    nodes = pipelineNodes;
    state = State.OPENING;
    lastProgress = now;
  }

  /** The pipeline takes packets: sends again what was not acknowledged. */
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
    unacknowledgedBytes += packet.size();
  }

  /** Whether a packet with bytes is queued. */
  boolean hasQueuedBytes() {
    return unacknowledgedBytes > 0;
  }

  void send(Packet packet, long now) {
    if (unacknowledged.isEmpty()) {
      lastProgress = now;
    }
    pipeline.send(packet, headSequence + unacknowledged.size());
    unacknowledged.addLast(packet);
    unacknowledgedBytes += packet.size();
    finished |= packet.purpose() == Packet.Purpose.LAST;
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
      unacknowledgedBytes -= packet.size();
      acknowledgedEnd = Math.max(acknowledgedEnd, packet.end());
      if (packet.purpose().flushes()) {
        flushedEnd = acknowledgedEnd;
      }
      packet.release();
      lastProgress = now;
    }
    if (finished && unacknowledged.isEmpty()) {
      close();
      state = State.DONE;
    }
    return true;
  }

  /** Gives the pipeline up; packets stay. */
  void close() {
    if (pipeline != null) {
      pipeline.close();
      pipeline = null;
    }
    if (state != State.DONE) {
      state = State.CLOSED;
    }
  }

  void release() {
    close();
    unacknowledged.forEach(Packet::release);
    unacknowledged.clear();
    unacknowledgedBytes = 0;
  }
}
