package io.vdfs.cli.cluster;

import io.vdfs.client.admin.CopiesReport;
import io.vdfs.client.meta.cluster.ClusterDescription;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingNode;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Finds the nodes that a command line names by host, {@code host:port} of the control port, or id.
 * Immutable.
 *
 * @param <N> type that stands for a node
 */
public final class NodeNames<N> {
  /** How the command line may name a node. */
  public static final String NODE = "A node: its host, host:port or id.";

  private static final Pattern ID =
      Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");

  private final List<Named<N>> nodes;

  private record Named<N>(N node, NodeId id, String host, String address) {
    boolean is(String name) {
      return host.equals(name) || address.equals(name) || id.toString().equalsIgnoreCase(name);
    }
  }

  private NodeNames(List<Named<N>> nodes) {
    this.nodes =
        nodes.stream()
            .sorted(
                Comparator.comparing((Named<N> node) -> NodeTable.sortable(node.address()))
                    .thenComparing(Named::id))
            .toList();
  }

  /** Of the nodes of the ring map. */
  public static NodeNames<RingNode> of(ClusterDescription cluster) {
    return new NodeNames<>(
        cluster.ring().nodes().values().stream()
            .map(node -> new Named<>(node, node.id(), node.host(), NodeTable.address(node)))
            .toList());
  }

  /** Of the nodes of the ring map, and further ones that are alive. */
  public static NodeNames<CopiesReport.Node> of(CopiesReport copies) {
    return new NodeNames<>(
        copies.nodes().stream()
            .map(node -> new Named<>(node, node.id(), node.host(), address(node)))
            .toList());
  }

  public static String address(CopiesReport.Node node) {
    return node.host() + ":" + node.controlPort();
  }

  /**
   * The node of that name.
   *
   * @throws VdfsException INVALID_ARGUMENT if no node or several nodes have that name; the message
   *     lists those that may be meant
   */
  public N node(String name) throws VdfsException {
    return find(name, any -> true).node();
  }

  /**
   * Ids of the nodes of these names, each once, in the order of the names. An id is taken as it is:
   * the leader knows nodes that it does not report, such as one that left and does not run.
   *
   * @param suits which are meant if several nodes have a name: a wiped node has the address of its
   *     predecessor
   * @throws VdfsException as {@link #node}
   */
  public List<NodeId> ids(List<String> names, Predicate<N> suits) throws VdfsException {
    Set<NodeId> ids = new LinkedHashSet<>();
    for (String name : names) {
      Optional<UUID> id = id(name);
      ids.add(id.isPresent() ? new NodeId(id.get()) : find(name, suits).id());
    }
    return List.copyOf(ids);
  }

  /** The id that a name is; empty if it is none. */
  public static Optional<UUID> id(String name) {
    return ID.matcher(name).matches() ? Optional.of(UUID.fromString(name)) : Optional.empty();
  }

  private Named<N> find(String name, Predicate<N> suits) throws VdfsException {
    List<Named<N>> called = nodes.stream().filter(node -> node.is(name)).toList();
    List<Named<N>> meant =
        called.size() > 1
            ? called.stream().filter(node -> suits.test(node.node())).toList()
            : called;
    if (meant.size() != 1) {
      List<Named<N>> candidates = called.isEmpty() ? nodes : called;
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "%s called so: name=%s; say host:port or id of one of %s"
              .formatted(
                  called.isEmpty() ? "no node is" : "not exactly one node that suits is",
                  name,
                  candidates.stream()
                      .map(node -> node.address() + " (" + node.id() + ")")
                      .toList()));
    }
    return meant.get(0);
  }
}
