package io.vdfs.client.meta.cluster;

/**
 * Bytes of all volumes of all nodes that answered. Immutable.
 *
 * @param used taken on those volumes, by blocks or anything else
 * @param free that blocks may still take; a byte of a file takes as many as it has replicas
 */
public record ClusterSpace(long capacity, long used, long free) {
  /** Of no node. */
  public static final ClusterSpace NONE = new ClusterSpace(0, 0, 0);

  public ClusterSpace plus(ClusterSpace other) {
    return new ClusterSpace(capacity + other.capacity, used + other.used, free + other.free);
  }
}
