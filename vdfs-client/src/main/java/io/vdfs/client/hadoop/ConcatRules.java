package io.vdfs.client.hadoop;

import io.vdfs.client.VdfsClient;
import io.vdfs.client.names.FileInfo;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Concatenates as HDFS does, under its conditions on the files. */
final class ConcatRules {
  private ConcatRules() {}

  /**
   * Appends the sources to the target, if they fit.
   *
   * @throws VdfsException INVALID_ARGUMENT naming the file that does not fit
   */
  static void concat(VdfsClient client, String target, List<String> sources) throws IOException {
    check(client, target, sources);
    client.concat(target, sources);
  }

  private static void check(VdfsClient client, String target, List<String> sources)
      throws IOException {
    if (sources.isEmpty()) {
      throw refused("there is nothing to append", target, target);
    }
    FileInfo first = file(client, target);
    Set<String> seen = new HashSet<>(Set.of(target));
    for (String source : sources) {
      if (!directory(source).equals(directory(target))) {
        throw refused("files must be in one directory", target, source);
      }
      if (!seen.add(source)) {
        throw refused("a file is named twice", target, source);
      }
      FileInfo file = file(client, source);
      if (file.length() == 0) {
        throw refused("a file is empty", target, source);
      }
      if (file.replication() > first.replication() || file.blockSize() > first.blockSize()) {
        throw refused("a file has more replicas or larger blocks than the target", target, source);
      }
    }
  }

  private static FileInfo file(VdfsClient client, String path) throws IOException {
    FileInfo info = client.names().status(path);
    if (info.isDirectory()) {
      throw new VdfsException(ErrorCode.IS_A_DIRECTORY, "is a directory: path=" + path);
    }
    return info;
  }

  private static String directory(String path) {
    return path.substring(0, path.lastIndexOf('/') + 1);
  }

  private static VdfsException refused(String reason, String target, String source) {
    return new VdfsException(
        ErrorCode.INVALID_ARGUMENT,
        "can't concatenate, " + reason + ": target=" + target + ", source=" + source);
  }
}
