package io.vdfs.datanode.meta.state;

import com.google.protobuf.ByteString;
import io.vdfs.common.wire.proto.DeletionAckRecord;
import io.vdfs.common.wire.proto.DeletionAcksRecord;
import io.vdfs.common.wire.proto.DeletionProto;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Files whose blocks the block stores have to delete, in the order of their deletion, and how far
 * each node has come. Confined to the metadata loop; changed only while records are replayed.
 */
public final class DeletionQueue {
  /** Order of node ids wherever the order of a result depends on it. */
  public static final Comparator<ByteString> NODE_ORDER =
      ByteString.unsignedLexicographicalComparator();

  private final NavigableMap<Long, DeletionProto> entries = new TreeMap<>();
  private final NavigableMap<ByteString, Long> acks = new TreeMap<>(NODE_ORDER);
  private long lastSequence;

  /** The highest sequence number ever given away. */
  public long lastSequence() {
    return lastSequence;
  }

  /** Entries with a higher sequence than {@code after}, in order. */
  public Collection<DeletionProto> after(long after) {
    return Collections.unmodifiableCollection(entries.tailMap(after, false).values());
  }

  /** The acknowledged sequence of each node that ever acknowledged one, in node order. */
  public SortedMap<ByteString, Long> acks() {
    return Collections.unmodifiableSortedMap(acks);
  }

  public void raiseLastSequence(long sequence) {
    lastSequence = Math.max(lastSequence, sequence);
  }

  public void add(DeletionProto deletion) {
    entries.put(deletion.getSequence(), deletion);
    raiseLastSequence(deletion.getSequence());
  }

  /** Drops the entries up to {@code sequence}. */
  public void done(long sequence) {
    entries.headMap(sequence, true).clear();
  }

  public void replaceAcks(DeletionAcksRecord record) {
    acks.clear();
    for (DeletionAckRecord ack : record.getAcksList()) {
      acks.put(ack.getNode(), ack.getSequence());
    }
  }

  /** The record that makes {@code acks} the state; see {@link #replaceAcks}. */
  public static DeletionAcksRecord acksRecord(SortedMap<ByteString, Long> acks) {
    DeletionAcksRecord.Builder record = DeletionAcksRecord.newBuilder();
    acks.forEach(
        (node, sequence) ->
            record.addAcks(DeletionAckRecord.newBuilder().setNode(node).setSequence(sequence)));
    return record.build();
  }
}
