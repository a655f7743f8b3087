package io.vdfs.datanode.host;

import io.vdfs.common.cluster.ClusterDirectory;
import io.vdfs.common.cluster.record.ClusterProperties;
import io.vdfs.common.cluster.record.MetadataMember;
import io.vdfs.common.concurrent.Parts;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.security.MacKey;
import io.vdfs.common.security.WriteTickets;
import io.vdfs.datanode.loop.ThreadServiceLoop;
import io.vdfs.datanode.meta.LedgerAdapter;
import io.vdfs.datanode.meta.MetadataState;
import io.vdfs.datanode.meta.group.GroupCounter;
import io.vdfs.datanode.meta.group.GroupMember;
import io.vdfs.datanode.meta.group.GroupMemberSettings;
import io.vdfs.datanode.meta.group.Peers;
import io.vdfs.datanode.meta.level.FeatureLevels;
import io.vdfs.datanode.meta.raft.RatisGroupMember;
import io.vdfs.datanode.meta.service.LeaderServices;
import io.vdfs.datanode.meta.service.LeaderSurroundings;
import io.vdfs.datanode.meta.service.LeaseSettings;
import io.vdfs.datanode.meta.service.edge.ReplicaProbe;
import io.vdfs.datanode.meta.service.ring.RingKeeping;
import io.vdfs.datanode.meta.state.FlushedLengths;
import io.vdfs.datanode.meta.state.settings.MetadataSettings;
import io.vdfs.datanode.rpc.request.CallIds;
import io.vdfs.datanode.rpc.request.Callers;
import io.vdfs.datanode.rpc.request.MetadataDispatcher;
import io.vdfs.datanode.rpc.request.RequestPreparer;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * This node's member of the metadata group with everything that serves requests through it.
 *
 * @param invitedAt version of the group's members before this one was invited; -1 for a founder
 * @param member for status displays
 * @param dispatcher answers requests
 * @param parts of the seat
 */
public record MetadataSeat(
    UUID groupId, long invitedAt, GroupMember member, MetadataDispatcher dispatcher, Parts parts)
    implements AutoCloseable {
  /**
   * The parts of the daemon that a seat needs.
   *
   * @param peerKey by which members prove themselves; none where they need not
   * @param diskProblem why this node can have no member; empty if it can
   * @param levels the feature levels that this node can carry out
   * @param metrics the counters of the seat
   */
  public record Surroundings(
      HostSettings settings,
      Optional<MacKey> peerKey,
      Optional<String> diskProblem,
      ClusterDirectory directory,
      RingNode self,
      ReplicaProbe probe,
      Peers peers,
      WriteTickets tickets,
      Callers callers,
      CallIds callIds,
      FeatureLevels levels,
      MetadataMetrics metrics) {}

  /**
   * Starts the member and the leader's services.
   *
   * @param onFailure told when the member cannot go on; the seat is to be closed, on another thread
   * @param founders with which the group begins; none where a leader takes the member up
   * @param own this node as a member
   * @throws VdfsException MISCONFIGURED if log or port can't be used
   */
  static MetadataSeat start(
      Surroundings around,
      Consumer<Throwable> onFailure,
      UUID groupId,
      List<MetadataMember> founders,
      MetadataMember own,
      long invitedAt)
      throws VdfsException {
    Parts parts = new Parts();
    boolean started = false;
    try {
      GroupMemberSettings settings = memberSettings(around, groupId, founders, own);
      MetadataSeat seat = start(around, onFailure, settings, invitedAt, parts);
      started = true;
      return seat;
    } finally {
      if (!started) {
        parts.close();
      }
    }
  }

  private static MetadataSeat start(
      Surroundings around,
      Consumer<Throwable> onFailure,
      GroupMemberSettings settings,
      long invitedAt,
      Parts parts)
      throws VdfsException {
    ClusterDirectory directory = around.directory();
    ThreadServiceLoop loop = parts.add(new ThreadServiceLoop("vdfs-leader-services"));
    FlushedLengths flushed = new FlushedLengths();
    LeaderServices services =
        new LeaderServices(
            new LeaderSurroundings(
                around.probe(),
                directory::ringMap,
                directory.properties().geometry(),
                LeaseSettings.DEFAULT,
                flushed,
                keeping(around)),
            loop);
    GroupMember member =
        parts.add(
            RatisGroupMember.start(
                settings,
                new MetadataState(
                    stateSettings(directory.properties()),
                    around.levels(),
                    new LedgerAdapter(),
                    flushed,
                    () -> around.metrics().group().increment(GroupCounter.REPEATED_CALLS)),
                services,
                onFailure,
                around.metrics().group(),
                around.peers()));
    MetadataDispatcher dispatcher =
        new MetadataDispatcher(
            member,
            new RequestPreparer(
                Clock.systemUTC(),
                directory::ringMap,
                member::level,
                Runtime.getRuntime().maxMemory() / 2),
            services,
            around.callers(),
            around.callIds(),
            around.metrics().requests(),
            around.tickets(),
            () -> directory.metadataGroup().filter(group -> group.version() > 0).isPresent());
    services.attach(dispatcher);
    return new MetadataSeat(settings.groupId(), invitedAt, member, dispatcher, parts);
  }

  /** Without a connection to ZooKeeper the last nodes that it showed say nothing. */
  private static RingKeeping keeping(Surroundings around) {
    ClusterDirectory directory = around.directory();
    return new RingKeeping(
        () ->
            directory.curator().getZookeeperClient().isConnected()
                ? Optional.of(directory.snapshot().liveRingNodes())
                : Optional.empty(),
        () ->
            directory
                .metadataGroup()
                .map(
                    group ->
                        group.members().stream()
                            .map(MetadataMember::id)
                            .collect(Collectors.toSet()))
                .orElse(Set.of()),
        directory.properties().replication(),
        around.settings().ringPatience(),
        around.metrics().ring());
  }

  @Override
  public void close() {
    parts.close();
  }

  private static MetadataSettings stateSettings(ClusterProperties properties) {
    return MetadataSettings.of(properties.geometry(), properties.superuser());
  }

  private static GroupMemberSettings memberSettings(
      Surroundings around, UUID groupId, List<MetadataMember> founders, MetadataMember own) {
    GroupMemberSettings.Tuning defaults = GroupMemberSettings.Tuning.DEFAULT;
    return new GroupMemberSettings(
        groupId,
        founders,
        own,
        around.settings().home(),
        around.settings().bindAddress(),
        around.settings().portKey(),
        around.peerKey(),
        new GroupMemberSettings.Tuning(
            around.settings().electionTimeoutMin(),
            around.settings().electionTimeoutMax(),
            defaults.requestLimit(),
            defaults.maxEntryBytes(),
            around.settings().snapshotEntries()));
  }
}
