package io.vdfs.datanode.meta.service.edge;

import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.LeaseBound;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.store.VerifiedGroup;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The questions and orders of recovery to the nodes that hold a file. Thread-safe, never blocks;
 * futures fail with {@link io.vdfs.common.error.VdfsException}: UNAVAILABLE if the node can't be
 * reached, FENCED if it has seen a higher epoch.
 */
public interface ReplicaProbe {
  /**
   * The part of a group that a node holds, by its footers.
   *
   * @param length bytes from the group's first byte on that count under the file's lease
   * @param held as {@code length}, under whichever lease they were written
   * @param writeEpoch highest epoch that the node has seen for the group
   */
  record Extent(long length, long held, int writeEpoch) {}

  /**
   * The part of a group that a node is to copy from another one.
   *
   * @param source a node whose bytes have been read back
   * @param firstBlock of the group; those before it stay as they are
   * @param length bytes of the group that the node holds then, and no more
   * @param epoch with which it holds them
   * @param primary whether the node owns the group
   */
  record Copy(NodeId source, int firstBlock, long length, int epoch, boolean primary) {}

  /**
   * Refuses from now on, also after a restart, writers of the group below {@code epoch}. Quick:
   * nothing is read back.
   */
  CompletableFuture<Extent> fence(
      NodeId node, FileKey file, int group, int epoch, LeaseBound lease);

  /**
   * Forces what the node holds and reads back what counts of the group under the lease.
   *
   * @param marks lengths of the group up to which to sum up its block, too
   * @param limit of it all
   */
  CompletableFuture<VerifiedGroup> verify(
      NodeId node, FileKey file, int group, LeaseBound lease, List<Long> marks, Duration limit);

  /** Cuts the group to {@code length} bytes, at most what the node holds, as of {@code epoch}. */
  CompletableFuture<Extent> truncateGroup(
      NodeId node, FileKey file, int group, long length, int epoch);

  /**
   * Has the node copy a group from another one, durably.
   *
   * @param limit of it all
   */
  CompletableFuture<Extent> copy(NodeId node, FileKey file, int group, Copy copy, Duration limit);
}
