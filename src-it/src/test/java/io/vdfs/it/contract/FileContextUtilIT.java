package io.vdfs.it.contract;

import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileContextUtilBase;

/** Hadoop's suite for copying with a {@code FileContext}. */
public class FileContextUtilIT extends FileContextUtilBase {
  public FileContextUtilIT() throws Exception {
    fc = FileContext.getFileContext(SharedCluster.get().configuration());
  }
}
