package io.vdfs.client.hadoop;

import io.vdfs.client.BlockPlace;
import io.vdfs.client.FileInfo;
import io.vdfs.client.VdfsClient;
import io.vdfs.common.ring.RingNode;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.Path;

/** Turns what the client knows of files into Hadoop's statuses and locations. Thread-safe. */
final class StatusMapper {
  private final VdfsClient client;

  StatusMapper(VdfsClient client) {
    this.client = client;
  }

  /**
   * @param path qualified
   */
  VdfsFileStatus status(FileInfo info, Path path) throws IOException {
    BlockLocation[] locations = info.isDirectory() ? null : locations(info, 0, info.length());
    return new VdfsFileStatus(info, path, locations);
  }

  /**
   * An entry of a listing.
   *
   * @param listed qualified path that was listed: the file itself where the entry has no name
   */
  VdfsFileStatus entry(FileInfo info, Path listed) throws IOException {
    return status(info, info.name().isEmpty() ? listed : new Path(listed, info.name()));
  }

  /** One location per group; their hosts stand in the order in which readers should ask. */
  BlockLocation[] locations(FileInfo info, long start, long length) throws IOException {
    List<BlockPlace> places = client.placesByGroup(info, start, length);
    BlockLocation[] locations = new BlockLocation[places.size()];
    for (int i = 0; i < locations.length; i++) {
      locations[i] = location(places.get(i));
    }
    return locations;
  }

  private static BlockLocation location(BlockPlace place) {
    int nodes = place.nodes().size();
    String[] names = new String[nodes];
    String[] hosts = new String[nodes];
    String[] topology = new String[nodes];
    for (int i = 0; i < nodes; i++) {
      RingNode node = place.nodes().get(i);
      hosts[i] = node.host();
      names[i] = node.host() + ":" + node.dataPort();
      topology[i] = node.rack() + "/" + names[i];
    }
    return new BlockLocation(names, hosts, topology, place.offset(), place.length());
  }
}
