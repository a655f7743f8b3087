package io.vdfs.client.hadoop;

import io.vdfs.client.VdfsClient;
import io.vdfs.client.hadoop.terms.PathNames;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.io.IOException;

/** What Hadoop's two renames mean beyond those of the metadata service. Thread-safe. */
final class RenameRules {
  private final VdfsClient client;

  RenameRules(VdfsClient client) {
    this.client = client;
  }

  /**
   * Renames as HDFS does: into the target where it is a directory; never over anything.
   *
   * @return false if nothing was renamed: source or target's parent missing, target there, or
   *     target below the source
   */
  boolean renameInto(String source, String target) throws IOException {
    return !source.equals(PathNames.ROOT) && client.names().renameInto(source, target);
  }

  /**
   * Renames to exactly the target, with an exception for each refusal.
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
      client.names().status(source);
      throw new VdfsException(
          ErrorCode.ALREADY_EXISTS, "source and target of a rename are the same: path=" + source);
    }
    client.names().rename(source, target, overwrite);
  }
}
