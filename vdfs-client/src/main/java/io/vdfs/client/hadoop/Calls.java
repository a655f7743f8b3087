package io.vdfs.client.hadoop;

import io.vdfs.client.VdfsClient;
import io.vdfs.client.hadoop.cluster.SharedClients;
import io.vdfs.client.hadoop.terms.HadoopErrors;
import io.vdfs.client.hadoop.terms.HadoopErrors.Intent;
import java.io.IOException;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * How each call of a filesystem reaches its client: the path is named, the client must still be
 * open, the operation is counted, and failures become Hadoop's exceptions. Thread-safe.
 */
final class Calls {
  private final Paths paths;
  private final SharedClients.Lease lease;
  private final FileSystem.Statistics statistics;

  /** Paths as the filesystem, which knows its URI and the working directory, understands them. */
  interface Paths {
    /**
     * The path as the metadata service names it.
     *
     * @throws IllegalArgumentException for a path of another filesystem, or one that no file can
     *     have
     */
    String name(Path path);

    /** With scheme, authority and all directories. */
    Path qualified(Path path);

    /** The root of the filesystem. */
    Path root();
  }

  /** Asks for something that the client finds by a path. */
  @FunctionalInterface
  interface NamedCall<T> {
    T run(VdfsClient client, String name) throws IOException;
  }

  /** Changes something that the client finds by a path. */
  @FunctionalInterface
  interface NamedAction {
    void run(VdfsClient client, String name) throws IOException;
  }

  Calls(Paths paths, SharedClients.Lease lease, FileSystem.Statistics statistics) {
    this.paths = paths;
    this.lease = lease;
    this.statistics = statistics;
  }

  Paths paths() {
    return paths;
  }

  SharedClients.Lease lease() {
    return lease;
  }

  FileSystem.Statistics statistics() {
    return statistics;
  }

  /**
   * The client.
   *
   * @throws IOException if the filesystem is closed
   */
  VdfsClient client() throws IOException {
    if (lease.isClosed()) {
      throw new IOException("Filesystem closed: uri=" + paths.root());
    }
    return lease.client();
  }

  /** Runs a call that changes nothing. */
  <T> T read(Path path, Intent intent, NamedCall<T> call) throws IOException {
    String name = paths.name(path);
    VdfsClient client = client();
    statistics.incrementReadOps(1);
    return HadoopErrors.translate(path, intent, () -> call.run(client, name));
  }

  /** Runs a change that has a result. */
  <T> T change(Path path, Intent intent, NamedCall<T> call) throws IOException {
    String name = paths.name(path);
    VdfsClient client = client();
    statistics.incrementWriteOps(1);
    return HadoopErrors.translate(path, intent, () -> call.run(client, name));
  }

  /** Runs a change without a result. */
  void run(Path path, Intent intent, NamedAction action) throws IOException {
    change(
        path,
        intent,
        (client, name) -> {
          action.run(client, name);
          return null;
        });
  }
}
