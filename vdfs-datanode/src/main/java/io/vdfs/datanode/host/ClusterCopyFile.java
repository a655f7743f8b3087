package io.vdfs.datanode.host;

import io.vdfs.common.cluster.record.ClusterCodec;
import io.vdfs.common.cluster.record.ClusterCopy;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.datanode.machine.WholeFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.zip.CRC32C;

/**
 * The file in which a node keeps its copy of the cluster's records; numbers are big-endian.
 *
 * <pre>
 * +-----------+-------------+-------------------------+------------------------+
 * | magic u64 | version u32 | CRC32C of what comes u32 | ClusterCopyProto       |
 * +-----------+-------------+-------------------------+------------------------+
 * </pre>
 *
 * <p>Replaced as a whole, so that it may be read while its node runs. One thread writes.
 */
public final class ClusterCopyFile {
  /** "VDFSCOPY". */
  private static final long MAGIC = 0x5644_4653_434f_5059L;

  private static final int VERSION = 1;
  private static final int HEADER_BYTES = Long.BYTES + Integer.BYTES + Integer.BYTES;

  private final Path file;

  public ClusterCopyFile(Path file) {
    this.file = file;
  }

  public Path path() {
    return file;
  }

  /**
   * Empty where the node never saw the cluster founded.
   *
   * @throws VdfsException CORRUPT or IO_ERROR; the message names the file
   */
  public Optional<ClusterCopy> read() throws VdfsException {
    byte[] bytes;
    try {
      bytes = Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw new VdfsException(
          ErrorCode.IO_ERROR,
          "copy of the cluster cannot be read: file=%s, error=%s".formatted(file, e),
          e);
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    if (bytes.length < HEADER_BYTES || buffer.getLong() != MAGIC || buffer.getInt() != VERSION) {
      throw damaged("no copy of version " + VERSION, null);
    }
    int expected = buffer.getInt();
    byte[] body = new byte[buffer.remaining()];
    buffer.get(body);
    if (checksum(body) != expected) {
      throw damaged("crc32c=%08x, expected=%08x".formatted(checksum(body), expected), null);
    }
    try {
      return Optional.of(ClusterCodec.decodeCopy(body));
    } catch (VdfsException e) {
      throw damaged(e.getMessage(), e);
    }
  }

  private VdfsException damaged(String how, Exception cause) {
    return new VdfsException(
        ErrorCode.CORRUPT,
        "copy of the cluster is damaged: file=%s, %s".formatted(file, how),
        cause);
  }

  /** Writes the file whole or not at all; it is there after a crash. */
  void write(ClusterCopy copy) throws IOException {
    byte[] body = ClusterCodec.encode(copy);
    ByteBuffer buffer = ByteBuffer.allocate(HEADER_BYTES + body.length);
    buffer.putLong(MAGIC).putInt(VERSION).putInt(checksum(body)).put(body).flip();
    WholeFile.write(file, buffer);
  }

  private static int checksum(byte[] body) {
    CRC32C crc = new CRC32C();
    crc.update(body);
    return (int) crc.getValue();
  }
}
