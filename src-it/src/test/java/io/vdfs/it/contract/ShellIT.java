package io.vdfs.it.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.it.contract.ShellSide.Ended;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code hadoop fs} prints and does the same on VDFS as on HDFS: each command runs on both, with
 * the same exit code, output and complaints.
 */
@Timeout(120)
class ShellIT {
  @TempDir static java.nio.file.Path directory;

  private static MiniDFSCluster hdfs;
  private static ShellSide theirs;
  private static ShellSide ours;

  @TempDir java.nio.file.Path local;

  @BeforeAll
  static void start() throws IOException {
    Configuration conf = new Configuration();
    conf.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, directory.toString());
    conf.setInt("dfs.heartbeat.interval", 1); // what starts the recovery after a truncation
    hdfs = new MiniDFSCluster.Builder(conf).numDataNodes(3).build();
    Configuration vdfs = SharedCluster.get().configuration();
    for (Configuration each : List.of(conf, vdfs)) {
      each.setInt("fs.trash.interval", 60);
      each.setInt("dfs.replication", 3);
    }
    theirs = new ShellSide(conf);
    ours = new ShellSide(vdfs);
  }

  @AfterAll
  static void stop() throws Exception {
    ours.fileSystem().delete(new Path("/shell"), true);
    ours.fileSystem().delete(new Path("/user"), true);
    hdfs.shutdown();
  }

  @BeforeEach
  void makeTree() throws Exception {
    for (ShellSide side : List.of(theirs, ours)) {
      FileSystem fs = side.fileSystem();
      fs.delete(new Path("/shell"), true);
      fs.delete(new Path("/user"), true);
      fs.mkdirs(fs.getHomeDirectory());
    }
    Files.writeString(local.resolve("a.txt"), "alpha\nbeta\n");
    Files.writeString(local.resolve("b.txt"), "gamma\n");
    succeeds("-mkdir", "-p", "/shell/d/e");
    succeeds("-put", local("a.txt"), local("b.txt"), "/shell/d");
  }

  private String local(String name) {
    return local.resolve(name).toString();
  }

  /** Runs a command on both. */
  private static Ended same(String... arguments) throws Exception {
    Ended expected = theirs.run(arguments);
    Ended ended = ours.run(arguments);
    assertEquals(expected, ended, () -> "command=" + Arrays.toString(arguments));
    return ended;
  }

  private static String succeeds(String... arguments) throws Exception {
    Ended ended = same(arguments);
    assertEquals(0, ended.code(), ended::toString);
    return ended.output();
  }

  /** HDFS keeps no order among the attributes of a file. */
  private static void succeedsInAnyOrder(String... arguments) throws Exception {
    Ended expected = theirs.run(arguments);
    Ended ended = ours.run(arguments);
    assertEquals(0, expected.code(), expected::toString);
    assertEquals(0, ended.code(), ended::toString);
    assertEquals(
        expected.output().lines().sorted().toList(), ended.output().lines().sorted().toList());
  }

  private static void fails(String... arguments) throws Exception {
    assertTrue(same(arguments).code() != 0, () -> "command=" + Arrays.toString(arguments));
  }

  @Test
  void shouldMakeAndRemoveDirectories() throws Exception {
    fails("-mkdir", "/shell/d");
    fails("-mkdir", "/shell/none/x");
    succeeds("-mkdir", "-p", "/shell/d", "/shell/x/y");
    assertEquals(1, codeOfBoth("-mkdir", "/shell/d/a.txt/x"));
    fails("-rmdir", "/shell/x");
    succeeds("-rmdir", "--ignore-fail-on-non-empty", "/shell/x");
    succeeds("-rmdir", "/shell/x/y");
    fails("-rmdir", "/shell/d/a.txt");
    assertTrue(succeeds("-ls", "-R", "/shell").endsWith("/shell/x\n"));
  }

  @Test
  void shouldBringFilesInAndOut() throws Exception {
    fails("-put", local("a.txt"), "/shell/d");
    succeeds("-put", "-f", local("b.txt"), "/shell/d/a.txt");
    fails("-put", local("none"), "/shell/d");
    succeeds("-copyFromLocal", "-p", local("a.txt"), "/shell/copied");
    for (ShellSide side : List.of(theirs, ours)) {
      java.nio.file.Path leaving = Files.writeString(local.resolve("leaving"), "gone\n");
      assertEquals(0, side.run("-moveFromLocal", leaving.toString(), "/shell/moved").code());
      assertTrue(Files.notExists(leaving));
    }
    assertEquals("gone\n", succeeds("-cat", "/shell/moved"));
    assertEquals("gamma\n", succeeds("-cat", "/shell/d/a.txt"));
  }

  @Test
  void shouldFetchFiles() throws Exception {
    for (ShellSide side : List.of(theirs, ours)) {
      java.nio.file.Path target = Files.createTempDirectory(local, "got");
      String to = target.toString();
      assertEquals(0, side.run("-get", "/shell/d/a.txt", to).code());
      assertEquals(1, side.run("-get", "/shell/d/a.txt", to).code());
      assertEquals(0, side.run("-copyToLocal", "-f", "/shell/d/*.txt", to).code());
      assertEquals(0, side.run("-get", "/shell/d", to + "/tree").code());
      assertEquals(0, side.run("-getmerge", "-nl", "/shell/d", to + "/merged").code());
      assertEquals("alpha\nbeta\n", Files.readString(target.resolve("a.txt")));
      assertEquals("gamma\n", Files.readString(target.resolve("tree/b.txt")));
      assertEquals("alpha\nbeta\n\ngamma\n\n", Files.readString(target.resolve("merged")));
    }
  }

  @Test
  void shouldShowWhatFilesHold() throws Exception {
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(local.resolve("c.gz")))) {
      out.write("packed\n".getBytes(UTF_8));
    }
    Files.write(local.resolve("big"), new byte[3000]);
    succeeds("-put", local("c.gz"), local("big"), "/shell/d");
    assertEquals("alpha\nbeta\ngamma\n", succeeds("-cat", "/shell/d/*.txt"));
    assertEquals("packed\n", succeeds("-text", "/shell/d/c.gz"));
    assertEquals(1024, succeeds("-tail", "/shell/d/big").length());
    assertEquals(1024, succeeds("-head", "/shell/d/big").length());
    assertEquals("alpha\nbeta\n", succeeds("-head", "/shell/d/a.txt"));
    fails("-cat", "/shell/d");
    fails("-tail", "/shell/d");
    fails("-cat", "/shell/none");
    succeeds("-checksum", "/shell/d/a.txt", "/shell/d/big");
    succeeds("-checksum", "-v", "/shell/d/a.txt");
  }

  @Test
  void shouldAppendCutAndJoinFiles() throws Exception {
    succeeds("-appendToFile", local("b.txt"), local("b.txt"), "/shell/d/a.txt");
    succeeds("-appendToFile", local("b.txt"), "/shell/d/new");
    fails("-appendToFile", local("none"), "/shell/d/new");
    assertEquals(1, codeOfBoth("-appendToFile", local("b.txt"), "/shell/d"));
    succeeds("-concat", "/shell/d/a.txt", "/shell/d/b.txt", "/shell/d/new");
    assertEquals("alpha\nbeta\ngamma\ngamma\ngamma\ngamma\n", succeeds("-cat", "/shell/d/a.txt"));
    fails("-cat", "/shell/d/new");

    // HDFS has to wait for the end of its block and says so
    assertEquals(0, theirs.run("-truncate", "-w", "7", "/shell/d/a.txt").code());
    Ended cut = ours.run("-truncate", "-w", "7", "/shell/d/a.txt");
    assertEquals(new Ended(0, "Truncated /shell/d/a.txt to length: 7\n", ""), cut);
    assertEquals("alpha\nb", succeeds("-cat", "/shell/d/a.txt"));
    fails("-truncate", "99", "/shell/d/a.txt");
    fails("-truncate", "1", "/shell/d");
  }

  @Test
  void shouldCopyAndMove() throws Exception {
    succeeds("-cp", "/shell/d/a.txt", "/shell/d/b.txt", "/shell/d/e");
    fails("-cp", "/shell/d/a.txt", "/shell/d/e");
    succeeds("-cp", "-f", "/shell/d/b.txt", "/shell/d/e/a.txt");
    succeeds("-touch", "-t", "20200102:030405", "/shell/d/a.txt");
    succeeds("-setfattr", "-n", "user.a", "-v", "x", "/shell/d/a.txt");
    succeeds("-setfacl", "-m", "user:bruce:r--", "/shell/d/a.txt");
    succeeds("-cp", "-ptopax", "/shell/d/a.txt", "/shell/kept");
    succeeds("-getfattr", "-d", "/shell/kept");
    succeeds("-getfacl", "/shell/kept");
    for (ShellSide side : List.of(theirs, ours)) {
      FileSystem fs = side.fileSystem();
      assertEquals(
          fs.getFileStatus(new Path("/shell/d/a.txt")).getModificationTime(),
          fs.getFileStatus(new Path("/shell/kept")).getModificationTime());
    }
    succeeds("-cp", "/shell/d", "/shell/tree");
    fails("-cp", "/shell/d", "/shell/d/e/inside");
    succeeds("-mv", "/shell/tree", "/shell/d/e");
    fails("-mv", "/shell/d/a.txt", "/shell/d/b.txt");
    fails("-mv", "/shell/none", "/shell/x");
    fails("-mv", "/shell/d", "/shell/d/e");
    fails("-mv", "/shell/d/a.txt", "/shell/none/x");
    succeeds("-ls", "-R", "/shell");
  }

  @Test
  void shouldListAndFind() throws Exception {
    succeeds("-touch", "-t", "20200102:030405", "/shell/d/b.txt");
    succeeds("-touch", "-t", "20210102:030405", "/shell/d/a.txt");
    succeeds("-touch", "-c", "/shell/d/none");
    succeeds("-ls", "/shell/d");
    succeeds("-ls", "-R", "/shell");
    succeeds("-ls", "-C", "-R", "/shell");
    succeeds("-ls", "-d", "/shell/*");
    succeeds("-ls", "-h", "-S", "/shell/d/*.txt");
    succeeds("-ls", "-S", "-r", "/shell/d");
    succeeds("-ls", "-t", "/shell/d/*.txt");
    succeeds("-ls", "-t", "-r", "/shell/d/*.txt");
    succeeds("-ls", "-u", "/shell/d/e");
    succeeds("-ls", "-e", "/shell/d");
    fails("-ls", "/shell/none");
    fails("-ls", "/shell/n*");
    succeeds("-find", "/shell", "-name", "*.txt", "-print");
    succeeds("-find", "/shell", "-iname", "A*", "-print0");
    succeeds("-find", "/shell");
    fails("-find", "/shell/none");
  }

  @Test
  void shouldCountWhatATreeHolds() throws Exception {
    succeeds("-du", "/shell");
    succeeds("-du", "-s", "-h", "-v", "/shell");
    succeeds("-du", "-x", "/shell/d");
    succeeds("-count", "-v", "/shell", "/shell/d/a.txt");
    succeeds("-count", "-q", "-v", "/shell/d");
    for (ShellSide side : List.of(theirs, ours)) {
      side.fileSystem().setQuota(new Path("/shell/d"), 10, 5L << 30);
    }
    succeeds("-count", "-q", "-v", "/shell/d");
    succeeds("-count", "-q", "-h", "/shell/d");
    succeeds("-count", "-u", "-v", "/shell/d");
    succeeds("-count", "-e", "/shell/d");
    fails("-count", "/shell/none");
    String header = "Filesystem +Size +Used +Available +Use%";
    for (ShellSide side : List.of(theirs, ours)) {
      Ended room = side.run("-df", "/");
      assertEquals(0, room.code());
      assertTrue(room.output().lines().findFirst().orElseThrow().matches(header), room::output);
      assertTrue(room.output().lines().toList().get(1).startsWith("FS:"), room::output);
    }
  }

  @Test
  void shouldTellAndChangeWhatAFileIs() throws Exception {
    succeeds("-touch", "-a", "-t", "20200102:030405", "/shell/d/a.txt");
    String format = "%b %o %r %u %g %F %n %a %A %y %x";
    succeeds("-stat", format, "/shell/d", "/shell/d/a.txt");
    succeeds("-stat", "/shell/d/b.txt");
    fails("-stat", "%b", "/shell/none");
    for (String flag : List.of("-d", "-e", "-f", "-s", "-z", "-w", "-r")) {
      for (String path : List.of("/shell/d", "/shell/d/a.txt", "/shell/d/empty", "/shell/none")) {
        same("-test", flag, path);
      }
    }
    succeeds("-touchz", "/shell/d/empty");
    succeeds("-touchz", "/shell/d/empty");
    fails("-touchz", "/shell/d/a.txt");
    fails("-touchz", "/shell/none/x");
    succeeds("-test", "-z", "/shell/d/empty");
    succeeds("-touch", "/shell/d/touched");
    succeeds("-setrep", "2", "/shell/d/a.txt");
    succeeds("-setrep", "-R", "1", "/shell/d");
    fails("-setrep", "2", "/shell/none");
    succeeds("-chmod", "-R", "750", "/shell/d");
    succeeds("-chmod", "a+w,o-x,+t", "/shell/d", "/shell/d/a.txt");
    succeeds("-chown", "-R", "bruce:people", "/shell/d");
    succeeds("-chgrp", "-R", "others", "/shell/d/e");
    succeeds("-chown", "diana", "/shell/d/b.txt");
    fails("-chmod", "rw", "/shell/d");
    fails("-chown", "x", "/shell/none");
    succeeds("-ls", "-R", "/shell");
  }

  @Test
  void shouldKeepAclsAndAttributes() throws Exception {
    succeeds("-setfacl", "-m", "user:bruce:rwx,default:group:people:r-x", "/shell/d");
    succeeds("-getfacl", "-R", "/shell");
    succeeds("-mkdir", "/shell/d/heir");
    succeeds("-getfacl", "/shell/d/heir");
    succeeds("-setfacl", "-x", "user:bruce", "/shell/d");
    succeeds("-setfacl", "-k", "/shell/d");
    succeeds("-setfacl", "-R", "--set", "user::rwx,group::r--,other::---,user:diana:r-x", "/shell");
    succeeds("-getfacl", "-R", "/shell");
    succeeds("-ls", "-R", "/shell");
    succeeds("-setfacl", "-R", "-b", "/shell");
    assertEquals(1, codeOfBoth("-setfacl", "-m", "default:user:bruce:r--", "/shell/d/a.txt"));
    fails("-setfacl", "-m", "nonsense", "/shell/d");
    fails("-getfacl", "/shell/none");
    succeeds("-getfacl", "-R", "/shell");

    succeeds("-setfattr", "-n", "user.a", "-v", "text", "/shell/d/a.txt");
    succeeds("-setfattr", "-n", "user.b", "-v", "0x00ff", "/shell/d/a.txt");
    succeeds("-setfattr", "-n", "trusted.c", "/shell/d/e");
    for (String encoding : List.of("text", "hex", "base64")) {
      succeedsInAnyOrder("-getfattr", "-R", "-d", "-e", encoding, "/shell/d");
    }
    succeeds("-getfattr", "-n", "user.a", "/shell/d/a.txt");
    succeeds("-setfattr", "-x", "user.a", "/shell/d/a.txt");
    succeeds("-getfattr", "-d", "/shell/d/a.txt");
    assertEquals(1, codeOfBoth("-getfattr", "-n", "user.a", "/shell/d/a.txt"));
    assertEquals(1, codeOfBoth("-setfattr", "-x", "user.a", "/shell/d/a.txt"));
    assertEquals(-1, codeOfBoth("-setfattr", "-n", "plain", "-v", "x", "/shell/d/a.txt"));
    fails("-getfattr", "-d", "/shell/none");
  }

  /** Exit code on both of a command that complains in the server's own words. */
  private static int codeOfBoth(String... arguments) throws Exception {
    int code = theirs.run(arguments).code();
    Ended ended = ours.run(arguments);
    assertEquals(code, ended.code(), ended::toString);
    return code;
  }

  @Test
  void shouldMoveToTheTrashAndEmptyIt() throws Exception {
    fails("-rm", "/shell/d");
    fails("-rm", "/shell/none");
    succeeds("-rm", "-f", "/shell/none");
    succeeds("-rm", "/shell/d/a.txt");
    String trash = trash();
    assertEquals("alpha\nbeta\n", succeeds("-cat", trash + "/Current/shell/d/a.txt"));
    succeeds("-rm", "-skipTrash", "/shell/d/b.txt");
    fails("-cat", trash + "/Current/shell/d/b.txt");
    succeeds("-put", local("a.txt"), "/shell/d/a.txt");
    succeeds("-expunge");
    succeeds("-ls", "-R", trash);

    succeeds("-mv", trash + "/*/shell/d/a.txt", "/shell/back");
    succeeds("-rm", "-r", "/shell/d");
    fails("-ls", "/shell/d");
    succeeds("-rm", "-r", "-skipTrash", "/shell/back");
    fails("-rm", "-r", trash.substring(0, trash.lastIndexOf('/')));
    succeeds("-expunge", "-immediate");
    assertEquals("", succeeds("-ls", "-R", trash));
  }

  private static String trash() throws Exception {
    Path root = ours.fileSystem().getTrashRoot(new Path("/shell"));
    assertEquals(
        theirs.fileSystem().getTrashRoot(new Path("/shell")).toUri().getPath(),
        root.toUri().getPath());
    return root.toUri().getPath();
  }
}
