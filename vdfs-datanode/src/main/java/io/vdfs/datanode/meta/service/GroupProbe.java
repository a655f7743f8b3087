package io.vdfs.datanode.meta.service;

import io.vdfs.common.concurrent.Causes;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.LeaseBound;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.store.VerifiedGroup;
import io.vdfs.datanode.loop.Futures;
import io.vdfs.datanode.meta.service.edge.ReplicaProbe;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Asks the nodes of one group, all at once, and waits for each no longer than its limit. A node
 * that does not answer is left out of the outcome. Confined to the service loop.
 */
final class GroupProbe {
  /** Bytes a second that the slowest disk, or the slowest way to a node, is believed to give. */
  private static final long SLOWEST = 4 << 20;

  private final RecoverySurroundings around;
  private final FileKey file;
  private final int group;
  private final int epoch;
  private final LeaseBound lease;

  GroupProbe(RecoverySurroundings around, FileKey file, int group, int epoch, LeaseBound lease) {
    this.around = around;
    this.file = file;
    this.group = group;
    this.epoch = epoch;
    this.lease = lease;
  }

  /**
   * Fences a group everywhere.
   *
   * @return what each node that answered holds; fails with FENCED if any node has seen a later
   *     epoch
   */
  CompletableFuture<Map<NodeId, ReplicaProbe.Extent>> fence(Collection<NodeId> nodes) {
    Set<NodeId> ahead = new LinkedHashSet<>();
    return ask(
            nodes,
            node ->
                within(around.probeLimit(), around.probe().fence(node, file, group, epoch, lease)),
            (node, error) -> {
              if (isFenced(error)) {
                ahead.add(node);
              }
            })
        .thenCompose(
            extents ->
                ahead.isEmpty()
                    ? CompletableFuture.completedFuture(extents)
                    : LeftInRecovery.because(
                        "a later recovery is under way: file=%s, epoch=%d, nodes=%s"
                            .formatted(file, epoch, ahead)));
  }

  private static boolean isFenced(Throwable error) {
    return Causes.of(error) instanceof VdfsException known && known.code() == ErrorCode.FENCED;
  }

  /** Has each node's copy read back; a node with nothing is not asked. */
  CompletableFuture<Map<NodeId, VerifiedGroup>> verify(Map<NodeId, ReplicaProbe.Extent> extents) {
    List<Long> marks =
        extents.values().stream()
            .map(ReplicaProbe.Extent::length)
            .filter(length -> length > 0)
            .distinct()
            .toList();
    return ask(
        extents.keySet(), node -> verify(node, extents.get(node).length(), marks), (node, e) -> {});
  }

  /**
   * Has each node's copy read back, whatever it may hold.
   *
   * @param marks ends of prefixes to tell the checksum of
   */
  CompletableFuture<Map<NodeId, VerifiedGroup>> verify(Collection<NodeId> nodes, List<Long> marks) {
    return ask(nodes, node -> verify(node, around.geometry().groupSize(), marks), (node, e) -> {});
  }

  CompletableFuture<VerifiedGroup> verify(NodeId node, long length, List<Long> marks) {
    if (length == 0) {
      return CompletableFuture.completedFuture(VerifiedGroup.NOTHING);
    }
    Duration limit = limitFor(length);
    return within(limit, around.probe().verify(node, file, group, lease, marks, limit));
  }

  /** Makes {@code node} hold the group's first bytes as the source of the copy does. */
  CompletableFuture<ReplicaProbe.Extent> copy(NodeId node, ReplicaProbe.Copy copy) {
    // read there, sent, written and forced here
    Duration limit = limitFor(2 * copy.length());
    return within(limit, around.probe().copy(node, file, group, copy, limit));
  }

  /** Cuts the group on some nodes; the outcome are those that did. */
  CompletableFuture<List<NodeId>> truncate(Collection<NodeId> nodes, long length) {
    return ask(
            nodes,
            node ->
                within(
                    limitFor(around.geometry().blockSize()),
                    around.probe().truncateGroup(node, file, group, length, epoch)),
            (node, e) -> {})
        .thenApply(cut -> new ArrayList<>(cut.keySet()));
  }

  private Duration limitFor(long bytes) {
    return around.probeLimit().plusMillis(bytes * 1000 / SLOWEST);
  }

  private <T> CompletableFuture<T> within(Duration limit, CompletableFuture<T> answer) {
    return Futures.within(limit, answer, around.loop());
  }

  /** Handles the failure of one node, on the loop. */
  @FunctionalInterface
  private interface OnFailure {
    void accept(NodeId node, Throwable error);
  }

  private <T> CompletableFuture<Map<NodeId, T>> ask(
      Collection<NodeId> nodes,
      Function<NodeId, CompletableFuture<T>> question,
      OnFailure onFailure) {
    Map<NodeId, T> answers = new TreeMap<>();
    CompletableFuture<?>[] all =
        nodes.stream()
            .map(
                node ->
                    question
                        .apply(node)
                        .handleAsync(
                            (answer, error) -> {
                              if (error == null) {
                                answers.put(node, answer);
                              } else {
                                onFailure.accept(node, error);
                              }
                              return null;
                            },
                            around.loop()))
            .toArray(CompletableFuture<?>[]::new);
    return CompletableFuture.allOf(all).thenApply(unused -> answers);
  }
}
