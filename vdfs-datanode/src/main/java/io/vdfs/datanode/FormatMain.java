package io.vdfs.datanode;

import io.vdfs.common.cluster.ClusterFormat;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.security.ClusterKey;
import io.vdfs.common.security.ClusterKeyFile;
import java.io.PrintStream;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;

/**
 * The command {@code vdfs format}: writes the properties of a new cluster into ZooKeeper, and its
 * key into a file that all its nodes need; or takes the key one step further, see {@link
 * ClusterKey#roll}.
 */
public final class FormatMain {
  private FormatMain() {}

  /** Runs the command; the exit code is 1 where it failed, with one line on standard error. */
  public static void main(String[] args) {
    System.exit(run(List.of(args), System.out, System.err));
  }

  static int run(List<String> arguments, PrintStream out, PrintStream err) {
    try {
      Optional<ClusterKeyFile> rolled = FormatSettings.rolledKey(arguments);
      if (rolled.isPresent()) {
        roll(rolled.get(), out);
      } else {
        format(FormatSettings.parse(arguments), out);
      }
      return 0;
    } catch (VdfsException e) {
      err.println("vdfs format: " + e.getMessage());
      return 1;
    }
  }

  /** A key that is there stays, as it may have been handed to the nodes before. */
  private static void format(FormatSettings settings, PrintStream out) throws VdfsException {
    ClusterKeyFile file = settings.keyFile();
    boolean made = !file.exists();
    if (made) {
      file.create(ClusterKey.generate(new SecureRandom()));
    }
    ClusterKey key = file.load();
    boolean formatted = false;
    try {
      ClusterFormat.format(
          settings.zooKeeper(), settings.clusterName(), settings.properties(), settings.force());
      formatted = true;
    } finally {
      if (made && !formatted) {
        file.delete();
      }
    }
    out.printf(
        "formatted cluster %s: id=%s, nodes=%d%n",
        settings.clusterName(),
        settings.properties().clusterId(),
        settings.properties().expectedNodes());
    out.printf(
        "%s the cluster's key: file=%s, fingerprint=%s; each node needs a copy, readable for the"
            + " user of its daemon alone%n",
        made ? "wrote" : "found", file.path(), key.fingerprints().get(0));
  }

  private static void roll(ClusterKeyFile file, PrintStream out) throws VdfsException {
    ClusterKey key = file.load().roll(new SecureRandom());
    file.replace(key);
    out.printf(
        key.isRotating()
            ? "step 1 of 2, a newer key beside the older one: file=%s, fingerprints=%s%n"
            : "step 2 of 2, the older key is gone: file=%s, fingerprints=%s%n",
        file.path(),
        key.fingerprints());
    out.println("Copy the file to every node of the cluster, then restart them one after another.");
    if (key.isRotating()) {
      out.println("After that run this command once more.");
    }
  }
}
