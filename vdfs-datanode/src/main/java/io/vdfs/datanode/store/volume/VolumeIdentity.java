package io.vdfs.datanode.store.volume;

import io.vdfs.common.checksum.Crc32c;
import io.vdfs.common.model.NodeId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;

/**
 * Whose a volume is, as it stands in its identity file. Text, so that an operator can read it:
 *
 * <pre>
 *  version=6
 *  cluster=UUID
 *  node=UUID
 *  volume=UUID
 *  crc32c=of the bytes of the lines before, 8 hexadecimal digits
 * </pre>
 *
 * Immutable.
 */
public record VolumeIdentity(UUID cluster, NodeId node, UUID volume) {
  public static final String FILE_NAME = "vdfs-volume";
  static final int VERSION = 6;
  static final int MAX_SIZE = 4096;

  private static final int LINES = 5;

  ByteBuffer encode() {
    String body =
        "version=%s\ncluster=%s\nnode=%s\nvolume=%s\n".formatted(VERSION, cluster, node, volume);
    int crc = Crc32c.of(StandardCharsets.US_ASCII.encode(body));
    return StandardCharsets.US_ASCII.encode(body + String.format("crc32c=%08x\n", crc));
  }

  /**
   * @throws IllegalArgumentException if the bytes are no identity of this version; the message says
   *     what was found
   */
  static VolumeIdentity decode(ByteBuffer bytes) {
    String text = StandardCharsets.US_ASCII.decode(bytes.duplicate()).toString();
    List<String> lines = text.lines().toList();
    if (lines.isEmpty() || !lines.get(0).equals("version=" + VERSION)) {
      throw new IllegalArgumentException(
          "found=%s, supported=version=%s"
              .formatted(lines.isEmpty() ? "nothing" : lines.get(0), VERSION));
    }
    if (lines.size() != LINES) {
      throw new IllegalArgumentException("found lines=" + lines.size() + ", expected=" + LINES);
    }
    VolumeIdentity identity;
    try {
      identity =
          new VolumeIdentity(
              UUID.fromString(value(lines.get(1), "cluster")),
              NodeId.parse(value(lines.get(2), "node")),
              UUID.fromString(value(lines.get(3), "volume")));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("found=" + lines + ", cause=" + e.getMessage(), e);
    }
    if (!identity.encode().equals(bytes)) {
      throw new IllegalArgumentException("checksum does not fit, found=" + lines.get(LINES - 1));
    }
    return identity;
  }

  private static String value(String line, String name) {
    if (!line.startsWith(name + "=")) {
      throw new IllegalArgumentException("expected " + name + "=, found=" + line);
    }
    return line.substring(name.length() + 1);
  }
}
