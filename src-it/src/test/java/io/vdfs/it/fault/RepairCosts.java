package io.vdfs.it.fault;

import io.vdfs.client.VdfsClient;
import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Metric;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.ArcReplicas;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import io.vdfs.it.cluster.DaemonProcesses;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;

/** How many bytes the nodes of a cluster copied, and for how many their places changed. */
final class RepairCosts {
  private final DaemonProcesses cluster;
  private final ClusterGeometry geometry;

  RepairCosts(DaemonProcesses cluster, ClusterGeometry geometry) {
    this.cluster = cluster;
    this.geometry = geometry;
  }

  /** A file, and its length when it was listed. */
  record Listed(FileKey key, long length) {}

  RingMap ring() {
    try (FileSystem fileSystem = cluster.newFileSystem()) {
      return client(fileSystem).cluster().ring();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** A counter of a node, since its daemon started. */
  long counted(NodeId node, String group, String name) throws IOException {
    try (FileSystem fileSystem = cluster.newFileSystem()) {
      VdfsClient client = client(fileSystem);
      return client.counters(client.cluster().ring().nodes().get(node)).stream()
          .filter(metric -> metric.group().equals(group) && metric.name().equals(name))
          .mapToLong(Metric::value)
          .sum();
    }
  }

  /** Bytes that a node copied since its daemon started. */
  long copiedBy(NodeId node) throws IOException {
    return counted(node, "repair", "bytes_copied");
  }

  /** Bytes that all nodes of the ring copied since their daemons started. */
  long copied() throws IOException {
    long copied = 0;
    for (RingNode node : ring().nodes().values()) {
      copied += copiedBy(node.id());
    }
    return copied;
  }

  /** All files that are there now. */
  List<Listed> files() throws IOException {
    List<Listed> files = new ArrayList<>();
    try (FileSystem fileSystem = cluster.newFileSystem()) {
      RemoteIterator<LocatedFileStatus> all = fileSystem.listFiles(new Path("/"), true);
      while (all.hasNext()) {
        LocatedFileStatus file = all.next();
        String path = file.getPath().toUri().getPath();
        try {
          files.add(new Listed(client(fileSystem).names().status(path).key(), file.getLen()));
        } catch (VdfsException e) {
          // deleted or renamed meanwhile
          if (e.code() != ErrorCode.NOT_FOUND) {
            throw e;
          }
        }
      }
    }
    return files;
  }

  /** Bytes of the groups of files, for each node that has a place for them now and had none. */
  long bytesOfNewPlaces(RingMap before, List<Listed> files) {
    RingMap now = ring();
    long groupSize = geometry.groupSize();
    long bytes = 0;
    for (Listed file : files) {
      for (int group = 0; group * groupSize < file.length(); group++) {
        ArcReplicas old = before.replicas(file.key(), group);
        long added =
            now.replicas(file.key(), group).members().filter(node -> !old.contains(node)).count();
        bytes += added * Math.min(groupSize, file.length() - group * groupSize);
      }
    }
    return bytes;
  }

  private static VdfsClient client(FileSystem fileSystem) throws IOException {
    return ((VdfsFileSystem) fileSystem).vdfsClient();
  }
}
