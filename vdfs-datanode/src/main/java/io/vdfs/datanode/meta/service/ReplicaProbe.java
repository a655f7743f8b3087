package io.vdfs.datanode.meta.service;

import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import java.util.concurrent.CompletableFuture;

/**
 * Questions to the nodes that hold a file. Thread-safe, never blocks; futures fail with {@link
 * io.vdfs.common.error.VdfsException}: UNAVAILABLE if the node can't be reached, FENCED if it has
 * seen a higher epoch.
 */
public interface ReplicaProbe {
  /**
   * What a node holds of a group.
   *
   * @param length bytes from the group's first byte on that readers may see
   * @param writeEpoch highest epoch that the node has seen for the group
   */
  record Extent(long length, int writeEpoch) {}

  CompletableFuture<Extent> visibleLength(NodeId node, FileKey file, int group);

  /** Refuses from now on, also after a restart, writers of the group below {@code epoch}. */
  CompletableFuture<Extent> fence(NodeId node, FileKey file, int group, int epoch);

  /** Cuts the group to {@code length} bytes, at most what the node holds, as of {@code epoch}. */
  CompletableFuture<Extent> truncateGroup(
      NodeId node, FileKey file, int group, long length, int epoch);
}
