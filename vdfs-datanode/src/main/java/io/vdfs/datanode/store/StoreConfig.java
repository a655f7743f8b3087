package io.vdfs.datanode.store;

import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.store.CombinedFileHeader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
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
 * @param accepted whose loss an operator has accepted
 * @param blankFiles how many files are made ahead at a time on each volume for small files; 0 for
 *     none
 * @param writePatience how long a force waits for its turn beside the scans of its volume; zero for
 *     not at all
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
    AcceptedLosses accepted,
    int blankFiles,
    Duration writePatience) {
  public static final long DEFAULT_RESERVE = 1L << 30;
  public static final long DEFAULT_WRITE_BACK = 16L << 20;
  public static final int DEFAULT_MAX_OPEN_FILES = 512;
  public static final int DEFAULT_BLANK_FILES = 64;
  public static final Duration DEFAULT_WRITE_PATIENCE = Duration.ofMillis(200);

  public StoreConfig {
    volumes = List.copyOf(volumes);
    if (volumes.isEmpty() || volumes.size() > 127) {
      throw new IllegalArgumentException("a store has 1 to 127 volumes: volumes=" + volumes);
    }
    if (volumes.stream().distinct().count() != volumes.size()) {
      throw new IllegalArgumentException("a volume is named twice: volumes=" + volumes);
    }
    if (reserveBytes < 0 || writeBackBytes < 1 || maxOpenFiles < 1 || blankFiles < 0) {
      throw new IllegalArgumentException(
          ("sizes out of range: reserveBytes=%s, writeBackBytes=%s, maxOpenFiles=%s,"
                  + " blankFiles=%s")
              .formatted(reserveBytes, writeBackBytes, maxOpenFiles, blankFiles));
    }
  }

  /** Accepts the loss of no volume. */
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
        AcceptedLosses.NONE);
  }

  /** The defaults for small files and forces. */
  public StoreConfig(
      UUID cluster,
      NodeId node,
      ClusterGeometry geometry,
      List<Path> volumes,
      Path indexDirectory,
      long reserveBytes,
      long writeBackBytes,
      int maxOpenFiles,
      AcceptedLosses accepted) {
    this(
        cluster,
        node,
        geometry,
        volumes,
        indexDirectory,
        reserveBytes,
        writeBackBytes,
        maxOpenFiles,
        accepted,
        DEFAULT_BLANK_FILES,
        DEFAULT_WRITE_PATIENCE);
  }

  /** The same with another patience of forces. */
  public StoreConfig withWritePatience(Duration patience) {
    return new StoreConfig(
        cluster,
        node,
        geometry,
        volumes,
        indexDirectory,
        reserveBytes,
        writeBackBytes,
        maxOpenFiles,
        accepted,
        blankFiles,
        patience);
  }

  /** The same with another number of blank files. */
  public StoreConfig withBlankFiles(int blanks) {
    return new StoreConfig(
        cluster,
        node,
        geometry,
        volumes,
        indexDirectory,
        reserveBytes,
        writeBackBytes,
        maxOpenFiles,
        accepted,
        blanks,
        writePatience);
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
  public long roomForGroup() {
    return geometry.blockSize() + 2L * CombinedFileHeader.SIZE;
  }
}
