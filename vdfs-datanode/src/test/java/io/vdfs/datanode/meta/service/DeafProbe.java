package io.vdfs.datanode.meta.service;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.LeaseBound;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.store.VerifiedGroup;
import io.vdfs.datanode.meta.service.edge.ReplicaProbe;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** There are no replicas. */
public final class DeafProbe implements ReplicaProbe {
  @Override
  public CompletableFuture<Extent> fence(
      NodeId node, FileKey file, int group, int epoch, LeaseBound lease) {
    return dead();
  }

  @Override
  public CompletableFuture<VerifiedGroup> verify(
      NodeId node, FileKey file, int group, LeaseBound lease, List<Long> marks, Duration limit) {
    return dead();
  }

  @Override
  public CompletableFuture<Extent> truncateGroup(
      NodeId node, FileKey file, int group, long length, int epoch) {
    return dead();
  }

  @Override
  public CompletableFuture<Extent> copy(
      NodeId node, FileKey file, int group, Copy copy, Duration limit) {
    return dead();
  }

  private static <T> CompletableFuture<T> dead() {
    return CompletableFuture.failedFuture(new VdfsException(ErrorCode.UNAVAILABLE, "dead"));
  }
}
