package io.vdfs.it.contract;

import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileContextUtilBase;
import org.junit.Before;

/** Hadoop's suite for copying with a {@code FileContext}. */
public class FileContextUtilIT extends FileContextUtilBase {
  @Before
  @Override
  public void setUp() throws Exception {
    fc = FileContext.getFileContext(SharedCluster.get().configuration());
    super.setUp();
  }
}
