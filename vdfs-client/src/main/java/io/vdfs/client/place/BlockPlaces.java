package io.vdfs.client.place;

import io.vdfs.client.meta.cluster.ClusterDescription;
import io.vdfs.client.names.FileInfo;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Computes from the ring map where a file lies; asks no node. */
public final class BlockPlaces {
  private BlockPlaces() {}

  /** One place for each group that [start, start + length) touches, cut to the file's length. */
  public static List<BlockPlace> byGroup(
      ClusterDescription cluster, FileInfo file, long start, long length) throws VdfsException {
    ClusterGeometry geometry = cluster.properties().geometry();
    return tile(cluster, file, start, length, geometry.groupSize());
  }

  /** As {@link #byGroup} with one place for each block. */
  public static List<BlockPlace> byBlock(
      ClusterDescription cluster, FileInfo file, long start, long length) throws VdfsException {
    return tile(cluster, file, start, length, cluster.properties().geometry().blockSize());
  }

  private static List<BlockPlace> tile(
      ClusterDescription cluster, FileInfo file, long start, long length, long unit)
      throws VdfsException {
    long end = length > file.length() - start ? file.length() : start + length;
    List<BlockPlace> places = new ArrayList<>();
    for (long offset = start - start % unit; offset < end; offset += unit) {
      int group = cluster.properties().geometry().groupAt(offset);
      places.add(
          new BlockPlace(
              offset,
              Math.min(unit, file.length() - offset),
              keepers(cluster.ring(), file, group)));
    }
    return places;
  }

  private static List<RingNode> keepers(RingMap ring, FileInfo file, int group)
      throws VdfsException {
    return FileCopies.keepers(ring, file, file.exclusions(), group).stream()
        .map(ring::node)
        .flatMap(Optional::stream)
        .toList();
  }
}
