package io.vdfs.yarn;

import java.io.IOException;
import java.util.EnumSet;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.yarn.api.ApplicationClientProtocol;
import org.apache.hadoop.yarn.api.protocolrecords.GetClusterNodesRequest;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.NodeState;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceOption;
import org.apache.hadoop.yarn.client.ClientRMProxy;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.exceptions.YarnException;
import org.apache.hadoop.yarn.server.api.ResourceManagerAdministrationProtocol;
import org.apache.hadoop.yarn.server.api.protocolrecords.UpdateNodeResourceRequest;

/**
 * Tells the active ResourceManager what a node advertises. The only class that knows the protocol,
 * which Hadoop calls private although its commands use it. Confined to one thread.
 *
 * <p>A node that is being decommissioned is left alone: the ResourceManager has it advertise what
 * its containers hold, so that none come, and would kill those that come after a change.
 */
final class ResourceManagerAccess implements Controller.Updater, AutoCloseable {
  private static final int NEVER_KILL = ResourceOption.OVER_COMMIT_TIMEOUT_MILLIS_DEFAULT;
  private static final int WAIT_MILLIS = 1_000;
  private static final int PAUSE_MILLIS = 500;
  private static final int FAILOVERS = 4;

  private final Configuration conf;
  private final NodeId node;
  private ResourceManagerAdministrationProtocol administration;
  private ApplicationClientProtocol states;

  ResourceManagerAccess(Configuration conf, NodeId node) {
    this.conf = new YarnConfiguration(conf);
    this.node = node;
    // a controller that waits a quarter of an hour, as daemons do, would not measure meanwhile
    this.conf.setInt(YarnConfiguration.RESOURCEMANAGER_CONNECT_MAX_WAIT_MS, WAIT_MILLIS);
    this.conf.setInt(YarnConfiguration.RESOURCEMANAGER_CONNECT_RETRY_INTERVAL_MS, PAUSE_MILLIS);
    this.conf.setInt(YarnConfiguration.CLIENT_FAILOVER_MAX_ATTEMPTS, FAILOVERS);
    this.conf.setInt(YarnConfiguration.CLIENT_FAILOVER_SLEEPTIME_BASE_MS, PAUSE_MILLIS);
    this.conf.setInt(YarnConfiguration.CLIENT_FAILOVER_SLEEPTIME_MAX_MS, PAUSE_MILLIS);
    // below these, Hadoop's IPC would try each time ten times, or 45 times where nobody answers
    this.conf.setInt(CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_MAX_RETRIES_KEY, 0);
    this.conf.setInt(
        CommonConfigurationKeysPublic.IPC_CLIENT_CONNECT_MAX_RETRIES_ON_SOCKET_TIMEOUTS_KEY, 0);
  }

  /**
   * Replaces what the node advertises; running containers stay, even if they hold more.
   *
   * @param memory in MiB
   * @throws IOException if no ResourceManager made the change, or the node is being decommissioned
   */
  @Override
  public void update(int vcores, long memory) throws IOException {
    ResourceOption option =
        ResourceOption.newInstance(Resource.newInstance(memory, vcores), NEVER_KILL);
    try {
      if (isLeaving()) {
        throw new IOException(node + " is being decommissioned");
      }
      administration()
          .updateNodeResource(UpdateNodeResourceRequest.newInstance(Map.of(node, option)));
    } catch (YarnException e) {
      close();
      throw new IOException(e.getMessage(), e);
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  /** Only the ResourceManager knows: it does not tell its nodes. */
  private boolean isLeaving() throws IOException, YarnException {
    if (states == null) {
      states = ClientRMProxy.createRMProxy(conf, ApplicationClientProtocol.class);
    }
    return states
        .getClusterNodes(GetClusterNodesRequest.newInstance(EnumSet.of(NodeState.DECOMMISSIONING)))
        .getNodeReports()
        .stream()
        .anyMatch(report -> report.getNodeId().equals(node));
  }

  private ResourceManagerAdministrationProtocol administration() throws IOException {
    if (administration == null) {
      administration =
          ClientRMProxy.createRMProxy(conf, ResourceManagerAdministrationProtocol.class);
    }
    return administration;
  }

  /** Closes the connections; the next update makes new ones. */
  @Override
  public void close() {
    if (states != null) {
      RPC.stopProxy(states);
      states = null;
    }
    if (administration != null) {
      RPC.stopProxy(administration);
      administration = null;
    }
  }
}
