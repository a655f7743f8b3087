package io.vdfs.datanode.store.volume;

import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.InodeIds;
import io.vdfs.common.store.BlockRole;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Name of a combined file below a volume: {@code blocks/hh/hh/<fileId>.<generation>.<p|r>} with
 * {@code .vcf} for the data and {@code .idx} for the index file. The directories are bits 16 to 23
 * and 8 to 15 of the file's number; higher bits do not count. Files made one after the other share
 * a directory, so that a disk need not look for another one, nor make one elsewhere. Immutable.
 */
public record CombinedFileName(FileKey key, BlockRole role) {
  public static final String DATA_SUFFIX = ".vcf";
  public static final String INDEX_SUFFIX = ".idx";
  public static final String TEMPORARY_SUFFIX = ".tmp";
  public static final String DAMAGED_SUFFIX = ".damaged";

  /** Directories of combined files on a volume. */
  static final int LEAVES = 1 << 16;

  private static final Pattern DATA_NAME =
      Pattern.compile("([1-9][0-9]{0,18})\\.([1-9][0-9]{0,9})\\.([pr])\\.vcf");

  /** The directory of the pair of files. */
  Path directory(Path volume) {
    return directory(volume, leaf(key));
  }

  /** The directory of a number below {@link #LEAVES}. */
  static Path directory(Path volume, int leaf) {
    return volume
        .resolve(VolumeDirectory.BLOCKS)
        .resolve(String.format("%02x", leaf >>> 8))
        .resolve(String.format("%02x", leaf & 0xff));
  }

  /** Number of a directory of combined files. */
  static int leaf(Path directory) {
    return Integer.parseInt("" + directory.getParent().getFileName() + directory.getFileName(), 16);
  }

  /** Number of the directory of a file, below {@link #LEAVES}. */
  static int leaf(FileKey key) {
    return (int) (InodeIds.number(key.fileId()) >>> 8) & (LEAVES - 1);
  }

  public Path data(Path volume) {
    return directory(volume).resolve(base() + DATA_SUFFIX);
  }

  public Path index(Path volume) {
    return directory(volume).resolve(base() + INDEX_SUFFIX);
  }

  private String base() {
    return key + "." + role.letter();
  }

  /** The combined file's name by that of its data file; empty if it is not one. */
  public static Optional<CombinedFileName> parse(String fileName) {
    Matcher matcher = DATA_NAME.matcher(fileName);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    try {
      FileKey key =
          new FileKey(Long.parseLong(matcher.group(1)), Integer.parseInt(matcher.group(2)));
      return Optional.of(
          new CombinedFileName(
              key, matcher.group(3).charAt(0) == 'p' ? BlockRole.PRIMARY : BlockRole.REPLICA));
    } catch (NumberFormatException e) {
      // digits beyond the range of an id: not a name we ever gave
      return Optional.empty();
    }
  }
}
