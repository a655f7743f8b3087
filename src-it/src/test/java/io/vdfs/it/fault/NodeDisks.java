package io.vdfs.it.fault;

import io.vdfs.it.cluster.DaemonProcesses;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A disk of its own for each volume of each node. Confined to one thread. */
final class NodeDisks implements AutoCloseable {
  private final Map<Integer, List<LoopDisk>> disks = new TreeMap<>();

  private NodeDisks() {}

  /**
   * To be called before a node starts.
   *
   * @param bytes of each disk
   */
  static NodeDisks mount(DaemonProcesses cluster, List<Integer> nodes, long bytes)
      throws IOException {
    NodeDisks mounted = new NodeDisks();
    try {
      Path images = cluster.directory().directory("images");
      for (int node : nodes) {
        List<LoopDisk> own = new ArrayList<>();
        mounted.disks.put(node, own);
        for (Path volume : cluster.volumes(node)) {
          Path image = images.resolve(node + "-" + own.size());
          own.add(LoopDisk.mount(image, volume, bytes));
        }
      }
      return mounted;
    } catch (IOException e) {
      mounted.close();
      throw e;
    }
  }

  List<LoopDisk> of(int node) {
    return disks.get(node);
  }

  List<LoopDisk> all() {
    return disks.values().stream().flatMap(List::stream).toList();
  }

  @Override
  public void close() throws IOException {
    for (LoopDisk disk : all()) {
      disk.close();
    }
  }
}
