package io.vdfs.client.io;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Nodes a writer goes on without and those under suspicion, with the reason. Confined to its
 * writer.
 */
final class ExcludedNodes {
  private final FileView view;
  private final Map<NodeId, String> excluded = new LinkedHashMap<>();
  private final Map<NodeId, String> suspects = new LinkedHashMap<>();
  private boolean anyFull;

  /**
   * @param view the exclusions it has count too
   */
  ExcludedNodes(FileView view) {
    this.view = view;
  }

  boolean covers(NodeId node, int group) {
    return excluded.containsKey(node) || view.excludes(node, group);
  }

  void suspect(ReplicaNode node, String reason) {
    suspects.putIfAbsent(node.id(), node.address() + ": " + reason);
  }

  /** Suspects a node of what it, or the one before it, said. */
  void suspect(ReplicaNode node, VdfsException error) {
    anyFull |= error.code() == ErrorCode.NO_SPACE;
    suspect(node, error.code() + " " + error.getMessage());
  }

  /**
   * What a writer fails with that has too few nodes left: NO_SPACE if one of those that failed was
   * full, since that is what somebody has to cure, else UNAVAILABLE.
   */
  VdfsException tooFew(String what) {
    return anyFull
        ? new VdfsException(
            ErrorCode.NO_SPACE, "no space left on nodes: " + what + ", failed=" + this)
        : new VdfsException(ErrorCode.UNAVAILABLE, what + ", failed=" + this);
  }

  boolean hasSuspects() {
    return !suspects.isEmpty();
  }

  Set<NodeId> suspects() {
    return Set.copyOf(suspects.keySet());
  }

  void excludeSuspects() {
    suspects.forEach(excluded::putIfAbsent);
    suspects.clear();
  }

  void clearSuspects() {
    suspects.clear();
  }

  /** Who and why, for messages. */
  @Override
  public String toString() {
    Map<NodeId, String> all = new LinkedHashMap<>(excluded);
    suspects.forEach(all::putIfAbsent);
    view.exclusions().forEach(earlier -> all.putIfAbsent(earlier.node(), "excluded before"));
    return all.toString();
  }
}
