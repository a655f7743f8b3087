package io.vdfs.client.hadoop.cluster;

import io.vdfs.client.meta.control.ControlAddress;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;

/**
 * Tells from a URI and the configuration which cluster is meant: {@code vdfs://NAME/} by its name,
 * {@code vdfs://host:port/} by one of its nodes, {@code vdfs:///} the default one. Stateless.
 */
public final class ClusterTargets {
  private static final Pattern HAS_PORT = Pattern.compile(".*:\\d*");

  private ClusterTargets() {}

  /**
   * The cluster that a URI means. Contacts no server.
   *
   * @param uri of which only the authority counts
   * @throws VdfsException MISCONFIGURED if the configuration doesn't know the cluster
   */
  public static ClusterTarget resolve(URI uri, Configuration configuration) throws VdfsException {
    String authority = uri.getRawAuthority();
    if (authority == null || authority.isEmpty()) {
      authority = defaultCluster(uri, configuration);
    }
    return HAS_PORT.matcher(authority).matches()
        ? node(uri, authority)
        : named(uri, authority, configuration);
  }

  private static ClusterTarget node(URI uri, String authority) throws VdfsException {
    try {
      return new ClusterTarget.OfNode(ControlAddress.parse(authority));
    } catch (IllegalArgumentException e) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          e.getMessage() + ", uri=" + uri + "; give the control port of any DataNode",
          e);
    }
  }

  private static ClusterTarget named(URI uri, String name, Configuration configuration)
      throws VdfsException {
    String zooKeeper = configuration.getTrimmed(ClusterKeys.zooKeeper(name), "");
    List<ControlAddress> nodes = nodes(name, configuration);
    if (zooKeeper.isEmpty() && nodes.isEmpty()) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          ("unknown cluster: name=%s, uri=%s, known=%s; set %s=host:port,... in"
                  + " core-site.xml, or write vdfs://host:port/")
              .formatted(name, uri, knownClusters(configuration), ClusterKeys.zooKeeper(name)));
    }
    return new ClusterTarget.Named(
        name,
        nodes,
        zooKeeper,
        ClusterKeys.zooKeeper(name),
        configuration.getTrimmed(ClusterKeys.ROOT, "/vdfs"));
  }

  private static List<ControlAddress> nodes(String name, Configuration configuration)
      throws VdfsException {
    String key = ClusterKeys.nodes(name);
    List<ControlAddress> nodes = new ArrayList<>();
    for (String address : configuration.getTrimmedStringCollection(key)) {
      try {
        nodes.add(ControlAddress.parse(address));
      } catch (IllegalArgumentException e) {
        throw new VdfsException(
            ErrorCode.MISCONFIGURED,
            e.getMessage() + ", key=" + key + "; give control ports of DataNodes: host:port,...",
            e);
      }
    }
    return nodes;
  }

  private static String defaultCluster(URI uri, Configuration configuration) throws VdfsException {
    String name = configuration.getTrimmed(ClusterKeys.DEFAULT_CLUSTER, "");
    if (!name.isEmpty()) {
      return name;
    }
    List<String> known = knownClusters(configuration);
    if (known.size() != 1) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          ("the URI names no cluster: uri=%s, known=%s; set %s in core-site.xml, or write"
                  + " vdfs://NAME/")
              .formatted(uri, known, ClusterKeys.DEFAULT_CLUSTER));
    }
    return known.get(0);
  }

  private static List<String> knownClusters(Configuration configuration) {
    TreeSet<String> names = new TreeSet<>();
    for (String suffix : List.of(ClusterKeys.ZOOKEEPER_SUFFIX, ClusterKeys.NODES_SUFFIX)) {
      Map<String, String> settings =
          configuration.getValByRegex(
              Pattern.quote(ClusterKeys.PREFIX) + ".+" + Pattern.quote(suffix) + "$");
      for (String key : settings.keySet()) {
        names.add(key.substring(ClusterKeys.PREFIX.length(), key.length() - suffix.length()));
      }
    }
    return List.copyOf(names);
  }
}
