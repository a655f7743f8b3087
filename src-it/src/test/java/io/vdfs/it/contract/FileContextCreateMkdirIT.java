package io.vdfs.it.contract;

import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileContextCreateMkdirBaseTest;
import org.apache.hadoop.fs.FileContextTestHelper;
import org.junit.Before;

/** Hadoop's suite for what a {@code FileContext} makes. */
public class FileContextCreateMkdirIT extends FileContextCreateMkdirBaseTest {
  @Before
  @Override
  public void setUp() throws Exception {
    fc = FileContext.getFileContext(SharedCluster.get().configuration());
    super.setUp();
  }

  @Override
  protected FileContextTestHelper createFileContextHelper() {
    return new FileContextTestHelper("/tmp/file-context-create");
  }
}
