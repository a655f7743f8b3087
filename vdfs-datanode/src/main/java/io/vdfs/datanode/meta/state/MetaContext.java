package io.vdfs.datanode.meta.state;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.wire.proto.ClusterRecordProto;
import io.vdfs.datanode.meta.state.access.Access;
import io.vdfs.datanode.meta.state.settings.MetadataSettings;
import java.util.Optional;

/**
 * The surroundings that one request is executed in: the state, which it only reads, its caller and
 * its time.
 *
 * @param namespace inodes and names
 * @param deletions deletion queue
 * @param cluster the record of the cluster; empty before anything was recorded
 * @param ring the ring map of that record; empty before one was recorded
 * @param settings the settings, which never change
 * @param access the caller
 * @param now milliseconds of the log's monotonic clock
 */
public record MetaContext(
    Namespace namespace,
    DeletionQueue deletions,
    ClusterRecordProto cluster,
    Optional<RingMap> ring,
    MetadataSettings settings,
    Access access,
    long now) {
  /**
   * @throws VdfsException INVALID_ARGUMENT for a bad path, or as {@link Namespace#resolve}
   */
  public ResolvedPath resolve(String path) throws VdfsException {
    return resolve(MetaPath.parse(path, settings.limits()));
  }

  /**
   * @throws VdfsException as {@link Namespace#resolve}
   */
  public ResolvedPath resolve(MetaPath path) throws VdfsException {
    return namespace.resolve(path, access);
  }
}
