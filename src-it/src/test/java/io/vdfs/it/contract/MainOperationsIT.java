package io.vdfs.it.contract;

import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import org.apache.hadoop.fs.FSMainOperationsBaseTest;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.AfterClass;
import org.junit.BeforeClass;

/** Hadoop's suite for the main operations of a {@code FileSystem}, for one who is no superuser. */
public class MainOperationsIT extends FSMainOperationsBaseTest {
  private static final String USER = "tester";

  private static FileSystem fileSystem;

  public MainOperationsIT() {
    super("/tmp/main-operations");
  }

  @BeforeClass
  public static void open() throws Exception {
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
  }

  @AfterClass
  public static void close() throws IOException {
    fileSystem.close();
  }

  @Override
  protected FileSystem createFileSystem() {
    return fileSystem;
  }

  @Override
  protected Path getDefaultWorkingDirectory() {
    return new Path("/user/" + USER).makeQualified(fSys.getUri(), fSys.getWorkingDirectory());
  }
}
