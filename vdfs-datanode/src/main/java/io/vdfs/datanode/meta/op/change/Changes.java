package io.vdfs.datanode.meta.op.change;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.InodeIds;
import io.vdfs.common.wire.proto.ClusterRecordProto;
import io.vdfs.common.wire.proto.CountersRecord;
import io.vdfs.common.wire.proto.DeletionProto;
import io.vdfs.common.wire.proto.FileRecord;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.MetaRecord;
import io.vdfs.datanode.meta.state.DeletionQueue;
import io.vdfs.datanode.meta.state.Inodes;
import io.vdfs.datanode.meta.state.MetaContext;
import io.vdfs.datanode.meta.state.Namespace;
import io.vdfs.datanode.meta.state.settings.MetadataLimits;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The records that one operation decides on, in order. Confined to the metadata loop. */
public final class Changes {
  private final List<MetaRecord> records = new ArrayList<>();
  private final Map<Long, Optional<InodeRecord>> changed = new LinkedHashMap<>();
  private final Namespace namespace;
  private final DeletionQueue deletions;
  private final MetadataLimits limits;
  private final long now;
  private boolean quotasEnforced = true;
  private long lastFileNumber;
  private long lastDirectoryNumber;
  private long lastDeletionSequence;
  private long lastChangeSequence;
  private int added;

  public Changes(MetaContext context) {
    this.namespace = context.namespace();
    this.deletions = context.deletions();
    this.limits = context.settings().limits();
    this.now = context.now();
    this.lastFileNumber = context.namespace().lastFileNumber();
    this.lastDirectoryNumber = context.namespace().lastDirectoryNumber();
    this.lastDeletionSequence = context.deletions().lastSequence();
    this.lastChangeSequence = context.namespace().lastChangeSequence();
  }

  public List<MetaRecord> records() {
    return Collections.unmodifiableList(records);
  }

  /** Lets quotas be exceeded: what happened already is only counted. */
  public void countOnly() {
    quotasEnforced = false;
  }

  /**
   * Adds the effect of the changes on quotas. Called once, last.
   *
   * @throws VdfsException QUOTA_EXCEEDED: none of the changes may happen
   */
  public void settleQuotas() throws VdfsException {
    if (namespace.hasQuotas()) {
      new QuotaSettlement(namespace, changed).settle(quotasEnforced).forEach(this::putCounted);
    }
  }

  /** An id for a file that was never used before. */
  public long newFileId(int partition) {
    lastFileNumber++;
    return InodeIds.file(lastFileNumber, partition);
  }

  /** An id for a directory that was never used before. */
  public long newDirectoryId(int partition) {
    lastDirectoryNumber++;
    return InodeIds.directory(lastDirectoryNumber, partition);
  }

  /**
   * Makes {@code inode} the state of its id. A closed file of which nodes should hold something
   * else from now on gets the next change sequence.
   */
  public void put(InodeRecord inode) {
    putRelieved(changesHoldings(inode) ? numbered(inode) : inode);
  }

  private InodeRecord numbered(InodeRecord file) {
    lastChangeSequence++;
    return file.toBuilder()
        .setFile(file.getFile().toBuilder().setChangeSequence(lastChangeSequence))
        .build();
  }

  private boolean changesHoldings(InodeRecord inode) {
    if (Inodes.isDirectory(inode) || Inodes.isOpen(inode)) {
      return false;
    }
    FileRecord file = inode.getFile();
    return namespace.find(inode.getId()).filter(old -> old.getFile().equals(file)).isEmpty();
  }

  /** As {@link #put}, where no node should hold anything that it should not before. */
  public void putRelieved(InodeRecord inode) {
    records.add(MetaRecord.newBuilder().setInode(inode).build());
    changed.put(inode.getId(), Optional.of(inode));
  }

  /** As {@link #put}, of a directory whose quota says what it takes already. */
  public void putCounted(InodeRecord directory) {
    records.add(MetaRecord.newBuilder().setInode(directory).build());
  }

  /** Raises the modification time of a directory whose children change. */
  public void touch(InodeRecord directory) {
    if (directory.getModificationMillis() < now) {
      put(directory.toBuilder().setModificationMillis(now).build());
    }
  }

  /** Takes {@code inode}, and all below it, out of its tree and frees it. */
  public void free(InodeRecord inode, boolean hasChildren) {
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
                      .setFile(Inodes.key(inode))
                      .setTimeMillis(now))
              .build());
      added++;
    }
  }

  /** Removes an inode that has no children and no blocks. */
  public void remove(long id) {
    records.add(MetaRecord.newBuilder().setRemovedInode(id).build());
    changed.put(id, Optional.empty());
  }

  /** Raises the feature level, which never falls. */
  public void raiseLevel(int level) {
    records.add(
        MetaRecord.newBuilder().setCounters(CountersRecord.newBuilder().setLevel(level)).build());
  }

  public void recordCluster(ClusterRecordProto cluster) {
    records.add(MetaRecord.newBuilder().setCluster(cluster).build());
  }

  /**
   * After metadata were lost: skips numbers of files, as many of directories, and deletion
   * sequences, so that none of them is given away twice; and counts the loss.
   */
  public void skipSequences(long inodes, long deletions) {
    lastFileNumber += inodes;
    lastDirectoryNumber += inodes;
    lastDeletionSequence += deletions;
    records.add(
        MetaRecord.newBuilder()
            .setCounters(
                CountersRecord.newBuilder()
                    .setLastFileNumber(lastFileNumber)
                    .setLastDirectoryNumber(lastDirectoryNumber)
                    .setLastDeletionSequence(lastDeletionSequence)
                    .setLosses(namespace.losses() + 1))
            .build());
  }

  /** Gives up all metadata that were lost so far. */
  public void acceptLosses() {
    records.add(
        MetaRecord.newBuilder()
            .setCounters(CountersRecord.newBuilder().setAcceptedLosses(namespace.losses()))
            .build());
  }

  public void putDeletionProgress(DeletionProgress progress) {
    records.add(MetaRecord.newBuilder().setAcks(progress.record()).build());
    if (progress.dropped() > deletions.dropped()) {
      records.add(MetaRecord.newBuilder().setDeletionsDone(progress.dropped()).build());
    }
  }

  /**
   * Keeps the deletion queue within its bound, however many nodes are behind. Called once, after
   * all else.
   */
  public void boundDeletions() {
    if (added > 0 && (long) deletions.size() + added > limits.deletions()) {
      DeletionProgress progress = new DeletionProgress(deletions, limits, now);
      progress.advance(deletions.nodes().keySet(), added);
      putDeletionProgress(progress);
    }
  }
}
