package io.vdfs.common.security;

import com.sun.security.auth.module.UnixSystem;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * The key file: the generations of a cluster key, each a line of 64 hexadecimal digits, newest
 * first; lines that begin with # and empty ones don't count. Only its owner, who runs the daemon,
 * may read it; otherwise it is not used. Thread-safe as far as the file is.
 */
public final class ClusterKeyFile {
  private static final int MAX_FILE_BYTES = 4 << 10;
  private static final Set<PosixFilePermission> OWNER_ONLY =
      PosixFilePermissions.fromString("rw-------");
  private static final Set<PosixFilePermission> OTHERS =
      PosixFilePermissions.fromString("---rwxrwx");
  private static final String COMMENT =
      """
      # The secret of a VDFS cluster, newest generation first. All its nodes need the same file, for
      # their own user alone; whoever has it is a node. See docs/security.md.
      """;

  private final Path file;
  private final LongSupplier ownUser;

  public ClusterKeyFile(Path file) {
    this(file, () -> new UnixSystem().getUid());
  }

  /**
   * @param ownUser number of the user who runs this process
   */
  ClusterKeyFile(Path file, LongSupplier ownUser) {
    this.file = file;
    this.ownUser = ownUser;
  }

  public Path path() {
    return file;
  }

  public boolean exists() {
    return Files.exists(file);
  }

  /**
   * @throws VdfsException MISCONFIGURED where there is no such file, it is not this user's or open
   *     to others, or it holds no key; the message names file and cure, never what it holds
   */
  public ClusterKey load() throws VdfsException {
    try {
      requirePrivate();
      if (Files.size(file) > MAX_FILE_BYTES) {
        throw unusable("bytes=%d, limit=%d".formatted(Files.size(file), MAX_FILE_BYTES), null);
      }
      return parse(Files.readString(file, StandardCharsets.US_ASCII));
    } catch (NoSuchFileException e) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          "no cluster key: file=%s; copy there the file that 'vdfs format' wrote, or that another"
                  .formatted(file)
              + " node of the cluster has, or name it with vdfs.cluster.key.file",
          e);
    } catch (VdfsException e) {
      throw e;
    } catch (IOException e) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          "cluster key cannot be read: file=%s, error=%s; make it readable for the user who runs"
                  .formatted(file, e)
              + " the daemon, and nobody else",
          e);
    }
  }

  private void requirePrivate() throws IOException {
    Map<String, Object> attributes = Files.readAttributes(file, "unix:uid,permissions");
    long owner = ((Number) attributes.get("uid")).longValue();
    long own = ownUser.getAsLong();
    if (owner != own) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          "cluster key is another user's: file=%s, owner=%d, user=%d; run this as the file's owner,"
                  .formatted(file, owner, own)
              + " or change its owner to the user who runs the daemon");
    }
    @SuppressWarnings("unchecked") // what the attribute is documented to be
    Set<PosixFilePermission> permissions = (Set<PosixFilePermission>) attributes.get("permissions");
    if (!Collections.disjoint(permissions, OTHERS)) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          "cluster key is open to others: file=%s, permissions=%s; chmod 600 it, and if others could"
                  .formatted(file, PosixFilePermissions.toString(permissions))
              + " read it, replace the key with 'vdfs format --roll-key'");
    }
  }

  private ClusterKey parse(String text) throws VdfsException {
    List<byte[]> generations = new ArrayList<>();
    try {
      for (String line : text.lines().map(String::strip).toList()) {
        if (!line.isEmpty() && !line.startsWith("#")) {
          generations.add(HexFormat.of().parseHex(line));
        }
      }
    } catch (IllegalArgumentException e) {
      // its message, and its cause, would show a part of the key
      throw unusable("a line is no hexadecimal number", null);
    }
    try {
      return ClusterKey.of(generations);
    } catch (IllegalArgumentException e) {
      throw unusable(e.getMessage(), e);
    }
  }

  private VdfsException unusable(String how, Exception cause) {
    return new VdfsException(
        ErrorCode.MISCONFIGURED,
        "file holds no cluster key: file=%s, %s; copy it anew from another node of the cluster"
            .formatted(file, how),
        cause);
  }

  /**
   * Writes a file that is not there yet; only this user can ever read it.
   *
   * @throws VdfsException ALREADY_EXISTS, or MISCONFIGURED where it can't be written
   */
  public void create(ClusterKey key) throws VdfsException {
    try {
      Path parent = file.toAbsolutePath().getParent();
      Files.createDirectories(parent);
      write(file, key);
      force(parent);
    } catch (FileAlreadyExistsException e) {
      throw new VdfsException(ErrorCode.ALREADY_EXISTS, "key file exists: file=" + file, e);
    } catch (IOException e) {
      throw notWritten(e);
    }
  }

  /**
   * Writes another key into the file, as a whole or not at all.
   *
   * @throws VdfsException MISCONFIGURED where it can't be written
   */
  public void replace(ClusterKey key) throws VdfsException {
    try {
      Path real = file.toRealPath();
      Path draft = real.resolveSibling(real.getFileName() + ".new");
      Files.deleteIfExists(draft);
      write(draft, key);
      Files.move(draft, real, StandardCopyOption.ATOMIC_MOVE);
      force(real.getParent());
    } catch (IOException e) {
      throw notWritten(e);
    }
  }

  /** Takes back a file that {@link #create} has written. */
  public void delete() throws VdfsException {
    try {
      Files.delete(file);
    } catch (IOException e) {
      throw notWritten(e);
    }
  }

  private VdfsException notWritten(IOException e) {
    return new VdfsException(
        ErrorCode.MISCONFIGURED,
        "cluster key cannot be written: file=%s, error=%s; name another file with"
                .formatted(file, e)
            + " vdfs.cluster.key.file",
        e);
  }

  private static void write(Path file, ClusterKey key) throws IOException {
    StringBuilder text = new StringBuilder(COMMENT);
    for (byte[] generation : key.generations()) {
      text.append(HexFormat.of().formatHex(generation)).append('\n');
    }
    ByteBuffer bytes = ByteBuffer.wrap(text.toString().getBytes(StandardCharsets.US_ASCII));
    try (FileChannel channel =
        FileChannel.open(
            file,
            Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(OWNER_ONLY))) {
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      channel.force(true);
    }
  }

  private static void force(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }
}
