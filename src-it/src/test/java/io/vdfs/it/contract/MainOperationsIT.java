package io.vdfs.it.contract;

import java.security.PrivilegedExceptionAction;
import org.apache.hadoop.fs.FSMainOperationsBaseTest;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * Hadoop's suite for the main operations of a {@code FileSystem}, for a user that is no superuser.
 */
public class MainOperationsIT extends FSMainOperationsBaseTest {
  private static final String USER = "tester";

  private static FileSystem fileSystem;

  public MainOperationsIT() {
    super("/tmp/main-operations");
  }

  /** Opened by the first caller; ends with the JVM. */
  private static synchronized FileSystem open() throws Exception {
    if (fileSystem != null) {
      return fileSystem;
    }
    try (FileSystem superuser = SharedCluster.get().newFileSystem()) {
      superuser.mkdirs(new Path("/tmp"));
      superuser.setPermission(new Path("/tmp"), new FsPermission((short) 01777));
      superuser.mkdirs(new Path("/user/" + USER));
      superuser.setOwner(new Path("/user/" + USER), USER, USER);
    }
    fileSystem =
        UserGroupInformation.createRemoteUser(USER)
            .doAs(
                (PrivilegedExceptionAction<FileSystem>) () -> SharedCluster.get().newFileSystem());
    return fileSystem;
  }

  @Override
  protected FileSystem createFileSystem() throws Exception {
    return open();
  }

  @Override
  protected Path getDefaultWorkingDirectory() {
    return new Path("/user/" + USER).makeQualified(fSys.getUri(), fSys.getWorkingDirectory());
  }
}
