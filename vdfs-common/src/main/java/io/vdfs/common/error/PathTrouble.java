package io.vdfs.common.error;

import java.nio.file.AccessDeniedException;
import java.nio.file.ReadOnlyFileSystemException;
import java.util.Locale;
import java.util.function.Predicate;

/**
 * Tells from the failure of a file or directory what would help. The JDK has types for some of the
 * reasons only; the others stand in the message, as the system gave it. Stateless.
 */
public final class PathTrouble {
  private PathTrouble() {}

  /** Whether there is no room on the filesystem, or none that this user may take. */
  public static boolean isFull(Throwable failure) {
    return any(
        failure,
        cause ->
            says(cause, "no space left on device")
                || says(cause, "disk quota exceeded")
                || says(cause, "not enough space on the disk"));
  }

  /** Whether the process, or the machine, may have no more open files. */
  public static boolean isTooManyOpen(Throwable failure) {
    return any(failure, cause -> says(cause, "too many open files"));
  }

  /**
   * The cure, as the end of a message that names the path.
   *
   * @param otherwise the cure where the failure does not tell
   */
  public static String cure(Throwable failure, String otherwise) {
    if (isFull(failure)) {
      return "make room on its filesystem";
    }
    if (isTooManyOpen(failure)) {
      return "let this process open more files, by ulimit -n or LimitNOFILE";
    }
    if (any(failure, PathTrouble::isReadOnly)) {
      return "mount its filesystem for writing";
    }
    if (any(failure, PathTrouble::isForbidden)) {
      return "let the user of this process read and write there, by chown or chmod: user=%s"
          .formatted(System.getProperty("user.name"));
    }
    return otherwise;
  }

  private static boolean isReadOnly(Throwable cause) {
    return cause instanceof ReadOnlyFileSystemException || says(cause, "read-only file system");
  }

  private static boolean isForbidden(Throwable cause) {
    return cause instanceof AccessDeniedException || says(cause, "permission denied");
  }

  private static boolean says(Throwable cause, String words) {
    return String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT).contains(words);
  }

  private static boolean any(Throwable failure, Predicate<Throwable> test) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (test.test(cause)) {
        return true;
      }
    }
    return false;
  }
}
