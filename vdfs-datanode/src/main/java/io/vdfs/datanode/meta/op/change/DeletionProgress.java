package io.vdfs.datanode.meta.op.change;

import com.google.protobuf.ByteString;
import io.vdfs.common.wire.proto.DeletionAckRecord;
import io.vdfs.common.wire.proto.DeletionAcksRecord;
import io.vdfs.common.wire.proto.DeletionProto;
import io.vdfs.datanode.meta.state.DeletionQueue;
import io.vdfs.datanode.meta.state.settings.MetadataLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How far the nodes have deleted, on its way to the next state. Entries that all nodes of the ring
 * have carried out are dropped. A node that is more than the bounds of the queue behind is not
 * waited for: what is dropped without it is counted, as it may hold the files for ever. It is
 * waited for again once it has acknowledged all that was dropped; what it missed counts until it
 * has looked through all that it holds. Confined to one operation.
 */
public final class DeletionProgress {
  /**
   * Entries stay as long where a node is not waited for, so that it removes what it can if it
   * lives.
   */
  private static final long GRACE_MILLIS = 60_000;

  private final DeletionQueue queue;
  private final MetadataLimits limits;
  private final long now;
  private final SortedMap<ByteString, DeletionAckRecord> nodes =
      new TreeMap<>(DeletionQueue.NODE_ORDER);
  private long dropped;

  public DeletionProgress(DeletionQueue queue, MetadataLimits limits, long now) {
    this.queue = queue;
    this.limits = limits;
    this.now = now;
    this.dropped = queue.dropped();
    nodes.putAll(queue.nodes());
  }

  public void acknowledge(ByteString node, long sequence) {
    DeletionAckRecord known = nodes.getOrDefault(node, fresh(node, 0));
    if (known.getSequence() < sequence) {
      nodes.put(node, known.toBuilder().setSequence(sequence).build());
    } else {
      nodes.put(node, known);
    }
  }

  /** The node has looked for what was deleted up to {@code sequence}, and holds nothing of it. */
  public void lookedThrough(ByteString node, long sequence) {
    acknowledge(node, sequence);
    if (sequence >= dropped) {
      nodes.put(node, nodes.get(node).toBuilder().clearMissed().build());
    }
  }

  private static DeletionAckRecord fresh(ByteString node, long sequence) {
    return DeletionAckRecord.newBuilder().setNode(node).setSequence(sequence).build();
  }

  /**
   * Waits for these nodes and forgets the others.
   *
   * @param speaker stays known in any case
   */
  public void follow(Set<ByteString> ring, ByteString speaker) {
    nodes.keySet().removeIf(known -> !ring.contains(known) && !known.equals(speaker));
    // one that is new in the ring misses nothing of what was dropped before
    ring.forEach(node -> nodes.putIfAbsent(node, fresh(node, dropped)));
  }

  /**
   * Drops entries for which no node is waited for any more.
   *
   * @param ring nodes to wait for
   * @param added entries that are about to be added
   */
  public void advance(Set<ByteString> ring, int added) {
    long bound = bound(added);
    OptionalLong slowest =
        ring.stream()
            .mapToLong(node -> nodes.get(node).getSequence())
            .filter(sequence -> sequence >= Math.max(dropped, bound))
            .min();
    long reached = Math.max(bound, slowest.orElse(0));
    boolean allFollow =
        ring.stream().allMatch(node -> nodes.get(node).getSequence() >= Math.max(dropped, bound));
    drop(ring, allFollow ? reached : Math.max(bound, beforeGrace(reached)));
  }

  /** The last entry that is too old, or one too many. */
  private long bound(int added) {
    long excess = (long) queue.size() + added - limits.deletions();
    long bound = 0;
    for (DeletionProto entry : queue.after(0)) {
      if (excess <= 0 && now - entry.getTimeMillis() <= limits.deletionMillis()) {
        break;
      }
      bound = entry.getSequence();
      excess--;
    }
    return bound;
  }

  private long beforeGrace(long reached) {
    long last = 0;
    for (DeletionProto entry : queue.after(0)) {
      if (entry.getSequence() > reached || now - entry.getTimeMillis() <= GRACE_MILLIS) {
        break;
      }
      last = entry.getSequence();
    }
    return last;
  }

  private void drop(Set<ByteString> ring, long upTo) {
    if (upTo <= dropped) {
      return;
    }
    List<Long> gone = new ArrayList<>();
    for (DeletionProto entry : queue.after(dropped)) {
      if (entry.getSequence() > upTo) {
        break;
      }
      gone.add(entry.getSequence());
    }
    for (ByteString node : ring) {
      DeletionAckRecord known = nodes.get(node);
      long missed = gone.stream().filter(sequence -> sequence > known.getSequence()).count();
      if (missed > 0) {
        nodes.put(node, known.toBuilder().setMissed(known.getMissed() + missed).build());
      }
    }
    dropped = upTo;
  }

  /** Entries up to this one are to be dropped. */
  long dropped() {
    return dropped;
  }

  DeletionAcksRecord record() {
    return DeletionAcksRecord.newBuilder().addAllAcks(nodes.values()).setDropped(dropped).build();
  }
}
