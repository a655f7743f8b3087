package io.vdfs.client.hadoop;

import io.vdfs.client.VdfsClient;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.io.IOException;

/**
 * What Hadoop's two renames mean beyond the atomic one of the metadata service. Looks before it
 * renames, yet a race can only make it refuse: the rename itself never overwrites unless asked to.
 * Thread-safe.
 */
final class RenameRules {
  private final VdfsClient client;

  RenameRules(VdfsClient client) {
    this.client = client;
  }

  /**
   * As HDFS: into the target where it is a directory; never over anything.
   *
   * @return false if nothing was renamed: source or target's parent missing, target there, or
   *     target below the source
   */
  boolean renameInto(String source, String target) throws IOException {
    if (source.equals(PathNames.ROOT)) {
      return false;
    }
    String exact = target;
    if (isDirectory(target)) {
      exact = PathNames.child(target, PathNames.lastComponent(source));
    }
    if (exact.equals(source)) {
      return exists(source);
    }
    if (exact.startsWith(source + "/")) {
      return false;
    }
    try {
      client.rename(source, exact, false);
      return true;
    } catch (VdfsException e) {
      if (isPlainRefusal(e.code()) || isDirectoryOntoFile(e.code(), exact)) {
        return false;
      }
      throw e;
    }
  }

  /** Refused as what is there is no directory; yet what lies below a file is an error in HDFS. */
  private boolean isDirectoryOntoFile(ErrorCode code, String target) throws IOException {
    return code == ErrorCode.NOT_A_DIRECTORY && exists(target);
  }

  private static boolean isPlainRefusal(ErrorCode code) {
    return switch (code) {
      case NOT_FOUND, ALREADY_EXISTS, IS_A_DIRECTORY, DIRECTORY_NOT_EMPTY, INVALID_ARGUMENT -> true;
      default -> false;
    };
  }

  /**
   * To exactly the target, with an exception for each refusal.
   *
   * @param overwrite a file, or an empty directory by a directory
   */
  void renameTo(String source, String target, boolean overwrite) throws IOException {
    if (source.equals(PathNames.ROOT) || target.equals(PathNames.ROOT)) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "the root can't be renamed: source=" + source + ", target=" + target);
    }
    if (source.equals(target)) {
      client.status(source);
      throw new VdfsException(
          ErrorCode.ALREADY_EXISTS, "source and target of a rename are the same: path=" + source);
    }
    client.rename(source, target, overwrite);
  }

  private boolean isDirectory(String path) throws IOException {
    try {
      return client.status(path).isDirectory();
    } catch (VdfsException e) {
      if (e.code() == ErrorCode.NOT_FOUND) {
        return false;
      }
      throw e;
    }
  }

  private boolean exists(String path) throws IOException {
    try {
      client.status(path);
      return true;
    } catch (VdfsException e) {
      if (e.code() == ErrorCode.NOT_FOUND) {
        return false;
      }
      throw e;
    }
  }
}
