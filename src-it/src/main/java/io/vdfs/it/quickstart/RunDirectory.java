package io.vdfs.it.quickstart;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The directory of everything that a run writes, and the places in it. Immutable.
 *
 * <p>{@code reaper.sh} knows {@code logs}, {@code pids} and the local directories of YARN.
 */
record RunDirectory(Path root) {
  /** Makes a new directory below the system's temporary one, for this user only. */
  static RunDirectory create() throws IOException {
    RunDirectory run = new RunDirectory(Files.createTempDirectory("vdfs-quickstart-").toRealPath());
    Files.createDirectory(run.logs());
    Files.createDirectory(run.pids());
    Files.createDirectory(run.conf());
    Files.createDirectory(run.temporary());
    return run;
  }

  Path logs() {
    return root.resolve("logs");
  }

  /** A file for each child process, with its id. */
  Path pids() {
    return root.resolve("pids");
  }

  /** Hadoop's configuration, as clients and containers see it. */
  Path conf() {
    return root.resolve("conf");
  }

  Path temporary() {
    return root.resolve("tmp");
  }

  Path zooKeeper() {
    return root.resolve("zookeeper");
  }

  /** The key that all DataNodes share. */
  Path clusterKey() {
    return root.resolve("cluster.key");
  }

  Path dataNodeConf(int node) {
    return root.resolve("datanode" + node).resolve("conf");
  }

  Path dataNodeData(int node) {
    return root.resolve("datanode" + node).resolve("data");
  }

  Path nodeManagerLocal(int node) {
    return root.resolve("yarn" + node).resolve("local");
  }

  Path containerLogs(int node) {
    return logs().resolve("containers" + node);
  }

  Path text() {
    return root.resolve("text");
  }
}
