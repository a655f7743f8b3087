package io.vdfs.datanode.store.volume;

import io.vdfs.common.checksum.Crc32c;
import io.vdfs.datanode.store.disk.Disk;
import io.vdfs.datanode.store.disk.DiskFile;
import io.vdfs.datanode.store.disk.DiskTransfer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;

/**
 * All volumes of a node and where each was last, as it stands on each of them, so that one whose
 * disk is not mounted is missed. Text, so that an operator can read it:
 *
 * <pre>
 *  version=1
 *  UUID=DIRECTORY
 *  ...
 *  crc32c=of the bytes of the lines before, 8 hexadecimal digits
 * </pre>
 *
 * Immutable.
 */
public record VolumeRoster(Map<UUID, Path> places) {
  public static final String FILE_NAME = "vdfs-volumes";
  static final String TEMPORARY = FILE_NAME + ".tmp";

  private static final int MAX_SIZE = 1 << 20;
  private static final String START = "version=1\n";
  private static final String CRC = "crc32c=";

  public VolumeRoster {
    places = Map.copyOf(places);
  }

  private ByteBuffer encode() {
    StringBuilder body = new StringBuilder(START);
    new TreeMap<>(places)
        .forEach((volume, place) -> body.append(volume).append('=').append(place).append('\n'));
    return StandardCharsets.UTF_8.encode(body + CRC + crc(body.toString()) + "\n");
  }

  private static String crc(String body) {
    return String.format("%08x", Crc32c.of(StandardCharsets.UTF_8.encode(body)));
  }

  private static VolumeRoster decode(Path file, ByteBuffer bytes) throws IOException {
    String text = StandardCharsets.UTF_8.decode(bytes).toString();
    int end = text.lastIndexOf(CRC);
    String body = end < 0 ? text : text.substring(0, end);
    if (!body.startsWith(START) || !text.equals(body + CRC + crc(body) + "\n")) {
      throw new IOException("damaged list of the node's volumes: file=" + file);
    }
    Map<UUID, Path> places = new TreeMap<>();
    try {
      for (String line : body.substring(START.length()).lines().toList()) {
        int equals = line.indexOf('=');
        places.put(UUID.fromString(line.substring(0, equals)), Path.of(line.substring(equals + 1)));
      }
    } catch (IndexOutOfBoundsException | InvalidPathException e) {
      throw new IOException("damaged list of the node's volumes: file=" + file, e);
    }
    return new VolumeRoster(places);
  }

  /**
   * What stands on a volume; empty if nothing does.
   *
   * @throws IOException if it can't be read or understood
   */
  public static Optional<VolumeRoster> read(Disk disk, Path volume) throws IOException {
    Path file = volume.resolve(FILE_NAME);
    if (!disk.exists(file)) {
      return Optional.empty();
    }
    try (DiskFile open = disk.open(file)) {
      ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(open.size(), MAX_SIZE));
      DiskTransfer.readUpTo(open, bytes, 0);
      return Optional.of(decode(file, bytes.flip()));
    }
  }

  /** Puts this on a volume, so that it survives a power cut. */
  public void write(Disk disk, Path volume) throws IOException {
    Path temporary = volume.resolve(TEMPORARY);
    disk.delete(temporary);
    try (DiskFile file = disk.create(temporary)) {
      DiskTransfer.writeFully(file, encode(), 0);
      file.force();
    }
    disk.rename(temporary, volume.resolve(FILE_NAME));
    disk.forceDirectory(volume);
  }
}
