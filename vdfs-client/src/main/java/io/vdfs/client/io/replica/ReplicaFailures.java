package io.vdfs.client.io.replica;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Which nodes were asked in vain and why. Confined to one request. */
public final class ReplicaFailures {
  private final List<Failure> failures = new ArrayList<>();

  private record Failure(ReplicaNode node, VdfsException cause) {
    boolean isUnreadable() {
      return cause.code() == ErrorCode.CORRUPT || cause.code() == ErrorCode.IO_ERROR;
    }

    @Override
    public String toString() {
      return node + ": " + cause.code() + " " + cause.getMessage();
    }
  }

  public void add(ReplicaNode node, VdfsException failure) {
    failures.add(new Failure(node, failure));
  }

  public boolean isEmpty() {
    return failures.isEmpty();
  }

  /** Nodes whose bytes are damaged, or whose disk does not give them. */
  public Set<NodeId> unreadable() {
    return failures.stream()
        .filter(Failure::isUnreadable)
        .map(failure -> failure.node().id())
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Forgets what a node said that is asked once more. */
  public void forget(ReplicaNode node) {
    failures.removeIf(failure -> failure.node().id().equals(node.id()));
  }

  /**
   * The final error: CORRUPT where every replica was damaged, else UNAVAILABLE.
   *
   * @param wanted what was asked for, with its values
   */
  public VdfsException asException(String wanted) {
    if (failures.isEmpty()) {
      return new VdfsException(
          ErrorCode.UNAVAILABLE, "every replica is excluded or none is listed: " + wanted);
    }
    boolean allCorrupt =
        failures.stream().allMatch(failure -> failure.cause().code() == ErrorCode.CORRUPT);
    return new VdfsException(
        allCorrupt ? ErrorCode.CORRUPT : ErrorCode.UNAVAILABLE,
        "no replica could serve: " + wanted + ", tried=" + failures,
        failures.get(failures.size() - 1).cause());
  }
}
