package io.vdfs.it.contract;

import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileContextURIBase;
import org.junit.Before;

/** Hadoop's suite for a {@code FileContext} with paths of another one. */
public class FileContextUriIT extends FileContextURIBase {
  @Before
  @Override
  public void setUp() throws Exception {
    fc1 = FileContext.getFileContext(SharedCluster.get().configuration());
    fc2 =
        FileContext.getFileContext(SharedCluster.get().uri(), SharedCluster.get().configuration());
    super.setUp();
  }
}
