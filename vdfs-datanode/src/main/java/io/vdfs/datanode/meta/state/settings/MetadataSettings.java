package io.vdfs.datanode.meta.state.settings;

import io.vdfs.common.model.ClusterGeometry;
import java.util.Objects;

/**
 * The settings that stay fixed while the metadata of a cluster change; the same on every replica.
 * Immutable.
 */
public record MetadataSettings(
    ClusterGeometry geometry, ClusterDefaults defaults, MetadataLimits limits) {
  public MetadataSettings {
    Objects.requireNonNull(geometry, "geometry");
    Objects.requireNonNull(defaults, "defaults");
    Objects.requireNonNull(limits, "limits");
  }

  public static MetadataSettings of(ClusterGeometry geometry, String superuser) {
    return new MetadataSettings(
        geometry, ClusterDefaults.ofSuperuser(superuser), MetadataLimits.DEFAULT);
  }

  /** Bytes that a file may have, so that its groups can still be counted. */
  public long maxFileLength() {
    long groups = Integer.MAX_VALUE - 1L;
    return geometry.groupSize() > limits.fileLength() / groups
        ? limits.fileLength()
        : geometry.groupSize() * groups;
  }
}
