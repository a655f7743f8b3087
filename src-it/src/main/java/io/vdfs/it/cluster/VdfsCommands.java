package io.vdfs.it.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Runs the scripts of {@code bin/} on a cluster whose nodes have been launched, with the settings
 * of one of them. Confined to one thread.
 */
public final class VdfsCommands {
  private final DaemonProcesses cluster;
  private final Duration limit;
  private int count;

  /**
   * @param limit for each command
   */
  public VdfsCommands(DaemonProcesses cluster, Duration limit) {
    this.cluster = cluster;
    this.limit = limit;
  }

  /**
   * Runs {@code bin/vdfs-daemon} with a command.
   *
   * @return all its output
   * @throws IllegalStateException if it does not end with this exit code
   */
  public String daemon(int code, int node, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("vdfs-daemon", "--conf", conf(node)));
    command.addAll(List.of(arguments));
    return run(code, command);
  }

  /** As above, for {@code bin/vdfs}. */
  public String vdfs(int code, String name, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("vdfs", name, "--conf", conf(0)));
    command.addAll(List.of(arguments));
    return run(code, command);
  }

  private String conf(int node) throws Exception {
    return cluster.directory().directory("conf-node" + node).toString();
  }

  private String run(int code, List<String> command) throws Exception {
    List<String> found = new ArrayList<>(command);
    found.set(0, VdfsHome.path().resolve("bin").resolve(command.get(0)).toString());
    count++;
    try (LoggedProcess process =
        LoggedProcess.start(
            "command" + count,
            cluster.directory().directory("logs"),
            found,
            Map.of("JAVA_HOME", System.getProperty("java.home")))) {
      int exit = process.awaitExit(limit);
      String said = process.output() + process.error();
      if (exit != code) {
        throw new IllegalStateException(
            "%s ended with %d instead of %d:%n%s%n%s"
                .formatted(command, exit, code, said, cluster.logs()));
      }
      return said;
    }
  }
}
