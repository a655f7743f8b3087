package io.vdfs.datanode.store.volume;

import io.vdfs.datanode.store.disk.Disk;
import io.vdfs.datanode.store.disk.DiskFile;
import io.vdfs.datanode.store.status.GarbageUsage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * Combined files that are not needed any more, kept for a while in case discarding them was an
 * error. They lie in {@code blocks/garbage/}, which is as closed to others as the blocks are, as
 * {@code SECOND.NAME}: SECOND, since 1970, is when they came there, NAME what they were called
 * among the blocks. To get one back, move both its files to where they were while no daemon runs.
 * Thread-safe.
 */
public final class GarbageDirectory {
  static final String NAME = "garbage";

  private final Disk disk;
  private final Path blocks;
  private final Path directory;

  /** Whether the directory is known to survive a power cut; guarded by the monitor. */
  private boolean made;

  /** A data file and its age. */
  private record Kept(String name, long second, long bytes) {}

  GarbageDirectory(Disk disk, Path volume) {
    this.disk = disk;
    this.blocks = VolumeDirectory.blocksOf(volume);
    this.directory = blocks.resolve(NAME);
  }

  /**
   * Gives a pair of files names here, too, which survive a power cut when this returns.
   *
   * @return bytes of the data file
   * @throws IOException also where a file can have only one name; then nothing was added here that
   *     counts
   */
  public synchronized long keep(Path data, Path index, long second) throws IOException {
    if (!made) {
      disk.createDirectories(directory);
      disk.forceDirectory(blocks);
      made = true;
    }
    Path kept = directory.resolve(second + "." + data.getFileName());
    Path keptIndex = directory.resolve(second + "." + index.getFileName());
    try {
      // what an earlier try left means nothing without the data file
      if (!disk.exists(kept)) {
        disk.delete(keptIndex);
      }
      disk.link(keptIndex, index);
      disk.link(kept, data);
    } catch (UnsupportedOperationException e) {
      throw new IOException("files have one name only on this volume: " + directory, e);
    }
    disk.forceDirectory(directory);
    return size(kept);
  }

  /**
   * Removes what came here before a second, and the oldest of the rest for as long as room is
   * needed; and index files without data files, which a crash or an error in between left.
   *
   * @return what is left
   */
  public synchronized GarbageUsage purge(long before, BooleanSupplier needsRoom)
      throws IOException {
    List<String> names = disk.list(directory);
    for (String name : names) {
      if (isIndexAlone(name, names)) {
        disk.delete(directory.resolve(name));
      }
    }
    GarbageUsage left = GarbageUsage.NONE;
    for (Kept kept : oldestFirst(names)) {
      if (kept.second() < before || needsRoom.getAsBoolean()) {
        disk.delete(directory.resolve(kept.name()));
        disk.delete(directory.resolve(indexOf(kept.name())));
      } else {
        left = left.plus(new GarbageUsage(1, kept.bytes()));
      }
    }
    return left;
  }

  private static boolean isIndexAlone(String name, List<String> names) {
    if (!name.endsWith(CombinedFileName.INDEX_SUFFIX)) {
      return false;
    }
    int end = name.length() - CombinedFileName.INDEX_SUFFIX.length();
    String data = name.substring(0, end) + CombinedFileName.DATA_SUFFIX;
    return second(data).isPresent() && !names.contains(data);
  }

  private List<Kept> oldestFirst(List<String> names) throws IOException {
    List<Kept> all = new ArrayList<>();
    for (String name : names) {
      Optional<Long> second = second(name);
      if (second.isPresent()) {
        all.add(new Kept(name, second.get(), size(directory.resolve(name))));
      }
    }
    all.sort(Comparator.comparingLong(Kept::second));
    return all;
  }

  /** When a data file came here; empty if it is no name that was given here. */
  private static Optional<Long> second(String name) {
    int dot = name.indexOf('.');
    if (dot < 1 || CombinedFileName.parse(name.substring(dot + 1)).isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(Long.parseLong(name.substring(0, dot)));
    } catch (NumberFormatException e) {
      // not a file of this directory
      return Optional.empty();
    }
  }

  private static String indexOf(String data) {
    int end = data.length() - CombinedFileName.DATA_SUFFIX.length();
    return data.substring(0, end) + CombinedFileName.INDEX_SUFFIX;
  }

  private long size(Path file) throws IOException {
    try (DiskFile open = disk.open(file)) {
      return open.size();
    }
  }
}
