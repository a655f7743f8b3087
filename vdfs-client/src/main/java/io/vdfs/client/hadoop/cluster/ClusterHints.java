package io.vdfs.client.hadoop.cluster;

import io.vdfs.client.meta.cluster.ClusterDescription;
import io.vdfs.client.meta.control.ControlAddress;
import io.vdfs.client.meta.finder.NodeHint;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the containers of a job where the DataNodes are, so that each asks the one on its own host
 * first and thousands of them do not look in ZooKeeper: {@code fs.vdfs.cluster.NAME.node.hints}
 * holds the cluster's id and the nodes' control addresses, with blanks between. Stateless.
 */
public final class ClusterHints {
  /** A job's configuration is read by every container: with more nodes, some look in ZooKeeper. */
  static final int MOST_NODES = 1000;

  private static final Logger LOG = LoggerFactory.getLogger(ClusterHints.class);

  private ClusterHints() {}

  /** Puts the live nodes of {@code cluster} into the configuration of a job to be submitted. */
  public static void publish(Configuration job, ClusterDescription cluster) {
    Stream<String> nodes =
        cluster.live().stream()
            .flatMap(node -> cluster.address(node).stream())
            .map(ControlAddress::toString)
            .limit(MOST_NODES);
    job.set(
        ClusterKeys.hints(cluster.name()),
        cluster.properties().clusterId() + nodes.map(n -> " " + n).collect(Collectors.joining()));
  }

  /**
   * The node of a cluster on {@code host}, as the job's client saw it; empty where it saw none.
   * What can't be read is reported in the log and passed over.
   *
   * @param cluster its name
   */
  static Optional<NodeHint> find(Configuration configuration, String cluster, String host) {
    String[] words = configuration.getTrimmed(ClusterKeys.hints(cluster), "").split(" +");
    try {
      for (int i = 1; i < words.length; i++) {
        ControlAddress node = ControlAddress.parse(words[i]);
        if (node.host().equals(host)) {
          return Optional.of(new NodeHint(UUID.fromString(words[0]), node));
        }
      }
    } catch (IllegalArgumentException e) {
      LOG.warn("Ignoring a hint: {}={}", ClusterKeys.hints(cluster), String.join(" ", words), e);
    }
    return Optional.empty();
  }
}
