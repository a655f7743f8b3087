package io.vdfs.common.cluster;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import java.util.Optional;
import java.util.regex.Pattern;
import org.apache.zookeeper.common.PathUtils;

/** The znodes of one cluster. Immutable. */
public final class ClusterPaths {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9.-]{0,62}");

  private final String prefix;
  private final String root;

  private ClusterPaths(String prefix, String root) {
    this.prefix = prefix;
    this.root = root;
  }

  /**
   * @throws VdfsException INVALID_ARGUMENT if the name cannot be the authority of a URI or the
   *     prefix is no path
   */
  public static ClusterPaths of(String prefix, String name) throws VdfsException {
    if (!NAME.matcher(name).matches()) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          ("a cluster name has 1 to 63 letters, digits, dots and hyphens, no dot or hyphen"
                  + " first: name=%s")
              .formatted(name));
    }
    try {
      PathUtils.validatePath(prefix);
    } catch (IllegalArgumentException e) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT, "not a path in ZooKeeper: prefix=" + prefix, e);
    }
    return new ClusterPaths(prefix, below(prefix, name));
  }

  private static String below(String prefix, String name) {
    return prefix.equals("/") ? prefix + name : prefix + "/" + name;
  }

  /** Parent of all clusters. */
  String prefix() {
    return prefix;
  }

  /** The properties of the cluster called {@code name} below the same prefix. */
  String clusterOf(String name) {
    return below(prefix, name) + "/cluster";
  }

  public String root() {
    return root;
  }

  public String cluster() {
    return root + "/cluster";
  }

  public String nodes() {
    return root + "/nodes";
  }

  public String node(NodeId id) {
    return nodes() + "/" + id;
  }

  public String ring() {
    return root + "/ring";
  }

  public String metadata() {
    return root + "/metadata";
  }

  public String gone() {
    return root + "/gone";
  }

  public String controller() {
    return root + "/controller";
  }

  /** Name of the node's znode if {@code path} is one. */
  Optional<String> nodeName(String path) {
    return path.startsWith(nodes() + "/")
        ? Optional.of(path.substring(nodes().length() + 1))
        : Optional.empty();
  }
}
