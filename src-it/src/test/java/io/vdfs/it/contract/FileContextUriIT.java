package io.vdfs.it.contract;

import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileContextURIBase;

/** Hadoop's suite for a {@code FileContext} with paths of another one. */
public class FileContextUriIT extends FileContextURIBase {
  public FileContextUriIT() throws Exception {
    fc1 = FileContext.getFileContext(SharedCluster.get().configuration());
    fc2 =
        FileContext.getFileContext(SharedCluster.get().uri(), SharedCluster.get().configuration());
  }
}
