package io.vdfs.datanode.meta.service;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** Replicas of one file on several nodes, which can be dead, mute, or fail to cut. */
final class FakeReplicas implements ReplicaProbe {
  private record Place(NodeId node, int group) {}

  private final Map<Place, Long> lengths = new HashMap<>();
  private final Map<Place, Integer> epochs = new HashMap<>();
  final Set<NodeId> dead = new HashSet<>();
  final Set<NodeId> mute = new HashSet<>();
  final Set<NodeId> uncuttable = new HashSet<>();
  final List<CompletableFuture<Extent>> held = new ArrayList<>();

  void hold(NodeId node, int group, long length) {
    lengths.put(new Place(node, group), length);
  }

  void epoch(NodeId node, int group, int epoch) {
    epochs.put(new Place(node, group), epoch);
  }

  long length(NodeId node, int group) {
    return lengths.getOrDefault(new Place(node, group), 0L);
  }

  int epoch(NodeId node, int group) {
    return epochs.getOrDefault(new Place(node, group), 0);
  }

  @Override
  public CompletableFuture<Extent> visibleLength(NodeId node, FileKey file, int group) {
    return answer(node, group);
  }

  @Override
  public CompletableFuture<Extent> fence(NodeId node, FileKey file, int group, int epoch) {
    if (epoch(node, group) > epoch) {
      return CompletableFuture.failedFuture(new VdfsException(ErrorCode.FENCED, "newer epoch"));
    }
    if (!dead.contains(node)) {
      epoch(node, group, epoch);
    }
    return answer(node, group);
  }

  @Override
  public CompletableFuture<Extent> truncateGroup(
      NodeId node, FileKey file, int group, long length, int epoch) {
    if (uncuttable.contains(node)) {
      return CompletableFuture.failedFuture(new VdfsException(ErrorCode.IO_ERROR, "planted"));
    }
    if (length > length(node, group)) {
      throw new AssertionError("cut to more than there is: length=" + length);
    }
    hold(node, group, length);
    return answer(node, group);
  }

  private CompletableFuture<Extent> answer(NodeId node, int group) {
    if (dead.contains(node)) {
      return CompletableFuture.failedFuture(new VdfsException(ErrorCode.UNAVAILABLE, "dead"));
    }
    CompletableFuture<Extent> answer = new CompletableFuture<>();
    if (mute.contains(node)) {
      held.add(answer);
    } else {
      answer.complete(new Extent(length(node, group), epoch(node, group)));
    }
    return answer;
  }
}
