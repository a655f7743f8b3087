package io.vdfs.datanode;

import io.vdfs.common.build.BuildVersion;
import io.vdfs.common.error.VdfsException;
import io.vdfs.datanode.meta.level.FeatureLevels;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a DataNode until the process is told to end. Where it cannot start or must stop, one line on
 * standard error says why, and the exit code is 1.
 */
public final class DataNodeMain {
  private static final Logger LOG = LoggerFactory.getLogger(DataNodeMain.class);

  private DataNodeMain() {}

  /** Usage: {@code DataNodeMain --conf DIR}. */
  public static void main(String[] args) {
    if (args.length != 2 || !args[0].equals("--conf")) {
      System.err.println("vdfs-daemon: usage: vdfs-daemon --conf DIR");
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
      DataNode node = DataNode.start(settings, cause -> onFatal(cause, fatal));
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

  private static void onFatal(Throwable cause, CountDownLatch fatal) {
    LOG.debug("The daemon must stop", cause);
    System.err.println("vdfs-daemon: must stop: " + cause.getMessage());
    fatal.countDown();
  }
}
