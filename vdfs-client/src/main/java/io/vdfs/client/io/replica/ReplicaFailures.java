package io.vdfs.client.io.replica;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.util.ArrayList;
import java.util.List;

/** Which nodes were asked in vain and why. Confined to one request. */
public final class ReplicaFailures {
  private final List<String> reasons = new ArrayList<>();
  private VdfsException last;
  private boolean allCorrupt = true;
  private boolean anyUnreadable;

  public void add(ReplicaNode node, VdfsException failure) {
    reasons.add(node + ": " + failure.code() + " " + failure.getMessage());
    allCorrupt &= failure.code() == ErrorCode.CORRUPT;
    anyUnreadable |= failure.code() == ErrorCode.CORRUPT || failure.code() == ErrorCode.IO_ERROR;
    last = failure;
  }

  public boolean isEmpty() {
    return reasons.isEmpty();
  }

  /** Whether bytes were damaged somewhere, or not given by a disk. */
  public boolean anyUnreadable() {
    return anyUnreadable;
  }

  /**
   * The final error: CORRUPT where every replica was damaged, else UNAVAILABLE.
   *
   * @param wanted what was asked for, with its values
   */
  public VdfsException asException(String wanted) {
    if (last == null) {
      return new VdfsException(
          ErrorCode.UNAVAILABLE, "every replica is excluded or none is listed: " + wanted);
    }
    return new VdfsException(
        allCorrupt ? ErrorCode.CORRUPT : ErrorCode.UNAVAILABLE,
        "no replica could serve: " + wanted + ", tried=" + reasons,
        last);
  }
}
