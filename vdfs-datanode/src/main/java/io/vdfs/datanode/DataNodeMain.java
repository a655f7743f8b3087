package io.vdfs.datanode;

import io.vdfs.common.build.BuildVersion;
import io.vdfs.common.error.VdfsException;
import io.vdfs.datanode.meta.level.FeatureLevels;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a DataNode until the process is told to end. Where it cannot start or must stop, one line on
 * standard error says why, and the exit code is 1.
 */
public final class DataNodeMain {
  private static final Logger LOG = LoggerFactory.getLogger(DataNodeMain.class);

  private static final String ACCEPT_EMPTY = "--accept-empty";

  private DataNodeMain() {}

  /** Usage: {@code DataNodeMain --conf DIR [--accept-empty DIR]...}. */
  public static void main(String[] args) {
    Optional<Set<Path>> acceptedEmpty = acceptedEmpty(List.of(args));
    if (acceptedEmpty.isEmpty()) {
      System.err.println(
          "vdfs-daemon: usage: vdfs-daemon --conf DIR [" + ACCEPT_EMPTY + " DIR]...");
      System.exit(2);
    }
    CountDownLatch fatal = new CountDownLatch(1);
    LOG.info(
        "VDFS daemon: version={}, commit={}, newestFeatureLevel={}",
        BuildVersion.running().version(),
        BuildVersion.running().commit(),
        FeatureLevels.ofThisRelease().newest());
    try {
      DaemonSettings settings = DaemonSettings.load(Path.of(args[1]));
      DataNode node = DataNode.start(settings, acceptedEmpty.get(), cause -> onFatal(cause, fatal));
      Runtime.getRuntime().addShutdownHook(new Thread(node::close, "vdfs-shutdown"));
      LOG.info(
          "DataNode serves: node={}, host={}, control={}, data={}",
          node.id(),
          node.host(),
          node.controlPort(),
          node.dataPort());
      fatal.await();
    } catch (VdfsException e) {
      LOG.debug("The daemon cannot start", e);
      System.err.println("vdfs-daemon: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    System.exit(1);
  }

  /** The directories that are named; nothing if the usage is wrong. */
  static Optional<Set<Path>> acceptedEmpty(List<String> arguments) {
    if (arguments.size() < 2 || arguments.size() % 2 != 0 || !arguments.get(0).equals("--conf")) {
      return Optional.empty();
    }
    Set<Path> directories = new TreeSet<>();
    for (int at = 2; at < arguments.size(); at += 2) {
      if (!arguments.get(at).equals(ACCEPT_EMPTY)) {
        return Optional.empty();
      }
      directories.add(Path.of(arguments.get(at + 1)));
    }
    return Optional.of(directories);
  }

  private static void onFatal(Throwable cause, CountDownLatch fatal) {
    LOG.debug("The daemon must stop", cause);
    System.err.println("vdfs-daemon: must stop: " + cause.getMessage());
    fatal.countDown();
  }
}
