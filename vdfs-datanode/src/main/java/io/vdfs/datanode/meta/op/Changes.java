package io.vdfs.datanode.meta.op;

import com.google.protobuf.ByteString;
import io.vdfs.common.wire.proto.DeletionAcksRecord;
import io.vdfs.common.wire.proto.DeletionProto;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.MetaRecord;
import io.vdfs.datanode.meta.state.DeletionQueue;
import io.vdfs.datanode.meta.state.Inodes;
import io.vdfs.datanode.meta.state.MetaContext;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;

/** The records that one operation decides on, in order. Confined to the metadata loop. */
public final class Changes {
  private final List<MetaRecord> records = new ArrayList<>();
  private final long now;
  private long lastInodeSequence;
  private long lastDeletionSequence;

  public Changes(MetaContext context) {
    this.now = context.now();
    this.lastInodeSequence = context.namespace().lastSequence();
    this.lastDeletionSequence = context.deletions().lastSequence();
  }

  public List<MetaRecord> records() {
    return Collections.unmodifiableList(records);
  }

  /** An inode id that was never used before. */
  long newId(int partition) {
    lastInodeSequence++;
    return Inodes.id(lastInodeSequence, partition);
  }

  void put(InodeRecord inode) {
    records.add(MetaRecord.newBuilder().setInode(inode).build());
  }

  /** Raises the modification time of a directory whose children change. */
  void touch(InodeRecord directory) {
    if (directory.getModificationMillis() < now) {
      put(directory.toBuilder().setModificationMillis(now).build());
    }
  }

  /** Takes {@code inode}, and all below it, out of its tree and frees it. */
  void free(InodeRecord inode, boolean hasChildren) {
    if (hasChildren) {
      put(inode.toBuilder().setParentId(0).clearName().build());
      return;
    }
    remove(inode.getId());
    if (!Inodes.isDirectory(inode)) {
      lastDeletionSequence++;
      records.add(
          MetaRecord.newBuilder()
              .setDeletion(
                  DeletionProto.newBuilder()
                      .setSequence(lastDeletionSequence)
                      .setFile(Inodes.key(inode)))
              .build());
    }
  }

  /** Removes an inode that has no children and no blocks. */
  void remove(long id) {
    records.add(MetaRecord.newBuilder().setRemovedInode(id).build());
  }

  void acknowledge(SortedMap<ByteString, Long> acks, long doneEverywhere) {
    DeletionAcksRecord record = DeletionQueue.acksRecord(acks);
    records.add(MetaRecord.newBuilder().setAcks(record).build());
    if (doneEverywhere > 0) {
      records.add(MetaRecord.newBuilder().setDeletionsDone(doneEverywhere).build());
    }
  }
}
