package io.vdfs.client.hadoop.values;

import io.vdfs.client.VdfsClient;
import io.vdfs.client.names.FileInfo;
import io.vdfs.client.place.BlockPlace;
import io.vdfs.common.ring.RingNode;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;

/** Turns what the client knows of files into Hadoop's statuses and locations. Thread-safe. */
public final class StatusMapper {
  private final VdfsClient client;

  /**
   * Maps what one client knows of files.
   *
   * @param client asked where files lie
   */
  public StatusMapper(VdfsClient client) {
    this.client = client;
  }

  /**
   * The status of a file, with where it lies, or of a directory.
   *
   * @param path qualified
   */
  public VdfsFileStatus status(FileInfo info, Path path) throws IOException {
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

  /**
   * Whether a range of a file lies anywhere, by its status.
   *
   * @param file may be null: nowhere
   * @throws IllegalArgumentException if start or length are negative
   */
  public static boolean hasLocations(FileStatus file, long start, long length) {
    if (file == null) {
      return false;
    }
    if (start < 0 || length < 0) {
      throw new IllegalArgumentException(
          "a range begins and extends at 0 or above: path=%s, start=%s, length=%s"
              .formatted(file.getPath(), start, length));
    }
    return !file.isDirectory() && start < file.getLen();
  }

  /**
   * One location per group of a range of a file; their hosts stand in the order in which readers
   * should ask.
   */
  public BlockLocation[] locations(FileInfo info, long start, long length) throws IOException {
    List<BlockPlace> places = client.files().placesByGroup(info, start, length);
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
