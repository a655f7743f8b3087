package io.vdfs.yarn;

import java.io.IOException;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.ipc.RPC;
import org.apache.hadoop.yarn.api.records.NodeId;
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
 */
final class ResourceManagerAccess implements Controller.Updater, AutoCloseable {
  private static final int NEVER_KILL = ResourceOption.OVER_COMMIT_TIMEOUT_MILLIS_DEFAULT;
  private static final int WAIT_MILLIS = 5_000;
  private static final int PAUSE_MILLIS = 500;
  private static final int FAILOVERS = 4;

  private final Configuration conf;
  private final NodeId node;
  private ResourceManagerAdministrationProtocol protocol;

  ResourceManagerAccess(Configuration conf, NodeId node) {
    this.conf = new YarnConfiguration(conf);
    this.node = node;
    // a controller that waits a quarter of an hour, as daemons do, would not measure meanwhile
    this.conf.setInt(YarnConfiguration.RESOURCEMANAGER_CONNECT_MAX_WAIT_MS, WAIT_MILLIS);
    this.conf.setInt(YarnConfiguration.RESOURCEMANAGER_CONNECT_RETRY_INTERVAL_MS, PAUSE_MILLIS);
    this.conf.setInt(YarnConfiguration.CLIENT_FAILOVER_MAX_ATTEMPTS, FAILOVERS);
    this.conf.setInt(YarnConfiguration.CLIENT_FAILOVER_SLEEPTIME_BASE_MS, PAUSE_MILLIS);
    this.conf.setInt(YarnConfiguration.CLIENT_FAILOVER_SLEEPTIME_MAX_MS, PAUSE_MILLIS);
  }

  /**
   * Replaces what the node advertises; running containers stay, even if they hold more.
   *
   * @param memory in MiB
   * @throws IOException if no ResourceManager made the change
   */
  @Override
  public void update(int vcores, long memory) throws IOException {
    ResourceOption option =
        ResourceOption.newInstance(Resource.newInstance(memory, vcores), NEVER_KILL);
    try {
      protocol().updateNodeResource(UpdateNodeResourceRequest.newInstance(Map.of(node, option)));
    } catch (YarnException e) {
      close();
      throw new IOException(e.getMessage(), e);
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  private ResourceManagerAdministrationProtocol protocol() throws IOException {
    if (protocol == null) {
      protocol = ClientRMProxy.createRMProxy(conf, ResourceManagerAdministrationProtocol.class);
    }
    return protocol;
  }

  /** Closes the connection; the next update makes a new one. */
  @Override
  public void close() {
    if (protocol != null) {
      RPC.stopProxy(protocol);
      protocol = null;
    }
  }
}
