package io.vdfs.it.cluster;

import java.io.IOException;
import java.util.List;

/** Closes many things, some of which may fail. Stateless. */
final class Closing {
  private Closing() {}

  /**
   * Closes all of {@code parts} in their order, also after failures.
   *
   * @throws IOException with all failures attached
   */
  static void all(List<? extends AutoCloseable> parts) throws IOException {
    IOException failures = null;
    for (AutoCloseable part : parts) {
      try {
        part.close();
      } catch (Exception e) {
        if (failures == null) {
          failures = new IOException("not everything could be closed: first=" + part);
        }
        failures.addSuppressed(e);
        if (e instanceof InterruptedException) {
          Thread.currentThread().interrupt();
        }
      }
    }
    if (failures != null) {
      throw failures;
    }
  }
}
