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
  private final NavigableMap<ByteString, DeletionAckRecord> nodes = new TreeMap<>(NODE_ORDER);
  private long lastSequence;
  private long dropped;

  /** The highest sequence number ever given away. */
  public long lastSequence() {
    return lastSequence;
  }

  /** Entries up to this sequence are no longer here. */
  public long dropped() {
    return dropped;
  }

  public int size() {
    return entries.size();
  }

  /** Entries with a higher sequence than {@code after}, in order. */
  public Collection<DeletionProto> after(long after) {
    return Collections.unmodifiableCollection(entries.tailMap(after, false).values());
  }

  /** What is known of each node, in node order. */
  public SortedMap<ByteString, DeletionAckRecord> nodes() {
    return Collections.unmodifiableSortedMap(nodes);
  }

  /** Whether a node is not waited for, as it is too far behind. */
  public boolean isBehind(DeletionAckRecord node) {
    return node.getSequence() < dropped;
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
    dropped = Math.max(dropped, sequence);
  }

  public void replaceAcks(DeletionAcksRecord record) {
    nodes.clear();
    record.getAcksList().forEach(node -> nodes.put(node.getNode(), node));
    dropped = Math.max(dropped, record.getDropped());
  }

  /** The record that makes the nodes' state as it is; see {@link #replaceAcks}. */
  public DeletionAcksRecord acksRecord() {
    return DeletionAcksRecord.newBuilder().addAllAcks(nodes.values()).setDropped(dropped).build();
  }
}
