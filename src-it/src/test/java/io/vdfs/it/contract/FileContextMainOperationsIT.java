package io.vdfs.it.contract;

import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileContextMainOperationsBaseTest;
import org.apache.hadoop.fs.FileContextTestHelper;
import org.apache.hadoop.fs.Path;
import org.junit.Before;

/** Hadoop's suite for the main operations of a {@code FileContext}. */
public class FileContextMainOperationsIT extends FileContextMainOperationsBaseTest {
  @Before
  @Override
  public void setUp() throws Exception {
    fc = FileContext.getFileContext(SharedCluster.get().configuration());
    super.setUp();
  }

  @Override
  protected FileContextTestHelper createFileContextHelper() {
    return new FileContextTestHelper("/tmp/file-context-main");
  }

  @Override
  protected Path getDefaultWorkingDirectory() {
    return fc.makeQualified(new Path("/user/" + System.getProperty("user.name")));
  }

  @Override
  protected boolean listCorruptedBlocksSupported() {
    return false;
  }
}
