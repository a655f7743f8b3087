package io.vdfs.client.hadoop;

import org.apache.log4j.Level;
import org.apache.log4j.Logger;

/**
 * Keeps the libraries inside our jar from filling the output of every {@code hadoop} command:
 * ZooKeeper logs some twenty lines for each connection. Only our relocated copies are meant, and
 * only where nobody set a level for them. Stateless.
 */
final class LibraryLogs {
  private static final String RELOCATED = "io.vdfs.shaded";

  private LibraryLogs() {}

  /** Raises the threshold to WARN; does nothing on a class path without Log4j 1. */
  static void quieten() {
    try {
      Logger logger = Logger.getLogger(RELOCATED);
      if (logger.getLevel() == null) {
        logger.setLevel(Level.WARN);
      }
    } catch (LinkageError e) {
      // another logging backend: its own configuration decides
      return;
    }
  }
}
