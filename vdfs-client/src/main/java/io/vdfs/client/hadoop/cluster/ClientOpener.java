package io.vdfs.client.hadoop.cluster;

import io.vdfs.client.VdfsClient;
import io.vdfs.client.dataplane.DataPlaneContent;
import io.vdfs.client.io.BufferBudget;
import io.vdfs.client.io.IoSettings;
import io.vdfs.client.ledger.LedgerClient;
import io.vdfs.client.meta.LeaseRenewer;
import io.vdfs.client.meta.MetadataClient;
import io.vdfs.client.meta.cluster.ClusterView;
import io.vdfs.client.meta.control.ControlCalls;
import io.vdfs.client.meta.control.NodeCalls;
import io.vdfs.client.meta.retry.RetryClock;
import io.vdfs.client.meta.retry.RetryPolicy;
import io.vdfs.client.place.LocalHosts;
import io.vdfs.client.place.LocalNode;
import io.vdfs.common.rpc.ControlClient;
import io.vdfs.common.rpc.ControlClientSettings;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.UUID;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.security.UserGroupInformation;

/** Assembles a client. Contacts no server. */
public final class ClientOpener {
  private ClientOpener() {}

  /**
   * A client that is not shared yet.
   *
   * @param configuration the settings of Hadoop's calls, and what a job tells its containers
   * @param user in whose name the cluster is called
   * @return to be closed by the caller
   */
  public static VdfsClient open(
      ClientKey key, Configuration configuration, UserGroupInformation user) {
    ClientSettings settings = key.settings();
    BufferBudget.JVM.setLimit(settings.bufferPercent());
    ControlClient control =
        new ControlClient(
            configuration,
            user,
            new ControlClientSettings(settings.connectTimeout(), settings.callTimeout()));
    ControlCalls calls =
        (node, method, body) ->
            control.call(NetUtils.createSocketAddrForHost(node.host(), node.port()), method, body);
    RetryClock clock = RetryClock.SYSTEM;
    Optional<String> nodeManagerHost = Optional.ofNullable(System.getenv("NM_HOST"));
    ClusterView cluster =
        new ClusterView(
            key.target().sources(configuration, nodeManagerHost, settings.zooKeeperTimeout()),
            calls,
            settings.clusterRefresh(),
            settings.retryTime(),
            clock);
    MetadataClient metadata =
        new MetadataClient(
            cluster,
            calls,
            RetryPolicy.within(settings.retryTime()),
            clock,
            new SecureRandom(),
            UUID.randomUUID());
    LocalNode local = new LocalNode(nodeManagerHost, LocalHosts::names);
    return new VdfsClient(
        metadata,
        cluster,
        new DataPlaneContent(
            metadata,
            cluster,
            local,
            settings.connectTimeout(),
            IoSettings.DEFAULT
                .with(
                    settings.nodesWait(),
                    settings.readersWait(),
                    settings.readTimeout(),
                    settings.delivery(),
                    settings.localFetchPercent())
                .withCloseUnforced(settings.closeUnforced())),
        new LeaseRenewer(metadata, cluster, UUID.randomUUID(), settings.leaseRenewal()),
        new LedgerClient(metadata, cluster, calls, local, clock),
        new NodeCalls(calls),
        control::close);
  }
}
