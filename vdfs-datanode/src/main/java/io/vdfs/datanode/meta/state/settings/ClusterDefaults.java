package io.vdfs.datanode.meta.state.settings;

import java.util.Objects;

/**
 * The values that a new cluster starts with, and those that stand in for values that a client
 * leaves out. Immutable.
 *
 * <p><b>Must</b> be the same on every replica: it takes part in how log entries are executed.
 *
 * @param superuser owner of the root directory
 * @param supergroup group of the root directory
 * @param replication copies of a file whose creator asks for none
 * @param blockSize as reported to applications, of a file whose creator asks for none
 */
public record ClusterDefaults(
    String superuser, String supergroup, int replication, long blockSize) {
  public ClusterDefaults {
    Objects.requireNonNull(superuser, "superuser");
    Objects.requireNonNull(supergroup, "supergroup");
    if (superuser.isEmpty() || supergroup.isEmpty()) {
      throw new IllegalArgumentException(
          "the root needs an owner and a group: superuser=%s, supergroup=%s"
              .formatted(superuser, supergroup));
    }
    if (replication < 1 || blockSize < 1) {
      throw new IllegalArgumentException(
          "defaults must be positive: replication=" + replication + ", blockSize=" + blockSize);
    }
  }

  /** Three copies, blocks reported as 128 MiB, group {@code supergroup}. */
  public static ClusterDefaults ofSuperuser(String superuser) {
    return new ClusterDefaults(superuser, "supergroup", 3, 128L << 20);
  }
}
