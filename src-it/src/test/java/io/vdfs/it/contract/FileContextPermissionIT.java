package io.vdfs.it.contract;

import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileContextPermissionBase;
import org.apache.hadoop.fs.FileContextTestHelper;

/** Hadoop's suite for owners and permissions of a {@code FileContext}. */
public class FileContextPermissionIT extends FileContextPermissionBase {
  @Override
  protected FileContextTestHelper getFileContextHelper() {
    return new FileContextTestHelper("/tmp/file-context-permission");
  }

  @Override
  protected FileContext getFileContext() throws Exception {
    return FileContext.getFileContext(SharedCluster.get().configuration());
  }
}
