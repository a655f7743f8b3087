package io.vdfs.client.hadoop.trace.names;

import org.apache.hadoop.fs.FileStatus;

/** A status around another one. */
interface WrappedStatus {
  /** Null for one that was read from a stream. */
  FileStatus wrapped();
}
