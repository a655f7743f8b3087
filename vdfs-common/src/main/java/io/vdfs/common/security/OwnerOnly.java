package io.vdfs.common.security;

import com.sun.security.auth.module.UnixSystem;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Directories and files that a daemon keeps to itself: of mode 0700 and 0600, whatever the umask.
 * Stateless; usable on any thread.
 */
public final class OwnerOnly {
  private static final Logger LOG = LoggerFactory.getLogger(OwnerOnly.class);
  private static final Set<PosixFilePermission> DIRECTORY =
      PosixFilePermissions.fromString("rwx------");
  private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");
  private static final FileAttribute<?> NEW_DIRECTORY =
      PosixFilePermissions.asFileAttribute(DIRECTORY);
  private static final FileAttribute<?> NEW_FILE = PosixFilePermissions.asFileAttribute(FILE);

  private OwnerOnly() {}

  /**
   * Makes a directory and its missing parents, or closes an existing directory to others; its
   * contents stay as they are.
   *
   * @throws VdfsException MISCONFIGURED if it belongs to another user, who could open it again
   * @throws IOException if it can't be made or closed
   */
  public static void directory(Path directory) throws IOException {
    Path parent = directory.toAbsolutePath().getParent();
    if (parent != null) {
      Files.createDirectories(parent);
    }
    try {
      Files.createDirectory(directory, NEW_DIRECTORY);
    } catch (FileAlreadyExistsException e) {
      requireOwn(directory);
      if (close(directory, DIRECTORY)) {
        LOG.warn(
            "Other users could look into a directory of the daemon; it is closed to them now:"
                + " directory={}",
            directory);
      }
    }
  }

  /**
   * As {@link #directory}, and closes all that lies in it.
   *
   * @throws VdfsException also if something in it is open to others and belongs to another user
   */
  public static void tree(Path directory) throws IOException {
    directory(directory);
    Files.walkFileTree(
        directory.toRealPath(),
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path inner, BasicFileAttributes attributes)
              throws IOException {
            closeInner(inner, DIRECTORY);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            if (attributes.isRegularFile()) {
              closeInner(file, FILE);
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException failure)
              throws IOException {
            if (failure instanceof AccessDeniedException) {
              return FileVisitResult.CONTINUE; // closed even to us, as lost+found is
            }
            throw failure;
          }
        });
  }

  /** Closes an existing file to others. */
  public static void file(Path file) throws IOException {
    close(file, FILE);
  }

  /** Opens a file; if this makes it, it is closed to others from the beginning. */
  public static FileChannel open(Path file, Set<? extends OpenOption> options) throws IOException {
    return FileChannel.open(file, options, NEW_FILE);
  }

  private static void closeInner(Path path, Set<PosixFilePermission> permissions)
      throws IOException {
    try {
      close(path, permissions);
    } catch (IOException e) {
      throw foreign(path, e);
    }
  }

  /** Whether others could do anything with it before. */
  private static boolean close(Path path, Set<PosixFilePermission> permissions) throws IOException {
    Set<PosixFilePermission> found = Files.getPosixFilePermissions(path);
    if (permissions.containsAll(found)) {
      return false;
    }
    Files.setPosixFilePermissions(path, permissions);
    return true;
  }

  /** Directories that this process makes belong to its user; so must those that it closes. */
  private static void requireOwn(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      throw new FileAlreadyExistsException(directory.toString(), null, "not a directory");
    }
    if (owner(directory) != new UnixSystem().getUid()) {
      throw foreign(directory, null);
    }
  }

  private static long owner(Path path) throws IOException {
    return ((Number) Files.getAttribute(path, "unix:uid")).longValue();
  }

  private static VdfsException foreign(Path path, IOException cause) throws IOException {
    return new VdfsException(
        ErrorCode.MISCONFIGURED,
        "what the daemon keeps to itself is another user's: path=%s, owner=%d, user=%d; give it to"
                .formatted(path, owner(path), new UnixSystem().getUid())
            + " the user who runs the daemon with chown, or configure another place",
        cause);
  }
}
