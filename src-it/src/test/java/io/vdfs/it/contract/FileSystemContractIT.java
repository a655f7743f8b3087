package io.vdfs.it.contract;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FileSystemContractBaseTest;
import org.apache.hadoop.fs.Path;

/** The oldest of Hadoop's suites for filesystems. */
public class FileSystemContractIT extends FileSystemContractBaseTest {
  private static FileSystem shared;

  /** Before each test; all of them use one client, which ends with the JVM. */
  public FileSystemContractIT() throws Exception {
    fs = open();
    fs.delete(new Path("/test"), true); // of other suites; this one lists it
  }

  private static synchronized FileSystem open() throws Exception {
    if (shared == null) {
      Configuration conf = SharedCluster.get().configuration();
      conf.set("fs.permissions.umask-mode", TEST_UMASK);
      shared = FileSystem.newInstance(SharedCluster.get().uri(), conf);
    }
    return shared;
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
