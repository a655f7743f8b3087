package io.vdfs.it.fault;

import io.vdfs.client.VdfsClient;
import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.client.io.replica.Exclusion;
import io.vdfs.client.names.FileInfo;
import io.vdfs.common.cluster.record.ClusterProperties;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.LeaseBound;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.GroupReplicas;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.store.VerifiedGroup;
import io.vdfs.datanode.store.BlockStore;
import io.vdfs.datanode.store.ReadPace;
import io.vdfs.datanode.store.StoreConfig;
import io.vdfs.datanode.store.load.StoreOpener;
import io.vdfs.it.cluster.DaemonProcesses;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;

/**
 * Reads all copies of all files back from the disks of nodes that no longer run. Confined to one
 * thread.
 */
final class DiskCopies {
  private record Wanted(String path, FileKey key, int group, long length, List<NodeId> keepers) {}

  private final List<Wanted> wanted = new ArrayList<>();
  private final Map<NodeId, Integer> numbers = new HashMap<>();
  private final DaemonProcesses cluster;
  private final ClusterProperties properties;
  private final ClusterGeometry geometry;

  private DiskCopies(DaemonProcesses cluster, ClusterProperties properties) {
    this.cluster = cluster;
    this.properties = properties;
    this.geometry = properties.geometry();
  }

  /**
   * Learns from the cluster which node should hold what, while all nodes run and no client writes.
   *
   * @param nodes numbers of those that run
   */
  static DiskCopies of(DaemonProcesses cluster, List<Integer> nodes) throws IOException {
    try (FileSystem fileSystem = cluster.newFileSystem()) {
      VdfsClient client = ((VdfsFileSystem) fileSystem).vdfsClient();
      DiskCopies copies = new DiskCopies(cluster, client.cluster().properties());
      for (int node : nodes) {
        copies.numbers.put(cluster.nodeId(node), node);
      }
      RingMap ring = client.cluster().ring();
      RemoteIterator<LocatedFileStatus> files = fileSystem.listFiles(new Path("/"), true);
      while (files.hasNext()) {
        String path = files.next().getPath().toUri().getPath();
        copies.add(path, client.names().status(path), ring);
      }
      return copies;
    }
  }

  private void add(String path, FileInfo file, RingMap ring) throws IOException {
    for (int group = 0; group < geometry.groupCount(file.length()); group++) {
      Set<NodeId> leftOut = new HashSet<>();
      for (Exclusion exclusion : file.exclusions()) {
        if (exclusion.covers(exclusion.node(), group)) {
          leftOut.add(exclusion.node());
        }
      }
      List<NodeId> serving = ring.replicas(file.key(), group).serving();
      List<NodeId> keepers = GroupReplicas.of(serving, file.replication(), leftOut).keepers();
      long length = Math.min(geometry.groupSize(), file.length() - group * geometry.groupSize());
      wanted.add(new Wanted(path, file.key(), group, length, keepers));
    }
  }

  /** Number of groups. */
  int groups() {
    return wanted.size();
  }

  /**
   * Copies that are short, damaged or not equal. Kills the nodes first.
   *
   * @return empty if all copies of all groups are whole and equal
   */
  List<String> defects() throws Exception {
    for (int node : numbers.values()) {
      cluster.kill(node);
    }
    Map<NodeId, BlockStore> stores = new HashMap<>();
    try {
      for (Map.Entry<NodeId, Integer> node : numbers.entrySet()) {
        stores.put(node.getKey(), open(node.getKey(), node.getValue()));
      }
      List<String> defects = new ArrayList<>();
      for (Wanted group : wanted) {
        compare(group, stores, defects);
      }
      return defects;
    } finally {
      for (BlockStore store : stores.values()) {
        store.close();
      }
    }
  }

  private BlockStore open(NodeId id, int node) throws IOException {
    return StoreOpener.open(
        new StoreConfig(
            properties.clusterId(),
            id,
            geometry,
            cluster.volumes(node),
            cluster.directory().directory("index-read-back-" + node),
            0,
            StoreConfig.DEFAULT_WRITE_BACK,
            StoreConfig.DEFAULT_MAX_OPEN_FILES));
  }

  private static void compare(Wanted wanted, Map<NodeId, BlockStore> stores, List<String> defects)
      throws IOException {
    Map<NodeId, VerifiedGroup> found = new HashMap<>();
    for (NodeId keeper : wanted.keepers()) {
      if (!stores.containsKey(keeper)) {
        defects.add("no such node runs: " + wanted);
        return;
      }
      found.put(
          keeper,
          stores
              .get(keeper)
              .verify(
                  wanted.key(),
                  wanted.group(),
                  LeaseBound.NONE,
                  List.of(wanted.length()),
                  ReadPace.AT_ONCE));
    }
    VerifiedGroup first = found.get(wanted.keepers().get(0));
    for (Map.Entry<NodeId, VerifiedGroup> copy : found.entrySet()) {
      if (copy.getValue().verified() < wanted.length()
          || copy.getValue().firstDifference(first).isPresent()) {
        defects.add(
            "%s: node=%s, verified=%d of %d"
                .formatted(
                    wanted, copy.getKey(), copy.getValue().verified(), copy.getValue().claimed()));
      }
    }
  }
}
