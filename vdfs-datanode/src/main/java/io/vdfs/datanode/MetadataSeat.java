package io.vdfs.datanode;

import io.vdfs.common.cluster.ClusterDirectory;
import io.vdfs.common.cluster.ClusterProperties;
import io.vdfs.common.cluster.MetadataGroup;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.datanode.meta.LedgerAdapter;
import io.vdfs.datanode.meta.MetadataState;
import io.vdfs.datanode.meta.raft.GroupCounter;
import io.vdfs.datanode.meta.raft.GroupMember;
import io.vdfs.datanode.meta.raft.GroupMemberSettings;
import io.vdfs.datanode.meta.raft.RatisGroupMember;
import io.vdfs.datanode.meta.service.LeaderServices;
import io.vdfs.datanode.meta.service.LeaseSettings;
import io.vdfs.datanode.meta.service.ReplicaProbe;
import io.vdfs.datanode.meta.service.ThreadServiceLoop;
import io.vdfs.datanode.meta.state.MetadataSettings;
import io.vdfs.datanode.rpc.CallIds;
import io.vdfs.datanode.rpc.Callers;
import io.vdfs.datanode.rpc.MetadataDispatcher;
import io.vdfs.datanode.rpc.RequestPreparer;
import java.time.Clock;
import java.util.function.Consumer;

/**
 * This node's member of the metadata group with everything that serves requests through it. Started
 * on nodes that founded the group.
 *
 * @param member for status displays
 * @param dispatcher answers requests
 */
record MetadataSeat(GroupMember member, MetadataDispatcher dispatcher) {
  /**
   * What a seat needs of the daemon.
   *
   * @param onFailure told when this node's copy of the metadata can no longer be trusted
   * @param metrics what the seat counts
   */
  record Surroundings(
      DaemonSettings settings,
      ClusterDirectory directory,
      NodeId self,
      ReplicaProbe probe,
      Callers callers,
      CallIds callIds,
      Consumer<Throwable> onFailure,
      MetadataMetrics metrics) {}

  /**
   * Starts the member and the leader's services.
   *
   * @param parts takes over what was started
   * @throws VdfsException MISCONFIGURED if log or port can't be used
   */
  static MetadataSeat start(Surroundings around, MetadataGroup group, Parts parts)
      throws VdfsException {
    ClusterDirectory directory = around.directory();
    ThreadServiceLoop loop = parts.add(new ThreadServiceLoop("vdfs-leader-services"));
    LeaderServices services =
        new LeaderServices(
            new LeaderServices.World(
                around.probe(),
                directory::ringMap,
                directory.properties().geometry(),
                LeaseSettings.DEFAULT),
            loop);
    GroupMember member =
        parts.add(
            RatisGroupMember.start(
                memberSettings(around, group),
                new MetadataState(
                    stateSettings(directory.properties()),
                    new LedgerAdapter(),
                    () -> around.metrics().group().increment(GroupCounter.REPEATED_CALLS)),
                services,
                around.onFailure(),
                around.metrics().group()));
    MetadataDispatcher dispatcher =
        new MetadataDispatcher(
            member,
            new RequestPreparer(Clock.systemUTC(), directory::ringMap),
            services,
            around.callers(),
            around.callIds(),
            around.metrics().requests());
    services.attach(dispatcher);
    return new MetadataSeat(member, dispatcher);
  }

  private static MetadataSettings stateSettings(ClusterProperties properties) {
    return MetadataSettings.of(properties.geometry(), properties.superuser());
  }

  private static GroupMemberSettings memberSettings(Surroundings around, MetadataGroup group) {
    GroupMemberSettings.Tuning defaults = GroupMemberSettings.Tuning.DEFAULT;
    return new GroupMemberSettings(
        group,
        around.self(),
        around.settings().metadataDirectory().resolve("raft"),
        around.settings().bindAddress(),
        DaemonSettings.RAFT_PORT.key(),
        new GroupMemberSettings.Tuning(
            around.settings().electionTimeoutMin(),
            around.settings().electionTimeoutMax(),
            defaults.requestLimit(),
            defaults.maxEntryBytes(),
            defaults.snapshotEntries()));
  }
}
