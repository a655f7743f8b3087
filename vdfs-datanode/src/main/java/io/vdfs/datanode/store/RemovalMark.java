package io.vdfs.datanode.store;

import io.vdfs.common.store.ChunkChecksums;
import io.vdfs.datanode.store.disk.Disk;
import io.vdfs.datanode.store.disk.DiskFile;
import io.vdfs.datanode.store.disk.DiskTransfer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * The highest id of a file that the node ever removed, as it stands on a volume: id and CRC32C of
 * its eight bytes. Stateless.
 */
final class RemovalMark {
  static final String FILE_NAME = "vdfs-removed";
  static final String TEMPORARY = FILE_NAME + ".tmp";

  private static final int SIZE = Long.BYTES + Integer.BYTES;

  private RemovalMark() {}

  /**
   * @return 0 if nothing was ever removed
   * @throws IOException if it can't be read, or is damaged
   */
  static long read(Disk disk, Path volume) throws IOException {
    Path file = volume.resolve(FILE_NAME);
    if (!disk.exists(file)) {
      return 0;
    }
    ByteBuffer bytes = ByteBuffer.allocate(SIZE);
    try (DiskFile open = disk.open(file)) {
      DiskTransfer.readUpTo(open, bytes, 0);
    }
    if (bytes.hasRemaining() || bytes.getInt(Long.BYTES) != crc(bytes.getLong(0))) {
      throw new IOException("damaged: file=" + file);
    }
    return bytes.getLong(0);
  }

  /** Returns when it survives a power cut. */
  static void write(Disk disk, Path volume, long highest) throws IOException {
    Path temporary = volume.resolve(TEMPORARY);
    disk.delete(temporary);
    try (DiskFile file = disk.create(temporary)) {
      ByteBuffer bytes = ByteBuffer.allocate(SIZE).putLong(highest).putInt(crc(highest)).flip();
      DiskTransfer.writeFully(file, bytes, 0);
      file.force();
    }
    disk.rename(temporary, volume.resolve(FILE_NAME));
    disk.forceDirectory(volume);
  }

  private static int crc(long highest) {
    return ChunkChecksums.crc(ByteBuffer.allocate(Long.BYTES).putLong(highest).flip());
  }
}
