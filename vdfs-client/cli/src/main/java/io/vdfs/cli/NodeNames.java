package io.vdfs.cli;

import io.vdfs.client.CopiesReport;
import io.vdfs.client.CopiesReport.Node;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Finds the nodes that a command line names by host, {@code host:port} or id. A wiped node has the
 * address of the one that it was, so that of several those go first that suit the command.
 * Immutable.
 */
final class NodeNames {
  private static final Pattern ID =
      Pattern.compile("[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}");

  private final CopiesReport copies;

  NodeNames(CopiesReport copies) {
    this.copies = copies;
  }

  /**
   * Ids in the order of the names. An id is taken as it is: the leader may know more than it tells.
   *
   * @param suits of several nodes of a name, which are meant
   * @throws VdfsException INVALID_ARGUMENT if a name is no node's, or several nodes'
   */
  List<NodeId> ids(List<String> names, Predicate<Node> suits) throws VdfsException {
    List<NodeId> ids = new ArrayList<>();
    for (String name : names) {
      ids.add(ID.matcher(name).matches() ? new NodeId(UUID.fromString(name)) : find(name, suits));
    }
    return ids;
  }

  private NodeId find(String name, Predicate<Node> suits) throws VdfsException {
    List<Node> called =
        copies.nodes().stream()
            .filter(node -> node.host().equals(name) || address(node).equals(name))
            .toList();
    List<Node> meant = called.size() > 1 ? called.stream().filter(suits).toList() : called;
    if (meant.size() != 1) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "%s called so: name=%s; say host:port or id of one of %s"
              .formatted(
                  called.isEmpty() ? "no node is" : "not exactly one node that suits is",
                  name,
                  copies.nodes().stream()
                      .map(node -> address(node) + " (" + node.id() + ")")
                      .toList()));
    }
    return meant.get(0).id();
  }

  static String address(Node node) {
    return node.host() + ":" + node.controlPort();
  }
}
