package io.vdfs.datanode.store.volume;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.PathTrouble;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.datanode.store.disk.Disk;
import io.vdfs.datanode.store.disk.DiskFile;
import io.vdfs.datanode.store.disk.DiskTransfer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Takes possession of the directory of a volume: locks it, checks whose it is, or makes it ours if
 * it is empty.
 *
 * <pre>
 *  vdfs-volume   identity ({@link VolumeIdentity})
 *  vdfs-volumes  the node's volumes ({@link VolumeRoster})
 *  vdfs-removed  up to where files were removed ({@link RemovalMark})
 *  in-use.lock   held by the daemon that uses the volume
 *  blocks/       combined files; in blocks/blank/ those made ahead ({@link BlankFiles}),
 *                in blocks/garbage/ those not needed any more ({@link GarbageDirectory})
 *  local/        names of combined files for readers on this machine
 *  cache/        what may be deleted at any time while no daemon runs
 * </pre>
 *
 * @param fresh whether the directory was empty and has a new identity
 * @param lock to be closed when the volume is given back
 */
public record VolumeDirectory(Path directory, UUID volume, boolean fresh, AutoCloseable lock) {
  public static final String BLOCKS = "blocks";
  public static final String CACHE = "cache";

  private static final String LOCK = "in-use.lock";
  private static final String TEMPORARY = VolumeIdentity.FILE_NAME + ".tmp";
  private static final Set<String> MAY_BE_IN_EMPTY = Set.of(LOCK, TEMPORARY, "lost+found");

  /**
   * @throws VdfsException MISCONFIGURED if it is not this node's or in use, with the directory,
   *     what was found and the cure
   * @throws IOException if it can't be read or written
   */
  public static VolumeDirectory take(Disk disk, Path directory, UUID cluster, NodeId node)
      throws IOException {
    create(disk, directory);
    Optional<VolumeIdentity> known = identity(disk, directory);
    if (known.isPresent()) {
      check(directory, known.get(), cluster, node);
    } else {
      checkEmpty(disk, directory);
    }
    AutoCloseable lock = disk.lock(directory.resolve(LOCK)).orElseThrow(() -> inUse(directory));
    return new VolumeDirectory(
        directory, volume(known, disk, directory, cluster, node, lock), known.isEmpty(), lock);
  }

  /** The directory below a volume that holds its combined files. */
  public static Path blocksOf(Path volume) {
    return volume.resolve(BLOCKS);
  }

  /** The message for a directory that can't be read or written. */
  public static VdfsException unusable(Path directory, IOException cause) {
    return new VdfsException(
        ErrorCode.MISCONFIGURED,
        "cannot use data directory: directory=%s, cause=%s; %s, or configure another one"
            .formatted(directory, cause, PathTrouble.cure(cause, "make it a directory")),
        cause);
  }

  /** Makes the directory, so that its name survives a power cut. */
  private static void create(Disk disk, Path directory) throws IOException {
    List<Path> missing = new ArrayList<>();
    Path at = directory.toAbsolutePath();
    while (at.getParent() != null && !disk.exists(at)) {
      missing.add(at);
      at = at.getParent();
    }
    disk.createDirectories(directory);
    for (Path made : missing) {
      disk.forceDirectory(made.getParent());
    }
  }

  /**
   * The identity that stands in a directory, if there is one.
   *
   * @throws VdfsException MISCONFIGURED if it cannot be understood
   */
  public static Optional<VolumeIdentity> identity(Disk disk, Path directory) throws IOException {
    Path file = directory.resolve(VolumeIdentity.FILE_NAME);
    if (!disk.exists(file)) {
      return Optional.empty();
    }
    ByteBuffer bytes = ByteBuffer.allocate(VolumeIdentity.MAX_SIZE);
    try (DiskFile open = disk.open(file)) {
      DiskTransfer.readUpTo(open, bytes, 0);
    }
    try {
      return Optional.of(VolumeIdentity.decode(bytes.flip()));
    } catch (IllegalArgumentException e) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          ("data directory has an identity file that this version cannot read: file=%s, %s;"
                  + " use the release that wrote it, restore the file, or empty the directory to"
                  + " start over with it")
              .formatted(file, e.getMessage()),
          e);
    }
  }

  private static void check(Path directory, VolumeIdentity found, UUID cluster, NodeId node)
      throws VdfsException {
    if (!found.cluster().equals(cluster)) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          ("data directory belongs to another cluster: directory=%s, found cluster=%s,"
                  + " expected=%s; configure this cluster's directory, or empty it to start over with it")
              .formatted(directory, found.cluster(), cluster));
    }
    if (!found.node().equals(node)) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          ("data directory belongs to another node: directory=%s, found node=%s,"
                  + " expected=%s; configure this node's directory, or empty it to start over with it")
              .formatted(directory, found.node(), node));
    }
  }

  /** The entries of a directory that an empty one would not have. */
  public static List<String> foreignIn(Disk disk, Path directory) throws IOException {
    return disk.list(directory).stream().filter(name -> !MAY_BE_IN_EMPTY.contains(name)).toList();
  }

  private static void checkEmpty(Disk disk, Path directory) throws IOException {
    List<String> foreign = foreignIn(disk, directory);
    if (!foreign.isEmpty()) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          ("data directory is not empty and has no %s: directory=%s, found=%s; configure an"
                  + " empty directory, or restore its identity file")
              .formatted(VolumeIdentity.FILE_NAME, directory, foreign));
    }
  }

  private static VdfsException inUse(Path directory) {
    return new VdfsException(
        ErrorCode.MISCONFIGURED,
        ("data directory is in use by another daemon: directory=%s, found a lock on %s;"
                + " stop that daemon or configure another directory")
            .formatted(directory, LOCK));
  }

  private static UUID volume(
      Optional<VolumeIdentity> known,
      Disk disk,
      Path directory,
      UUID cluster,
      NodeId node,
      AutoCloseable lock)
      throws IOException {
    if (known.isPresent()) {
      return known.get().volume();
    }
    try {
      return initialise(disk, directory, cluster, node);
    } catch (IOException e) {
      release(lock, e);
      throw e;
    }
  }

  private static void release(AutoCloseable lock, IOException cause) {
    try {
      lock.close();
    } catch (Exception e) {
      cause.addSuppressed(e);
    }
  }

  private static UUID initialise(Disk disk, Path directory, UUID cluster, NodeId node)
      throws IOException {
    UUID volume = UUID.randomUUID();
    Path temporary = directory.resolve(TEMPORARY);
    disk.delete(temporary);
    try (DiskFile file = disk.create(temporary)) {
      DiskTransfer.writeFully(file, new VolumeIdentity(cluster, node, volume).encode(), 0);
      file.force();
    }
    disk.rename(temporary, directory.resolve(VolumeIdentity.FILE_NAME));
    disk.forceDirectory(directory);
    return volume;
  }
}
