package io.vdfs.client.hadoop;

import io.vdfs.client.VdfsClient;
import io.vdfs.client.hadoop.terms.HadoopErrors.Intent;
import io.vdfs.client.hadoop.terms.PathNames;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.io.IOException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.Path;

/** Deletes trees, and many paths at once. Thread-safe. */
final class Deletion {
  private final Calls calls;

  Deletion(Calls calls) {
    this.calls = calls;
  }

  /** The root always stays: returns false, or throws as for any directory that is not empty. */
  boolean delete(Path path, boolean recursive) throws IOException {
    return calls.change(path, Intent.LOOKUP, (client, name) -> delete(client, name, recursive));
  }

  private static boolean delete(VdfsClient client, String name, boolean recursive)
      throws IOException {
    if (!name.equals(PathNames.ROOT)) {
      return client.names().delete(name, recursive);
    }
    if (!recursive && !client.names().list(name, "", 1).entries().isEmpty()) {
      throw new VdfsException(
          ErrorCode.DIRECTORY_NOT_EMPTY, "directory is not empty: path=" + name);
    }
    return false;
  }

  /** The paths that stay, and why; see {@link io.vdfs.client.names.Names#deleteAll}. */
  Map<Path, String> deleteAll(Collection<Path> paths) throws IOException {
    Map<String, Path> byName = new LinkedHashMap<>();
    for (Path path : paths) {
      byName.put(calls.paths().name(path), path);
    }
    Map<Path, String> failures = new LinkedHashMap<>();
    calls.run(
        calls.paths().root(),
        Intent.LOOKUP,
        (client, root) ->
            client
                .names()
                .deleteAll(List.copyOf(byName.keySet()))
                .forEach((name, reason) -> failures.put(byName.get(name), reason)));
    return failures;
  }
}
