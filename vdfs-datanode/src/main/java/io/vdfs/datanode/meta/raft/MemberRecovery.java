package io.vdfs.datanode.meta.raft;

import io.vdfs.common.cluster.record.MetadataMember;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.wire.proto.CallerProto;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.SkipSequencesOp;
import io.vdfs.datanode.meta.group.GroupConfiguration;
import io.vdfs.datanode.meta.group.GroupCounter;
import io.vdfs.datanode.meta.group.GroupMemberSettings;
import io.vdfs.datanode.meta.level.FeatureLevels;
import io.vdfs.datanode.meta.raft.batch.RequestBatch;
import io.vdfs.datanode.meta.raft.disk.DiskForce;
import io.vdfs.datanode.meta.raft.disk.LogRepair;
import io.vdfs.datanode.meta.raft.disk.MemberDirectory;
import io.vdfs.datanode.meta.raft.disk.MemberHome;
import io.vdfs.datanode.meta.raft.disk.SnapshotFiles;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftConfigurationProto;
import org.apache.ratis.proto.RaftProtos.StateMachineLogEntryProto;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftGroupMemberId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServerConfigKeys.Read;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.LogProtoUtils;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.raftlog.segmented.SegmentedRaftLog;
import org.apache.ratis.server.storage.RaftStorage.StartupOption;
import org.apache.ratis.server.storage.RaftStorageImpl;
import org.apache.ratis.server.storage.RaftStorageMetadata;
import org.apache.ratis.server.storage.StorageImplUtils;
import org.apache.ratis.statemachine.impl.SingleFileSnapshotInfo;

/**
 * Makes one surviving member of a group the only member of a new one, in its files, while nothing
 * runs on them. The new group has another id, so that no member of the old one that turns up again
 * can talk to it. Confined to one thread.
 *
 * <p>The steps are {@link #begin}, {@link #takeOver}, the publication of the new group, {@link
 * #end}. A recovery that was interrupted anywhere is taken up by doing all of them again; until
 * then the member refuses to start.
 */
public final class MemberRecovery implements Closeable {
  /** More numbers than any group gives away while a member is behind; far fewer than there are. */
  private static final long SKIPPED = 1L << 32;

  private final MemberDirectory directory;
  private final Path home;
  private final NodeId self;
  private final UUID group;

  /**
   * The findings in a member's files.
   *
   * @param group that is given up
   * @param members by the newest configuration in the log
   * @param last index of the newest log entry; it may or may not have been acknowledged to its
   *     caller
   * @param snapshot index that the newest snapshot stands as of; -1 where there is none
   */
  public record Findings(
      UUID group, GroupConfiguration members, long term, long last, long snapshot) {}

  private MemberRecovery(MemberDirectory directory, Path home, NodeId self, UUID group) {
    this.directory = directory;
    this.home = home;
    this.self = self;
    this.group = group;
  }

  /**
   * Takes hold of a member's directory.
   *
   * @throws VdfsException MISCONFIGURED if there is no member of this node or a process uses it
   */
  public static MemberRecovery open(Path home, NodeId self) throws VdfsException {
    UUID group =
        MemberHome.groupOf(home)
            .orElseThrow(
                () ->
                    new VdfsException(
                        ErrorCode.MISCONFIGURED,
                        ("no metadata member was ever here: directory=%s; run the command on a node that"
                                + " hosted one")
                            .formatted(home)));
    return new MemberRecovery(MemberDirectory.openToRecover(home, self), home, self, group);
  }

  /**
   * Cuts off a torn end of the log first, and lets go of one that ends before the snapshot, as a
   * start of the member would.
   *
   * @throws VdfsException CORRUPT if log or snapshot can't be read
   */
  public Findings findings() throws VdfsException {
    UUID now = begun().filter(begun -> Files.exists(storage(begun))).orElse(group);
    return withLog(now, opened -> opened.findings(group));
  }

  /**
   * Notes that the recovery began.
   *
   * @return id of the new group; the same one when this is done again
   */
  public UUID begin() throws VdfsException {
    Optional<UUID> before = begun();
    if (before.isPresent()) {
      return before.get();
    }
    UUID next = UUID.randomUUID();
    try {
      directory.note(MemberDirectory.RECOVERING, next.toString());
      return next;
    } catch (IOException e) {
      throw MemberDirectory.unusable(home, e);
    }
  }

  /** Id of the new group, if a recovery was begun and did not end. */
  public Optional<UUID> begun() throws VdfsException {
    try {
      String text =
          Files.readString(home.resolve(MemberDirectory.RECOVERING), StandardCharsets.UTF_8);
      return Optional.of(UUID.fromString(text.strip()));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException | IllegalArgumentException e) {
      throw MemberDirectory.unusable(home, e);
    }
  }

  /**
   * Makes the member the only one and gives its files to the new group, which leaves out the ids
   * that the lost members may have given away: block stores may hold something under those.
   *
   * @param next as {@link #begin} returned it
   * @return version of the members from now on
   */
  public long takeOver(UUID next, MetadataMember own) throws VdfsException {
    boolean moved = Files.exists(storage(next));
    long version = withLog(moved ? next : group, opened -> opened.takeOver(own));
    if (!moved) {
      try {
        Files.move(storage(group), storage(next), StandardCopyOption.ATOMIC_MOVE);
        DiskForce.REAL.names(directory.data());
      } catch (IOException e) {
        throw MemberDirectory.unusable(home, e);
      }
    }
    return version;
  }

  /** Lets the member start again. */
  public void end(UUID next) throws VdfsException {
    try {
      directory.changeGroup(next, self);
      Files.deleteIfExists(home.resolve(MemberDirectory.INVITED));
      directory.settleDoubt();
      Files.delete(home.resolve(MemberDirectory.RECOVERING));
      DiskForce.REAL.names(home);
    } catch (IOException e) {
      throw MemberDirectory.unusable(home, e);
    }
  }

  private Path storage(UUID id) {
    return directory.storage(id);
  }

  @Override
  public void close() throws IOException {
    directory.close();
  }

  private interface LogTask<T> {
    T on(OpenLog log) throws IOException;
  }

  private <T> T withLog(UUID id, LogTask<T> task) throws VdfsException {
    if (!Files.exists(storage(id))) {
      throw new VdfsException(
          ErrorCode.CORRUPT, "the member's log is missing: directory=" + storage(id));
    }
    try {
      new LogRepair(directory, id, new Counters<>(GroupCounter.class)).prepareToRecover();
      try (OpenLog log = OpenLog.open(directory.data(), id, self)) {
        return task.on(log);
      }
    } catch (VdfsException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      throw new VdfsException(
          ErrorCode.CORRUPT,
          "the member's log cannot be used: directory=%s, error=%s".formatted(storage(id), e),
          e);
    }
  }

  /** A log of Ratis, with what a server would read first. */
  private record OpenLog(
      NodeId self,
      RaftStorageImpl storage,
      RaftLog log,
      long snapshot,
      AtomicReference<RaftConfiguration> newest)
      implements Closeable {
    static OpenLog open(Path data, UUID id, NodeId self) throws IOException {
      RaftProperties properties =
          RatisProperties.of(
              data,
              "localhost",
              1,
              GroupMemberSettings.Tuning.DEFAULT,
              Read.Option.LINEARIZABLE,
              Duration.ZERO);
      RaftStorageImpl storage =
          StorageImplUtils.initRaftStorage(id.toString(), StartupOption.RECOVER, properties);
      boolean opened = false;
      try {
        SnapshotFiles snapshots = new SnapshotFiles();
        snapshots.open(storage);
        long snapshot =
            snapshots
                .newest()
                .map(SingleFileSnapshotInfo::getIndex)
                .orElse(RaftLog.INVALID_LOG_INDEX);
        RaftLog log =
            SegmentedRaftLog.newBuilder()
                .setMemberId(
                    RaftGroupMemberId.valueOf(
                        RaftPeerId.valueOf(self.toString()), RaftGroupId.valueOf(id)))
                .setSubmitUpdateCommitEvent(() -> {})
                .setStorage(storage)
                .setSnapshotIndexSupplier(() -> snapshot)
                .setProperties(properties)
                .build();
        AtomicReference<RaftConfiguration> newest =
            new AtomicReference<>(storage.readRaftConfiguration());
        log.open(
            snapshot,
            entry -> {
              if (entry.hasConfigurationEntry()) {
                newest.set(LogProtoUtils.toRaftConfiguration(entry));
              }
            });
        opened = true;
        return new OpenLog(self, storage, log, snapshot, newest);
      } finally {
        if (!opened) {
          storage.close();
        }
      }
    }

    Findings findings(UUID group) throws IOException {
      return new Findings(
          group, configuration(), log.loadMetadata().getTerm(), log.getNextIndex() - 1, snapshot);
    }

    private GroupConfiguration configuration() {
      return newest.get() == null
          ? new GroupConfiguration(-1, List.of(), List.of())
          : RatisConfiguration.read(newest.get());
    }

    /** Does nothing where the configuration is in the log already: it comes last. */
    long takeOver(MetadataMember own) throws IOException {
      GroupConfiguration now = configuration();
      if (now.isStable() && now.members().equals(List.of(own))) {
        return now.version();
      }
      TermIndex lastEntry = log.getLastEntryTermIndex();
      long lastTerm = lastEntry == null ? 0 : lastEntry.getTerm();
      long term = Math.max(log.loadMetadata().getTerm(), lastTerm) + 1;
      RaftPeer peer =
          RaftPeer.newBuilder()
              .setId(RaftPeerId.valueOf(self.toString()))
              .setAddress(own.address())
              .build();
      log.persistMetadata(RaftStorageMetadata.valueOf(term, peer.getId()));
      append(LogEntryProto.newBuilder().setStateMachineLogEntry(skip()), term);
      LogEntryProto configuration =
          append(
              LogEntryProto.newBuilder()
                  .setConfigurationEntry(
                      RaftConfigurationProto.newBuilder().addPeers(peer.getRaftPeerProto())),
              term);
      newest.set(LogProtoUtils.toRaftConfiguration(configuration));
      return configuration.getIndex() + 1;
    }

    private LogEntryProto append(LogEntryProto.Builder content, long term) throws IOException {
      LogEntryProto entry = content.setTerm(term).setIndex(log.getNextIndex()).build();
      try {
        log.appendEntry(entry).join();
        return entry;
      } catch (CompletionException e) {
        throw new IOException("not appended: entry=" + entry.getIndex(), e.getCause());
      }
    }

    /** The entry that skips ids, as a leader would have logged it. */
    private static StateMachineLogEntryProto skip() {
      MetaRequest request =
          MetaRequest.newBuilder()
              .setCaller(CallerProto.newBuilder().setUser("metadata-recover").setSuperuser(true))
              .setSkipSequences(
                  SkipSequencesOp.newBuilder().setInodes(SKIPPED).setDeletions(SKIPPED))
              .build();
      return StateMachineLogEntryProto.newBuilder()
          .setClientId(ClientId.randomId().toByteString())
          .setLogData(RequestBatch.ofMutations(FeatureLevels.FIRST, List.of(request)).getContent())
          .build();
    }

    @Override
    public void close() throws IOException {
      try (storage) {
        log.close();
      }
    }
  }
}
