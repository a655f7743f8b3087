package io.vdfs.client.hadoop;

import io.vdfs.client.VdfsClient;
import io.vdfs.client.hadoop.terms.HadoopErrors;
import io.vdfs.client.names.FileInfo;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.io.IOException;
import org.apache.hadoop.fs.Path;

/**
 * Ends other clients' writing; failures have the words that callers of HDFS' lease recovery look
 * for. Thread-safe.
 */
final class LeaseTakeover {
  private final Calls calls;

  LeaseTakeover(Calls calls) {
    this.calls = calls;
  }

  /** False if recovery goes on: ask again. */
  boolean recover(Path path) throws IOException {
    String name = calls.paths().name(path);
    VdfsClient client = calls.client();
    calls.statistics().incrementWriteOps(1);
    try {
      return client.names().recoverLease(name);
    } catch (VdfsException e) {
      throw HadoopErrors.ofRecovery(path, e);
    }
  }

  boolean isFileClosed(Path path) throws IOException {
    String name = calls.paths().name(path);
    VdfsClient client = calls.client();
    calls.statistics().incrementReadOps(1);
    try {
      FileInfo info = client.names().status(name);
      if (info.isDirectory()) {
        throw new VdfsException(ErrorCode.IS_A_DIRECTORY, "not a file: path=" + name);
      }
      return !info.isUnderConstruction();
    } catch (VdfsException e) {
      throw HadoopErrors.ofRecovery(path, e);
    }
  }
}
