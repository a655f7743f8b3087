package io.vdfs.datanode.store.volume;

import io.vdfs.common.checksum.Crc32c;
import io.vdfs.datanode.store.disk.Disk;
import io.vdfs.datanode.store.disk.DiskFile;
import io.vdfs.datanode.store.disk.DiskTransfer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Up to where a node has removed files, as it stands on each volume: the two numbers and CRC32C of
 * their sixteen bytes. Immutable.
 *
 * @param highestId of a file that was ever removed
 * @param lastDeletion sequence of the last deletion that was ever carried out
 */
public record RemovalMark(long highestId, long lastDeletion) {
  static final String FILE_NAME = "vdfs-removed";
  static final String TEMPORARY = FILE_NAME + ".tmp";

  /** Nothing was removed. */
  public static final RemovalMark NONE = new RemovalMark(0, 0);

  /** It is not known what was removed. */
  public static final RemovalMark ANYTHING = new RemovalMark(Long.MAX_VALUE, Long.MAX_VALUE);

  private static final int CHECKED = 2 * Long.BYTES;
  private static final int SIZE = CHECKED + Integer.BYTES;

  /** The higher of the two in each number. */
  public RemovalMark orHigher(RemovalMark other) {
    return new RemovalMark(
        Math.max(highestId, other.highestId), Math.max(lastDeletion, other.lastDeletion));
  }

  /**
   * @return {@link #NONE} if nothing was ever removed
   * @throws IOException if it can't be read, or is damaged
   */
  static RemovalMark read(Disk disk, Path volume) throws IOException {
    Path file = volume.resolve(FILE_NAME);
    if (!disk.exists(file)) {
      return NONE;
    }
    ByteBuffer bytes = ByteBuffer.allocate(SIZE);
    try (DiskFile open = disk.open(file)) {
      DiskTransfer.readUpTo(open, bytes, 0);
    }
    if (bytes.hasRemaining() || bytes.getInt(CHECKED) != Crc32c.of(bytes.slice(0, CHECKED))) {
      throw new IOException("damaged: file=" + file);
    }
    return new RemovalMark(bytes.getLong(0), bytes.getLong(Long.BYTES));
  }

  /** Returns when it survives a power cut. */
  void write(Disk disk, Path volume) throws IOException {
    Path temporary = volume.resolve(TEMPORARY);
    disk.delete(temporary);
    try (DiskFile file = disk.create(temporary)) {
      ByteBuffer bytes = ByteBuffer.allocate(SIZE).putLong(highestId).putLong(lastDeletion);
      bytes.putInt(Crc32c.of(bytes.slice(0, CHECKED))).flip();
      DiskTransfer.writeFully(file, bytes, 0);
      file.force();
    }
    disk.rename(temporary, volume.resolve(FILE_NAME));
    disk.forceDirectory(volume);
  }
}
