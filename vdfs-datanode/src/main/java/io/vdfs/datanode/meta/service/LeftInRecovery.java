package io.vdfs.datanode.meta.service;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.util.concurrent.CompletableFuture;

/** The outcome of an attempt that has to leave its file in recovery. */
final class LeftInRecovery {
  private LeftInRecovery() {}

  /** Fails with UNAVAILABLE. */
  static <T> CompletableFuture<T> because(String reason) {
    return CompletableFuture.failedFuture(new VdfsException(ErrorCode.UNAVAILABLE, reason));
  }
}
