package io.vdfs.client.hadoop;

import org.apache.log4j.Level;
import org.apache.log4j.Logger;

/**
 * Keeps the libraries inside our jar from filling the output of every {@code hadoop} command:
 * ZooKeeper logs some twenty lines for each connection. Only our relocated copies are meant, and
 * only where no level is set for them. Stateless.
 */
final class LibraryLogs {
  private static final String RELOCATED = "io.vdfs.shaded";

  /** Logs each failed try with its stack trace; the caller gets one line in the end. */
  private static final String TRIES = RELOCATED + ".org.apache.zookeeper.ClientCnxn";

  /** Likewise for hosts that cannot be resolved. */
  private static final String HOSTS = RELOCATED + ".org.apache.zookeeper.client.StaticHostProvider";

  private LibraryLogs() {}

  /** Raises the thresholds; does nothing on a class path without Log4j 1. */
  static void quieten() {
    try {
      raise(RELOCATED, Level.WARN);
      raise(TRIES, Level.ERROR);
      raise(HOSTS, Level.OFF);
    } catch (LinkageError e) {
      // another logging backend: its own configuration decides
      return;
    }
  }

  private static void raise(String name, Level level) {
    Logger logger = Logger.getLogger(name);
    if (logger.getLevel() == null) {
      logger.setLevel(level);
    }
  }
}
