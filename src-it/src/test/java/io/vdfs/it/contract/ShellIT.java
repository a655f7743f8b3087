package io.vdfs.it.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.PrivilegedExceptionAction;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FsShell;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.ToolRunner;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What {@code hadoop fs} does with the trash, and what becomes of a file that is overwritten. */
@Timeout(300)
class ShellIT {
  private static final String USER = "trasher";
  private static final Path HOME = new Path("/user/" + USER);
  private static final Path TRASH = new Path(HOME, ".Trash");

  private static FileSystem superuser;

  @BeforeAll
  static void open() throws IOException {
    superuser = SharedCluster.get().newFileSystem();
    superuser.mkdirs(HOME);
    superuser.setOwner(HOME, USER, USER);
    superuser.mkdirs(new Path("/shell"));
    superuser.setPermission(new Path("/shell"), new FsPermission((short) 0777));
  }

  @AfterAll
  static void close() throws IOException {
    superuser.close();
  }

  /** Runs {@code hadoop fs} as the user, with a trash that is kept for an hour. */
  private static int shell(String... arguments) throws Exception {
    Configuration conf = SharedCluster.get().configuration();
    conf.setInt("fs.trash.interval", 60);
    return UserGroupInformation.createRemoteUser(USER)
        .doAs(
            (PrivilegedExceptionAction<Integer>)
                () -> ToolRunner.run(conf, new FsShell(conf), arguments));
  }

  private static void write(Path path, String content) throws IOException {
    try (FSDataOutputStream out = superuser.create(path)) {
      out.write(content.getBytes(StandardCharsets.UTF_8));
    }
  }

  private static String read(Path path) throws IOException {
    try (FSDataInputStream in = superuser.open(path)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static List<String> names(Path directory) throws IOException {
    return Arrays.stream(superuser.listStatus(directory))
        .map(FileStatus::getPath)
        .map(Path::getName)
        .sorted()
        .toList();
  }

  @Test
  void shouldMoveToTheUsersTrashAndEmptyItWhenTold() throws Exception {
    Path tree = new Path("/shell/tree");
    write(new Path(tree, "f"), "kept");
    write(new Path("/shell/gone"), "gone");

    assertEquals(0, shell("-rm", "-r", tree.toString()));
    assertFalse(superuser.exists(tree));
    assertEquals("kept", read(Path.mergePaths(new Path(TRASH, "Current"), new Path(tree, "f"))));

    write(new Path(tree, "f"), "again");
    assertEquals(0, shell("-rm", "-r", tree.toString()));
    List<String> both = names(Path.mergePaths(new Path(TRASH, "Current"), new Path("/shell")));
    assertEquals(2, both.size(), both.toString());

    assertEquals(0, shell("-rm", "-skipTrash", "/shell/gone"));
    assertFalse(superuser.exists(new Path("/shell/gone")));
    assertEquals(2, names(Path.mergePaths(new Path(TRASH, "Current"), new Path("/shell"))).size());

    // a checkpoint, as it is younger than an hour
    assertEquals(0, shell("-expunge"));
    assertEquals(1, names(TRASH).size());
    assertFalse(superuser.exists(new Path(TRASH, "Current")));
    assertEquals(0, shell("-expunge", "-immediate"));
    assertEquals(List.of(), names(TRASH));
  }

  @Test
  void shouldLeaveWhatTheUserMayNotRemove() throws Exception {
    Path kept = new Path("/kept/f");
    write(kept, "kept");
    superuser.setPermission(new Path("/kept"), new FsPermission((short) 0755));

    assertEquals(1, shell("-rm", kept.toString()));
    assertEquals("kept", read(kept));
    assertEquals(1, shell("-rm", "/kept/other"));
  }

  @Test
  void shouldRefuseAWriterWhoseFileIsOverwritten() throws Exception {
    Path path = new Path("/shell/overwritten");
    FSDataOutputStream first = superuser.create(path);
    first.write("first".getBytes(StandardCharsets.UTF_8));
    first.hflush();
    try (FileSystem other = SharedCluster.get().newFileSystem()) {
      try (FSDataOutputStream second = other.create(path, true)) {
        second.write("second".getBytes(StandardCharsets.UTF_8));
      }
      assertEquals("second", read(path));
      first.write(new byte[1 << 20]);
      assertThrows(IOException.class, first::close);
      assertEquals("second", read(path));
    }
  }
}
