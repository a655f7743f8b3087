package io.vdfs.client.ledger;

import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.model.StreamId;
import java.util.List;
import java.util.Set;

/**
 * The input of a job as it is to stand in the ledger. Immutable.
 *
 * @param geometry of the cluster
 * @param nodes that hold blocks of the input, or may draw some
 * @param files none of length 0
 */
public record StreamPlan(
    StreamId stream, Draws draws, ClusterGeometry geometry, List<Node> nodes, List<File> files) {

  public StreamPlan {
    nodes = List.copyOf(nodes);
    files = List.copyOf(files);
  }

  /**
   * How the job's tasks draw.
   *
   * @param tasks logical splits, at least 1
   * @param surplus how many of the tasks are beyond those that run at once; they take over where
   *     others yield
   * @param wholeGroups whether a run is always a whole group
   * @param audited whether the job audits at commit: only then may tasks close their lists early
   * @param stealing whether tasks take blocks of other nodes once their own has none left
   */
  public record Draws(
      int tasks, int surplus, boolean wholeGroups, boolean audited, boolean stealing) {}

  /**
   * A node of the cluster.
   *
   * @param neighbours other nodes some of whose blocks it holds replicas of
   */
  public record Node(NodeId id, Set<NodeId> neighbours) {
    public Node {
      neighbours = Set.copyOf(neighbours);
    }
  }

  /**
   * A file, all of whose blocks are handed out.
   *
   * @param path without scheme and authority
   * @param owners of its groups, in order; nodes of the plan
   */
  public record File(FileKey key, long length, String path, List<NodeId> owners) {
    public File {
      owners = List.copyOf(owners);
    }
  }

  long blocks() {
    return files.stream().mapToLong(file -> geometry.blockCount(file.length())).sum();
  }

  long bytes() {
    return files.stream().mapToLong(File::length).sum();
  }
}
