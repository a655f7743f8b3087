package io.vdfs.datanode.store;

import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.store.CombinedFileHeader;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * How to open a block store. Immutable.
 *
 * @param cluster the cluster the node belongs to
 * @param node this node
 * @param volumes directories, one per disk
 * @param indexDirectory where the block index lies, which is made anew at each opening; of this
 *     store alone, and better not on a disk of blocks
 * @param reserveBytes room left free on each volume
 * @param writeBackBytes after how many written bytes of a file the background starts forcing it
 * @param maxOpenFiles combined files kept open per volume while idle
 * @param acceptedEmpty those of the volumes that become new ones if they are empty, whatever the
 *     node had there
 */
public record StoreConfig(
    UUID cluster,
    NodeId node,
    ClusterGeometry geometry,
    List<Path> volumes,
    Path indexDirectory,
    long reserveBytes,
    long writeBackBytes,
    int maxOpenFiles,
    Set<Path> acceptedEmpty) {
  public static final long DEFAULT_RESERVE = 1L << 30;
  public static final long DEFAULT_WRITE_BACK = 16L << 20;
  public static final int DEFAULT_MAX_OPEN_FILES = 512;

  public StoreConfig {
    volumes = List.copyOf(volumes);
    acceptedEmpty = Set.copyOf(acceptedEmpty);
    if (volumes.isEmpty() || volumes.size() > 127) {
      throw new IllegalArgumentException("a store has 1 to 127 volumes: volumes=" + volumes);
    }
    if (volumes.stream().distinct().count() != volumes.size()) {
      throw new IllegalArgumentException("a volume is named twice: volumes=" + volumes);
    }
    if (reserveBytes < 0 || writeBackBytes < 1 || maxOpenFiles < 1) {
      throw new IllegalArgumentException(
          "sizes out of range: reserveBytes="
              + reserveBytes
              + ", writeBackBytes="
              + writeBackBytes
              + ", maxOpenFiles="
              + maxOpenFiles);
    }
  }

  /** Accepts no directory that is empty where the node had a volume. */
  public StoreConfig(
      UUID cluster,
      NodeId node,
      ClusterGeometry geometry,
      List<Path> volumes,
      Path indexDirectory,
      long reserveBytes,
      long writeBackBytes,
      int maxOpenFiles) {
    this(
        cluster,
        node,
        geometry,
        volumes,
        indexDirectory,
        reserveBytes,
        writeBackBytes,
        maxOpenFiles,
        Set.of());
  }

  /** The defaults for everything but the node and its directories. */
  public static StoreConfig of(
      UUID cluster,
      NodeId node,
      ClusterGeometry geometry,
      List<Path> volumes,
      Path indexDirectory) {
    return new StoreConfig(
        cluster,
        node,
        geometry,
        volumes,
        indexDirectory,
        DEFAULT_RESERVE,
        DEFAULT_WRITE_BACK,
        DEFAULT_MAX_OPEN_FILES);
  }

  /** Least room that a volume must have for a new group. */
  long roomForGroup() {
    return geometry.blockSize() + 2L * CombinedFileHeader.SIZE;
  }
}
