package io.vdfs.mapreduce.plan;

import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.client.ledger.StreamPlan;
import io.vdfs.client.meta.cluster.ClusterDescription;
import io.vdfs.client.names.FileInfo;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingMap;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;

/**
 * The files of a stream as they were at submission, with the owner of each group. Immutable once
 * made.
 */
final class PinnedInput {
  private final ClusterGeometry geometry;
  private final List<StreamPlan.File> files = new ArrayList<>();
  private final Map<NodeId, Long> bytesByOwner = new HashMap<>();
  private long bytes;

  private PinnedInput(ClusterGeometry geometry) {
    this.geometry = geometry;
  }

  /**
   * @param inside gives the path in the filesystem for the path under which a file was listed
   */
  static PinnedInput of(
      VdfsFileSystem fileSystem,
      ClusterDescription cluster,
      List<FileStatus> files,
      Function<Path, Path> inside)
      throws IOException {
    PinnedInput input = new PinnedInput(cluster.properties().geometry());
    for (FileStatus file : files) {
      String path = inside.apply(file.getPath()).toUri().getPath();
      FileInfo info = fileSystem.vdfsClient().names().status(path);
      if (info.isDirectory() || info.length() != file.getLen()) {
        throw new IOException(
            ("the input changed while the job was planned: path=%s, listed length=%s, length"
                    + " now=%s")
                .formatted(path, file.getLen(), info.length()));
      }
      FileKey key = info.key();
      input.add(key, info.length(), path, cluster.ring());
    }
    return input;
  }

  private void add(FileKey key, long length, String path, RingMap ring) {
    List<NodeId> owners = new ArrayList<>();
    for (int group = 0; group < geometry.groupCount(length); group++) {
      NodeId owner = ring.owner(key, group);
      long start = group * geometry.groupSize();
      owners.add(owner);
      bytesByOwner.merge(owner, Math.min(geometry.groupSize(), length - start), Long::sum);
    }
    files.add(new StreamPlan.File(key, length, path, owners));
    bytes += length;
  }

  List<StreamPlan.File> files() {
    return files;
  }

  long bytes() {
    return bytes;
  }

  long bytesOwnedBy(NodeId node) {
    return bytesByOwner.getOrDefault(node, 0L);
  }
}
