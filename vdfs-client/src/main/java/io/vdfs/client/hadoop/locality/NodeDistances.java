package io.vdfs.client.hadoop.locality;

import io.vdfs.client.VdfsClient;
import io.vdfs.client.io.replica.ReplicaNode;
import io.vdfs.client.meta.cluster.ClusterDescription;
import io.vdfs.client.place.LocalHosts;
import io.vdfs.client.place.LocalNode;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.net.AbstractDNSToSwitchMapping;
import org.apache.hadoop.net.DNSToSwitchMapping;
import org.apache.hadoop.net.NetUtils;
import org.apache.hadoop.net.NetworkTopology;
import org.apache.hadoop.net.NodeBase;
import org.apache.hadoop.net.ScriptBasedMapping;
import org.apache.hadoop.util.ReflectionUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How far nodes are from this machine, as Hadoop counts the steps in its tree of racks. The racks
 * are what Hadoop's {@code net.topology.*} settings say, by a script, a table or a class, and where
 * these say nothing, what the nodes publish of themselves. Each host is looked up once, after the
 * first read from it. A host whose rack is unknown counts as one of another rack; so does every
 * host if this machine's rack is unknown. Thread-safe.
 */
public final class NodeDistances {
  static final int SAME_HOST = 0;

  /** Up to the rack, and down again. */
  static final int SAME_RACK = 2;

  private static final int OTHER_RACK = 4;
  private static final Logger LOG = LoggerFactory.getLogger(NodeDistances.class);

  private final Supplier<DNSToSwitchMapping> hadoop;
  private final Supplier<String> ownHost;
  private final Published published;
  private final Map<String, Integer> known = new ConcurrentHashMap<>();
  private DNSToSwitchMapping mapping; // guarded by this

  /** What nodes publish of themselves. */
  @FunctionalInterface
  interface Published {
    /** The racks of this machine's node and of another one, in this order. */
    List<String> racks(NodeId node);
  }

  /**
   * @param hadoop makes the mapping of Hadoop's settings, when it is needed
   * @param ownHost as these settings name it; asked for when needed
   */
  NodeDistances(
      Supplier<DNSToSwitchMapping> hadoop, Supplier<String> ownHost, Published published) {
    this.hadoop = hadoop;
    this.ownHost = ownHost;
    this.published = published;
  }

  /**
   * As the settings say, from the host that YARN tells its containers, else from this one. Looks
   * nothing up yet.
   *
   * @param client asked for what nodes publish, as far as it knows that
   */
  public static NodeDistances of(Configuration configuration, VdfsClient client) {
    Optional<String> nodeManagerHost = Optional.ofNullable(System.getenv("NM_HOST"));
    LocalNode local = new LocalNode(nodeManagerHost, LocalHosts::names);
    return new NodeDistances(
        () -> mapping(configuration),
        () -> nodeManagerHost.orElseGet(NetUtils::getLocalHostname),
        node -> racks(client.knownCluster(), local, node));
  }

  private static DNSToSwitchMapping mapping(Configuration configuration) {
    return ReflectionUtils.newInstance(
        configuration.getClass(
            CommonConfigurationKeysPublic.NET_TOPOLOGY_NODE_SWITCH_MAPPING_IMPL_KEY,
            ScriptBasedMapping.class,
            DNSToSwitchMapping.class),
        configuration);
  }

  /**
   * A host of no node, and a node that is not known here yet, have the rack that Hadoop assumes.
   */
  private static List<String> racks(
      Optional<ClusterDescription> cluster, LocalNode local, NodeId node) {
    Optional<RingNode> own = cluster.flatMap(c -> local.find(c).flatMap(c.ring()::node));
    Optional<RingNode> other = cluster.flatMap(c -> c.ring().node(node));
    return Stream.of(own, other)
        .map(known -> known.map(RingNode::rack).orElse(NetworkTopology.DEFAULT_RACK))
        .toList();
  }

  /** {@link #SAME_HOST}, {@link #SAME_RACK}, or more. */
  int to(ReplicaNode node) {
    return node.local()
        ? SAME_HOST
        : known.computeIfAbsent(node.address().host(), host -> distanceTo(node));
  }

  private int distanceTo(ReplicaNode node) {
    try {
      List<String> racks = racks(node);
      return NetworkTopology.getDistanceByPath(
          new NodeBase("this", racks.get(0)), new NodeBase("other", racks.get(1)));
    } catch (IOException | RuntimeException e) {
      LOG.warn("reads count as of another rack, as the racks are not known: node={}", node, e);
      return OTHER_RACK;
    }
  }

  /** One call at a time, as a mapping need not be thread-safe. */
  private synchronized List<String> racks(ReplicaNode node) throws IOException {
    if (mapping == null) {
      mapping = hadoop.get();
    }
    if (AbstractDNSToSwitchMapping.isMappingSingleSwitch(mapping)) {
      return published.racks(node.id());
    }
    List<String> hosts = new ArrayList<>(List.of(ownHost.get(), node.address().host()));
    List<String> racks = mapping.resolve(hosts);
    if (racks == null || racks.size() != hosts.size()) {
      throw new IOException("no rack for each host: hosts=" + hosts + ", racks=" + racks);
    }
    return racks;
  }
}
