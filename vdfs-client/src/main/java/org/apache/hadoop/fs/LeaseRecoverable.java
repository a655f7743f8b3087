package org.apache.hadoop.fs;

import java.io.IOException;

/**
 * A filesystem whose leases can be recovered: Hadoop's interface for that, in the shape that it has
 * had since Hadoop 3.3.6. It is here for older releases of Hadoop, beside which {@code
 * VdfsFileSystem} could not be loaded without it. Beside newer ones it does not matter which of the
 * two a class loader finds first. The jar shows it to Java 17 and later only, since programs look
 * for it to tell what Hadoop has.
 */
public interface LeaseRecoverable {
  /**
   * Starts to close a file that another client may still be writing.
   *
   * @return whether the file is closed
   */
  boolean recoverLease(Path file) throws IOException;

  /** Whether the file is no longer being written. */
  boolean isFileClosed(Path file) throws IOException;
}
