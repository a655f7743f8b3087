package io.vdfs.datanode.meta.raft.disk;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.PathTrouble;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.security.OwnerOnly;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The directory of a member's log and snapshots, locked against other processes while open.
 *
 * <p>Its file {@value #IDENTITY} says whose it is: two lines, {@code group=UUID} and {@code
 * node=UUID}. A directory of another group or node is refused before anything in it is touched. It
 * is closed to other users, as its log tells all names. Confined to the thread that opens it.
 */
public final class MemberDirectory implements Closeable {
  static final String IDENTITY = "vdfs-member";

  /** Version of the group's members when this node was asked to become one; decimal. */
  public static final String INVITED = "vdfs-invited";

  /** Stands in the directory while a recovery is under way; holds the new group's id. */
  public static final String RECOVERING = "vdfs-recovering";

  /** Stands in the directory while its log may lack entries that the member acknowledged. */
  public static final String DOUBT = "vdfs-doubt";

  public static final String DATA = "raft";
  private static final Pattern IDENTITY_TEXT =
      Pattern.compile("group=([0-9a-f-]{36})\nnode=[0-9a-f-]{36}\n");

  private final Path directory;
  private final Path data;
  private final FileChannel identity;

  private MemberDirectory(Path directory, FileChannel identity) {
    this.directory = directory;
    this.data = directory.resolve(DATA);
    this.identity = identity;
  }

  /**
   * Opens the directory, which is made where it doesn't exist.
   *
   * @throws VdfsException MISCONFIGURED if it belongs to another group, node or running process, or
   *     can't be written
   */
  public static MemberDirectory open(Path directory, UUID group, NodeId self) throws VdfsException {
    try {
      OwnerOnly.directory(directory);
      requireOursOrEmpty(directory);
      FileChannel channel =
          OwnerOnly.open(
              directory.resolve(IDENTITY),
              Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE));
      try {
        lock(directory, channel);
        requireNoRecovery(directory);
        claim(directory, channel, identity(group, self));
        OwnerOnly.directory(directory.resolve(DATA));
        return new MemberDirectory(directory, channel);
      } catch (IOException | RuntimeException e) {
        channel.close();
        throw e;
      }
    } catch (VdfsException e) {
      throw e;
    } catch (IOException e) {
      throw unusable(directory, e);
    }
  }

  /**
   * Opens the directory of a member whose group is given up, also where that was begun before.
   *
   * @throws VdfsException MISCONFIGURED if it holds no member of this node or a process uses it
   */
  public static MemberDirectory openToRecover(Path directory, NodeId self) throws VdfsException {
    try {
      FileChannel channel =
          FileChannel.open(
              directory.resolve(IDENTITY), StandardOpenOption.READ, StandardOpenOption.WRITE);
      try {
        lock(directory, channel);
        String found = read(channel);
        if (!found.equals(identity(groupIn(directory, found), self))) {
          throw new VdfsException(
              ErrorCode.MISCONFIGURED,
              "metadata directory belongs to another node: directory=%s, found=[%s], node=%s"
                  .formatted(directory, oneLine(found), self));
        }
        return new MemberDirectory(directory, channel);
      } catch (IOException | RuntimeException e) {
        channel.close();
        throw e;
      }
    } catch (VdfsException e) {
      throw e;
    } catch (IOException e) {
      throw unusable(directory, e);
    }
  }

  /** Whether a member has run here before. */
  public boolean hasPast() throws IOException {
    try (Stream<Path> files = Files.list(data)) {
      return files.findAny().isPresent();
    }
  }

  /** Whether a leader was to take the member up, when it was made. */
  boolean isInvited() {
    return Files.exists(directory.resolve(INVITED));
  }

  /** Why the log may lack entries that the member acknowledged; empty where it lacks none. */
  Optional<DoubtNote> doubt() throws IOException {
    return doubtIn(directory);
  }

  static Optional<DoubtNote> doubtIn(Path directory) throws IOException {
    try {
      return Optional.of(DoubtNote.parse(Files.readString(directory.resolve(DOUBT))));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (CharacterCodingException e) {
      return Optional.of(DoubtNote.GONE);
    }
  }

  void noteDoubt(DoubtNote doubt) throws IOException {
    note(DOUBT, doubt.text());
  }

  public void settleDoubt() throws IOException {
    Files.deleteIfExists(directory.resolve(DOUBT));
    DiskForce.REAL.names(directory);
  }

  private static String identity(UUID group, NodeId self) {
    return "group=" + group + "\nnode=" + self + "\n";
  }

  /** The group that the text of an identity file names. */
  static UUID groupIn(Path directory, String identity) throws VdfsException {
    Matcher matcher = IDENTITY_TEXT.matcher(identity);
    if (!matcher.matches()) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          "metadata directory is no member's: directory=%s, found=[%s]"
              .formatted(directory, oneLine(identity)));
    }
    return UUID.fromString(matcher.group(1));
  }

  /**
   * @throws VdfsException MISCONFIGURED if a recovery of this directory's member was interrupted
   */
  static void requireNoRecovery(Path directory) throws VdfsException {
    if (Files.exists(directory.resolve(RECOVERING))) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          "the recovery of this metadata member did not end: directory=%s; run vdfs-daemon"
                  .formatted(directory)
              + " metadata-recover again");
    }
  }

  /** Writes a small file beside the identity, whole or not at all; it is there after a crash. */
  public void note(String name, String text) throws IOException {
    Path draft = directory.resolve(name + ".tmp");
    try (FileChannel channel =
        OwnerOnly.open(
            draft,
            Set.of(
                StandardOpenOption.CREATE,
                StandardOpenOption.TRUNCATE_EXISTING,
                StandardOpenOption.WRITE))) {
      write(channel, text + "\n");
    }
    Files.move(draft, directory.resolve(name), StandardCopyOption.ATOMIC_MOVE);
    DiskForce.REAL.names(directory);
  }

  /** Makes the directory one of another group's member; the same node's. */
  public void changeGroup(UUID group, NodeId self) throws IOException {
    write(identity, identity(group, self));
  }

  private static void requireOursOrEmpty(Path directory) throws IOException {
    if (Files.exists(directory.resolve(IDENTITY))) {
      return;
    }
    try (Stream<Path> entries = Files.list(directory)) {
      if (entries.findAny().isPresent()) {
        throw new VdfsException(
            ErrorCode.MISCONFIGURED,
            "directory holds other things, name an empty one for the metadata: directory=%s"
                .formatted(directory));
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
    String found = read(channel);
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
    write(channel, expected);
  }

  private static String read(FileChannel channel) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(channel.size(), 4096));
    int read;
    do {
      read = channel.read(bytes, bytes.position());
    } while (read > 0);
    return StandardCharsets.UTF_8.decode(bytes.flip()).toString();
  }

  /** All identities are of one length, so that one takes the place of another. */
  private static void write(FileChannel channel, String text) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
    while (bytes.hasRemaining()) {
      channel.write(bytes, bytes.position());
    }
    channel.force(true);
  }

  private static String oneLine(String text) {
    return text.strip().replace('\n', ' ');
  }

  Path path() {
    return directory;
  }

  /** Where Ratis keeps its files. */
  public Path data() {
    return data;
  }

  /** Where Ratis keeps its files of one group. */
  public Path storage(UUID group) {
    return data.resolve(group.toString());
  }

  @Override
  public void close() throws IOException {
    identity.close();
  }

  public static VdfsException unusable(Path directory, Exception cause) {
    return new VdfsException(
        ErrorCode.MISCONFIGURED,
        "metadata directory cannot be used: directory=%s, error=%s; %s"
            .formatted(directory, cause, PathTrouble.cure(cause, "repair its disk")),
        cause);
  }
}
