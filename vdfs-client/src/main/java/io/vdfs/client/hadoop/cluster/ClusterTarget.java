package io.vdfs.client.hadoop.cluster;

import io.vdfs.client.meta.control.ControlAddress;
import io.vdfs.client.meta.finder.ClusterSources;
import io.vdfs.client.meta.finder.ListedNodes;
import io.vdfs.client.meta.finder.NodeFinder;
import io.vdfs.client.meta.finder.SeedNode;
import io.vdfs.client.meta.finder.ZooKeeperFinder;
import io.vdfs.common.cluster.ZooKeeperSettings;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;

/** Which cluster a URI means and how to find it. Immutable. */
public sealed interface ClusterTarget {
  /**
   * Where a client looks for it.
   *
   * @param configuration what a job tells its containers stands there
   * @param nodeManagerHost of the container that this is, if it is one
   * @param timeout of looking it up in ZooKeeper
   */
  ClusterSources sources(
      Configuration configuration, Optional<String> nodeManagerHost, Duration timeout);

  /**
   * A cluster by its name.
   *
   * @param nodes some of its nodes, asked before ZooKeeper; may be empty
   * @param zooKeeper addresses as in {@code host:port,host:port}; empty where there is only a list
   *     of nodes
   * @param key configuration key they come from
   * @param root znode below which clusters are kept
   */
  record Named(String name, List<ControlAddress> nodes, String zooKeeper, String key, String root)
      implements ClusterTarget {
    public Named {
      nodes = List.copyOf(nodes);
    }

    @Override
    public ClusterSources sources(
        Configuration configuration, Optional<String> nodeManagerHost, Duration timeout) {
      SecureRandom random = new SecureRandom();
      List<NodeFinder> finders = new ArrayList<>();
      if (!nodes.isEmpty()) {
        finders.add(new ListedNodes(nodes, ClusterKeys.nodes(name), random));
      }
      if (!zooKeeper.isEmpty()) {
        finders.add(new ZooKeeperFinder(zooKeeperSettings(timeout), name, random));
      }
      return new ClusterSources(
          Optional.of(name),
          nodeManagerHost.flatMap(host -> ClusterHints.find(configuration, name, host)),
          finders);
    }

    private ZooKeeperSettings zooKeeperSettings(Duration timeout) {
      return new ZooKeeperSettings(
          zooKeeper, key, root, ZooKeeperSettings.DEFAULT_SESSION_TIMEOUT, timeout);
    }
  }

  /** The cluster that a node belongs to. */
  record OfNode(ControlAddress address) implements ClusterTarget {
    /** The URI names the node to ask. */
    @Override
    public ClusterSources sources(
        Configuration configuration, Optional<String> nodeManagerHost, Duration timeout) {
      return ClusterSources.of(new SeedNode(address));
    }
  }
}
