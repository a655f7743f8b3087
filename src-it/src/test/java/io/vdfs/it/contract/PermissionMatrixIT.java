package io.vdfs.it.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.it.cluster.ClusterSpec;
import io.vdfs.it.cluster.VdfsTestCluster;
import java.net.URI;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.security.Groups;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every operation by every caller on trees of many modes, sticky bits and ACLs: HDFS and VDFS must
 * give the same verdict. Alice owns the trees and their group is users; bob is in it, carol is not,
 * dave is named in ACLs.
 */
@Timeout(1_200)
class PermissionMatrixIT {
  private static final int LEAST_CASES = 2_000;
  private static final String GROUPS = "alice=users,staff;bob=users;carol=others;dave=others;";
  private static final List<String> CALLERS = List.of("alice", "bob", "carol", "dave");
  private static final int[] PARENT_MODES = {0700, 0750, 0733, 0777, 0555};
  private static final int[] CHILD_MODES = {0600, 0640, 0666, 0000, 0444, 0061, 0755};
  private static final List<String> PARENT_ACLS =
      List.of("", "user:dave:rwx", "user:bob:---,group:others:rwx", "group:others:rwx,mask::r-x");
  private static final List<String> CHILD_ACLS =
      List.of("", "user:dave:rw-", "group:others:r-x,user:bob:-w-", "user:carol:rwx,mask::r--");

  @TempDir static Path directory;

  private static MiniDFSCluster hdfs;
  private static VdfsTestCluster vdfs;
  private static PermissionCases theirs;
  private static PermissionCases ours;

  @BeforeAll
  static void start() throws Exception {
    Configuration conf = new Configuration();
    conf.set("hadoop.user.group.static.mapping.overrides", GROUPS);
    conf.set("fs.permissions.umask-mode", "022");
    conf.set(MiniDFSCluster.HDFS_MINIDFS_BASEDIR, directory.toString());
    Groups.getUserToGroupsMappingServiceWithLoadedConfiguration(conf);
    // suites that made users for testing leave a table of groups that knows nothing of this one
    UserGroupInformation.reset();
    hdfs = new MiniDFSCluster.Builder(conf).numDataNodes(0).build();
    conf.set("dfs.replication", "1");
    vdfs = VdfsTestCluster.start(ClusterSpec.small("matrix", 3));
    Configuration client = vdfs.configuration();
    client.set("fs.permissions.umask-mode", "022");
    theirs = cases(hdfs.getURI(), conf);
    ours = cases(vdfs.uri(), client);
  }

  private static PermissionCases cases(URI uri, Configuration conf) throws Exception {
    Map<String, FileSystem> callers = new TreeMap<>();
    for (String caller : CALLERS) {
      callers.put(
          caller,
          UserGroupInformation.createRemoteUser(caller)
              .doAs(
                  (PrivilegedExceptionAction<FileSystem>) () -> FileSystem.newInstance(uri, conf)));
    }
    return new PermissionCases(FileSystem.newInstance(uri, conf), callers);
  }

  @AfterAll
  static void stop() throws Exception {
    theirs.close();
    ours.close();
    vdfs.close();
    hdfs.shutdown();
    Groups.getUserToGroupsMappingServiceWithLoadedConfiguration(new Configuration());
  }

  private static List<PermissionTree> trees() {
    List<PermissionTree> trees = new ArrayList<>();
    for (int mode : PARENT_MODES) {
      for (String acl : PARENT_ACLS) {
        int number = trees.size();
        int sticky = (number + number / PARENT_ACLS.size()) % 2 == 0 ? 0 : 01000;
        trees.add(
            new PermissionTree(
                "/t" + number,
                mode | sticky,
                acl,
                CHILD_MODES[number % CHILD_MODES.length],
                CHILD_ACLS.get((number / 2) % CHILD_ACLS.size())));
      }
    }
    return trees;
  }

  @Test
  void shouldDecideAsHdfs() throws Exception {
    List<String> differences = new ArrayList<>();
    Map<PermissionOperation, int[]> verdicts = new EnumMap<>(PermissionOperation.class);
    int cases = 0;
    for (PermissionTree tree : trees()) {
      theirs.build(tree);
      ours.build(tree);
      for (PermissionOperation operation : PermissionOperation.values()) {
        for (String caller : CALLERS) {
          String expected = theirs.verdict(operation, caller, tree);
          String actual = ours.verdict(operation, caller, tree);
          cases++;
          verdicts
              .computeIfAbsent(operation, any -> new int[2])[
              expected.equals(PermissionCases.DENIED) ? 1 : 0]++;
          if (!expected.equals(actual)) {
            differences.add(
                operation + " by " + caller + " in " + tree + ": hdfs=" + expected + ", vdfs="
                    + actual);
          }
        }
      }
    }
    assertEquals(List.of(), differences);
    assertTrue(cases >= LEAST_CASES, "cases=" + cases);
    verdicts.forEach(
        (operation, counts) ->
            assertTrue(
                counts[1] > 0 && (counts[0] > 0 || operation.isForSuperusers()),
                operation + ": allowed=" + counts[0] + ", denied=" + counts[1]));
  }
}
