package io.vdfs.datanode.meta.raft;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * The directory of a member's log and snapshots, held against other processes while open.
 *
 * <p>Its file {@value #IDENTITY} says whose it is: two lines, {@code group=UUID} and {@code
 * node=UUID}. A directory of somebody else is refused before anything in it is touched. Confined to
 * the thread that opens it.
 */
final class MemberDirectory implements Closeable {
  static final String IDENTITY = "vdfs-member";

  private static final String DATA = "raft";

  private final Path data;
  private final FileChannel identity;

  private MemberDirectory(Path data, FileChannel identity) {
    this.data = data;
    this.identity = identity;
  }

  /**
   * Opens the directory, which is made where it doesn't exist.
   *
   * @throws VdfsException MISCONFIGURED if it belongs to another group, node or running process, or
   *     can't be written
   */
  static MemberDirectory open(Path directory, UUID group, NodeId self) throws VdfsException {
    try {
      Files.createDirectories(directory);
      requireOursOrEmpty(directory);
      FileChannel channel =
          FileChannel.open(
              directory.resolve(IDENTITY),
              StandardOpenOption.CREATE,
              StandardOpenOption.READ,
              StandardOpenOption.WRITE);
      try {
        lock(directory, channel);
        claim(directory, channel, "group=" + group + "\nnode=" + self + "\n");
        return new MemberDirectory(Files.createDirectories(directory.resolve(DATA)), channel);
      } catch (IOException | RuntimeException e) {
        channel.close();
        throw e;
      }
    } catch (VdfsException e) {
      throw e;
    } catch (IOException e) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          "metadata directory cannot be used: directory=%s, error=%s".formatted(directory, e),
          e);
    }
  }

  private static void requireOursOrEmpty(Path directory) throws IOException {
    if (Files.exists(directory.resolve(IDENTITY))) {
      return;
    }
    try (Stream<Path> entries = Files.list(directory)) {
      if (entries.findAny().isPresent()) {
        throw new VdfsException(
            ErrorCode.MISCONFIGURED,
            "directory holds other things, name an empty one for the metadata: directory="
                + directory);
      }
    }
  }

  private static void lock(Path directory, FileChannel channel) throws IOException {
    FileLock lock;
    try {
      lock = channel.tryLock();
    } catch (OverlappingFileLockException e) {
      lock = null;
    }
    if (lock == null) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          "metadata directory is in use by a running DataNode: directory=" + directory);
    }
  }

  private static void claim(Path directory, FileChannel channel, String expected)
      throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(channel.size(), 4096));
    int read;
    do {
      read = channel.read(bytes, bytes.position());
    } while (read > 0);
    String found = StandardCharsets.UTF_8.decode(bytes.flip()).toString();
    if (found.equals(expected)) {
      return;
    }
    boolean cutShort = expected.startsWith(found) && !Files.exists(directory.resolve(DATA));
    if (!cutShort) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          "metadata directory belongs to another member: directory=%s, found=[%s], expected=[%s]"
              .formatted(directory, oneLine(found), oneLine(expected)));
    }
    ByteBuffer text = ByteBuffer.wrap(expected.getBytes(StandardCharsets.UTF_8));
    while (text.hasRemaining()) {
      channel.write(text, text.position());
    }
    channel.force(true);
  }

  private static String oneLine(String text) {
    return text.strip().replace('\n', ' ');
  }

  /** Where Ratis keeps its files. */
  Path data() {
    return data;
  }

  @Override
  public void close() throws IOException {
    identity.close();
  }
}
