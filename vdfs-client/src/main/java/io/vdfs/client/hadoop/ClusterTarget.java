package io.vdfs.client.hadoop;

import io.vdfs.client.meta.ControlAddress;
import io.vdfs.client.meta.NodeFinder;
import io.vdfs.client.meta.NodeHint;
import io.vdfs.client.meta.SeedNode;
import io.vdfs.client.meta.ZooKeeperFinder;
import io.vdfs.common.cluster.ZooKeeperSettings;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;

/** Which cluster a URI means and how to find it. Immutable. */
sealed interface ClusterTarget {
  /**
   * @param timeout of looking it up
   */
  NodeFinder finder(Duration timeout);

  /** What a job's configuration tells its containers of the node on {@code host}. */
  Optional<NodeHint> hint(Configuration job, String host);

  /**
   * A cluster by its name.
   *
   * @param zooKeeper addresses as in {@code host:port,host:port}
   * @param key configuration key they come from
   * @param root znode below which clusters are kept
   */
  record Named(String name, String zooKeeper, String key, String root) implements ClusterTarget {
    @Override
    public NodeFinder finder(Duration timeout) {
      ZooKeeperSettings settings =
          new ZooKeeperSettings(
              zooKeeper, key, root, ZooKeeperSettings.DEFAULT_SESSION_TIMEOUT, timeout);
      return new ZooKeeperFinder(settings, name, new SecureRandom());
    }

    @Override
    public Optional<NodeHint> hint(Configuration job, String host) {
      return ClusterHints.find(job, name, host);
    }
  }

  /** The cluster that a node belongs to. */
  record OfNode(ControlAddress address) implements ClusterTarget {
    @Override
    public NodeFinder finder(Duration timeout) {
      return new SeedNode(address);
    }

    /** Empty: the URI names the node to ask. */
    @Override
    public Optional<NodeHint> hint(Configuration job, String host) {
      return Optional.empty();
    }
  }
}
