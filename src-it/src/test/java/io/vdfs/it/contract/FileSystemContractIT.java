package io.vdfs.it.contract;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileSystemContractBaseTest;
import org.apache.hadoop.fs.Path;
import org.junit.After;
import org.junit.Before;

/** The oldest of Hadoop's suites for filesystems. */
public class FileSystemContractIT extends FileSystemContractBaseTest {
  @Before
  public void open() throws Exception {
    Configuration conf = SharedCluster.get().configuration();
    conf.set("fs.permissions.umask-mode", TEST_UMASK);
    fs = FileSystem.newInstance(SharedCluster.get().uri(), conf);
    fs.delete(new Path("/test"), true); // of other suites; this one lists it
  }

  @After
  @Override
  public void tearDown() throws Exception {
    super.tearDown();
    fs.close();
  }

  @Override
  protected boolean rootDirTestEnabled() {
    return true;
  }

  @Override
  protected String getDefaultWorkingDirectory() {
    return "/user/" + System.getProperty("user.name");
  }
}
