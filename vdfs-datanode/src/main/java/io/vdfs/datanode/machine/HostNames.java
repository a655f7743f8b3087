package io.vdfs.datanode.machine;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingNode;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Looks up the names of hosts as this machine knows them. Immutable; asks the resolver each time.
 */
public final class HostNames {
  /** The names of this machine's resolver. */
  public static final HostNames SYSTEM = new HostNames(InetAddress::getAllByName);

  /** Stands for all addresses of a machine. */
  public static final String ALL = "0.0.0.0";

  /** Finds the addresses of a name, at least one. */
  @FunctionalInterface
  interface Resolver {
    InetAddress[] resolve(String host) throws UnknownHostException;
  }

  private final Resolver resolver;

  HostNames(Resolver resolver) {
    this.resolver = resolver;
  }

  /**
   * The address at which a node listens by default: all addresses, as its name may mean another one
   * here than elsewhere; but this machine's own where its name means this machine alone.
   *
   * @param host name of the node
   */
  public String listenAt(String host) {
    return isLoopback(host) ? host : ALL;
  }

  /**
   * Refuses a node whose name means, on each machine, that machine itself, as {@code localhost}
   * does, while there are nodes elsewhere.
   *
   * @param host name of the node
   * @param id of the node
   * @param registered nodes of the cluster, this one perhaps among them
   * @throws VdfsException MISCONFIGURED naming the name, its addresses, such a node and the cure
   */
  public void requireReachable(String host, NodeId id, Collection<RingNode> registered)
      throws VdfsException {
    if (!isLoopback(host)) {
      return;
    }
    Optional<RingNode> elsewhere =
        registered.stream()
            .filter(node -> !node.id().equals(id) && isElsewhere(node.host()))
            .findFirst();
    if (elsewhere.isPresent()) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          ("the name of this node means this machine alone, but the cluster has a node"
                  + " elsewhere: host=%s, addresses=%s, other=%s; set vdfs.node.host to a name that"
                  + " leads here from other machines, or correct /etc/hosts")
              .formatted(host, addresses(host), elsewhere.get().host()));
    }
  }

  /** Whether a name is known and means this machine alone. */
  private boolean isLoopback(String host) {
    List<InetAddress> found = addresses(host);
    return !found.isEmpty() && found.stream().allMatch(InetAddress::isLoopbackAddress);
  }

  private boolean isElsewhere(String host) {
    List<InetAddress> found = addresses(host);
    return !found.isEmpty() && found.stream().noneMatch(InetAddress::isLoopbackAddress);
  }

  /** None where the name is not known here. */
  private List<InetAddress> addresses(String host) {
    try {
      return Arrays.asList(resolver.resolve(host));
    } catch (UnknownHostException e) {
      return List.of(); // the caller that needs the address says so
    }
  }
}
