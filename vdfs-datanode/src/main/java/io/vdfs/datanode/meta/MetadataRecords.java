package io.vdfs.datanode.meta;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.ring.RingCodec;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.wire.proto.CallRecord;
import io.vdfs.common.wire.proto.ClusterRecordProto;
import io.vdfs.common.wire.proto.CountersRecord;
import io.vdfs.common.wire.proto.DeletionAcksRecord;
import io.vdfs.common.wire.proto.DeletionProto;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.MetaRecord;
import io.vdfs.datanode.meta.level.FeatureLevels;
import io.vdfs.datanode.meta.state.CallCache;
import io.vdfs.datanode.meta.state.DeletionQueue;
import io.vdfs.datanode.meta.state.Inodes;
import io.vdfs.datanode.meta.state.LogClock;
import io.vdfs.datanode.meta.state.Namespace;
import io.vdfs.datanode.meta.state.settings.MetadataSettings;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * The parts of the replicated state, except the ledgers. {@link #replay} is the only place that
 * changes any of it. Confined to the metadata loop.
 */
final class MetadataRecords {
  private static final int ROOT_MODE = 0755;

  private final Namespace namespace = new Namespace();
  private final DeletionQueue deletions = new DeletionQueue();
  private final CallCache calls;
  private ClusterRecordProto cluster = ClusterRecordProto.getDefaultInstance();
  private Optional<RingMap> ring = Optional.empty();
  private LogClock clock = LogClock.START;
  private int level = FeatureLevels.FIRST;

  MetadataRecords(MetadataSettings settings) {
    this.calls = new CallCache(settings.limits());
  }

  /** The state of a new cluster: the root directory alone. */
  static MetadataRecords ofNewCluster(MetadataSettings settings) {
    MetadataRecords records = new MetadataRecords(settings);
    InodeRecord root =
        InodeRecord.newBuilder()
            .setId(Inodes.ROOT)
            .setOwner(settings.defaults().superuser())
            .setGroup(settings.defaults().supergroup())
            .setMode(ROOT_MODE)
            .build();
    records.replay(MetaRecord.newBuilder().setInode(root).build());
    return records;
  }

  Namespace namespace() {
    return namespace;
  }

  DeletionQueue deletions() {
    return deletions;
  }

  /** The record of the cluster; empty before anything was recorded. */
  ClusterRecordProto cluster() {
    return cluster;
  }

  /** The recorded ring map; empty before one was recorded. */
  Optional<RingMap> ring() {
    return ring;
  }

  CallCache calls() {
    return calls;
  }

  LogClock clock() {
    return clock;
  }

  /** The feature level in force. */
  int level() {
    return level;
  }

  /** Applies one record; it was decided by an operation or read from a snapshot. */
  void replay(MetaRecord record) {
    switch (record.getRecordCase()) {
      case INODE -> namespace.put(record.getInode());
      case REMOVED_INODE -> namespace.remove(record.getRemovedInode());
      case DELETION -> deletions.add(record.getDeletion());
      case DELETIONS_DONE -> deletions.done(record.getDeletionsDone());
      case ACKS -> deletions.replaceAcks(record.getAcks());
      case COUNTERS -> raise(record.getCounters());
      case CLOCK -> set(LogClock.of(record.getClock()));
      case CALL -> calls.add(record.getCall(), clock);
      case CLUSTER -> set(record.getCluster());
      case LEDGER, HEADER, RECORD_NOT_SET ->
          throw new IllegalStateException(
              "record does not change the metadata: record=" + record.getRecordCase());
    }
  }

  /** To be called when all records of a snapshot have been replayed. */
  void onLoaded() {
    calls.onLoaded(clock);
  }

  private void raise(CountersRecord counters) {
    namespace.raiseLastFileNumber(counters.getLastFileNumber());
    namespace.raiseLastDirectoryNumber(counters.getLastDirectoryNumber());
    deletions.raiseLastSequence(counters.getLastDeletionSequence());
    namespace.raiseLastChangeSequence(counters.getLastChangeSequence());
    namespace.raiseLosses(counters.getLosses(), counters.getAcceptedLosses());
    level = Math.max(level, counters.getLevel());
  }

  private void set(ClusterRecordProto record) {
    cluster = record;
    ring = record.hasRing() ? Optional.of(decoded(record)) : Optional.empty();
  }

  /** Never fails: the map was decoded once before it was recorded. */
  private static RingMap decoded(ClusterRecordProto record) {
    try {
      return RingCodec.fromProto(record.getRing());
    } catch (VdfsException e) {
      throw new IllegalStateException("the recorded ring map is unreadable", e);
    }
  }

  private void set(LogClock time) {
    clock = time;
    calls.evict(clock.ageMillis());
  }

  /** The records that make this state when they are replayed on an empty one. */
  Image image() {
    return new Image(
        counters(),
        clock,
        cluster,
        namespace.image(),
        List.copyOf(deletions.after(0)),
        deletions.acksRecord(),
        calls.all());
  }

  /**
   * A copy that stays as it is. Immutable.
   *
   * @param inodes in the order of their ids
   */
  record Image(
      CountersRecord counters,
      LogClock clock,
      ClusterRecordProto cluster,
      List<InodeRecord> inodes,
      List<DeletionProto> deletions,
      DeletionAcksRecord acks,
      List<CallRecord> calls) {
    /** The same state always gives the same bytes. */
    void write(SnapshotWriter out) throws IOException {
      MetaRecord.Builder record = MetaRecord.newBuilder();
      out.write(record.setCounters(counters).build());
      out.write(record.setClock(clock.toRecord()).build());
      if (cluster.hasCluster()) {
        out.write(record.setCluster(cluster).build());
      }
      for (InodeRecord inode : inodes) {
        out.write(record.setInode(inode).build());
      }
      for (DeletionProto deletion : deletions) {
        out.write(record.setDeletion(deletion).build());
      }
      out.write(record.setAcks(acks).build());
      for (CallRecord call : calls) {
        out.write(record.setCall(call).build());
      }
    }
  }

  private CountersRecord counters() {
    return CountersRecord.newBuilder()
        .setLastFileNumber(namespace.lastFileNumber())
        .setLastDirectoryNumber(namespace.lastDirectoryNumber())
        .setLastDeletionSequence(deletions.lastSequence())
        .setLastChangeSequence(namespace.lastChangeSequence())
        .setLosses(namespace.losses())
        .setAcceptedLosses(namespace.acceptedLosses())
        .setLevel(level)
        .build();
  }
}
