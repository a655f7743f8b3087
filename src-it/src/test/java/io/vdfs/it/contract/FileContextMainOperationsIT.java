package io.vdfs.it.contract;

import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileContextMainOperationsBaseTest;
import org.apache.hadoop.fs.FileContextTestHelper;
import org.apache.hadoop.fs.Path;

/** Hadoop's suite for the main operations of a {@code FileContext}. */
public class FileContextMainOperationsIT extends FileContextMainOperationsBaseTest {
  @SuppressWarnings("StaticAssignmentInConstructor") // the suite's field is static
  public FileContextMainOperationsIT() throws Exception {
    fc = FileContext.getFileContext(SharedCluster.get().configuration());
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
