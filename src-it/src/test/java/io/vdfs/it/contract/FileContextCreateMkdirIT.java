package io.vdfs.it.contract;

import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileContextCreateMkdirBaseTest;
import org.apache.hadoop.fs.FileContextTestHelper;

/** Hadoop's suite for files and directories that a {@code FileContext} makes. */
public class FileContextCreateMkdirIT extends FileContextCreateMkdirBaseTest {
  @SuppressWarnings("StaticAssignmentInConstructor") // the suite's field is static
  public FileContextCreateMkdirIT() throws Exception {
    fc = FileContext.getFileContext(SharedCluster.get().configuration());
  }

  @Override
  protected FileContextTestHelper createFileContextHelper() {
    return new FileContextTestHelper("/tmp/file-context-create");
  }
}
