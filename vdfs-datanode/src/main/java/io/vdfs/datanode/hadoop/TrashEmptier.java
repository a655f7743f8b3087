package io.vdfs.datanode.hadoop;

import io.vdfs.common.concurrent.DaemonThreads;
import io.vdfs.datanode.rpc.request.Callers;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CommonConfigurationKeysPublic;
import org.apache.hadoop.fs.Trash;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs Hadoop's emptier of the trash on a thread of its own. Every node runs one; only that of the
 * metadata leader finds any trash. A user's trash is emptied in the name of its owner, so nothing
 * goes that its owner could not remove.
 *
 * <p>Thread-safe.
 */
public final class TrashEmptier implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TrashEmptier.class);
  private static final long CLOSE_LIMIT_MILLIS = 5_000;

  private final Thread thread;

  private TrashEmptier(Thread thread) {
    this.thread = thread;
  }

  /**
   * Starts emptying, where {@code fs.trash.interval} of the daemon asks for it.
   *
   * @param configuration with {@code fs.trash.interval} and {@code fs.trash.checkpoint.interval},
   *     both in minutes
   */
  public static TrashEmptier start(
      Configuration configuration, LeaderAccess leader, Callers callers) {
    TrashFileSystem files = new TrashFileSystem(configuration, leader, callers);
    Thread thread = DaemonThreads.of("vdfs-trash-emptier", () -> empty(files, configuration));
    TrashEmptier emptier = new TrashEmptier(thread);
    if (intervalMinutes(configuration) > 0) {
      thread.start();
    }
    return emptier;
  }

  /** What clients are told, in whole minutes as they count it; 0 where nothing is emptied. */
  public static long intervalMinutes(Configuration configuration) {
    float minutes =
        configuration.getFloat(
            CommonConfigurationKeysPublic.FS_TRASH_INTERVAL_KEY,
            (float) CommonConfigurationKeysPublic.FS_TRASH_INTERVAL_DEFAULT);
    return Math.max(0, (long) Math.ceil(minutes));
  }

  private static void empty(TrashFileSystem files, Configuration configuration) {
    try {
      LOG.info(
          "Trash is emptied while this node leads the metadata: {}={} min",
          CommonConfigurationKeysPublic.FS_TRASH_INTERVAL_KEY,
          configuration.get(CommonConfigurationKeysPublic.FS_TRASH_INTERVAL_KEY));
      new Trash(files, configuration).getEmptier().run();
    } catch (IOException | UncheckedIOException e) {
      LOG.error("Trash is not emptied by this node: {}", e.getMessage(), e);
    }
  }

  /** Ends within seconds; a deletion that was begun is carried out. */
  @Override
  public void close() {
    thread.interrupt();
    try {
      thread.join(CLOSE_LIMIT_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
