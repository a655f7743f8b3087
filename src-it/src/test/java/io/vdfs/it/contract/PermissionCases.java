package io.vdfs.it.contract;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.AccessControlException;

/** The trees of the matrix on one filesystem, and its answers to callers. Confined to one test. */
final class PermissionCases implements AutoCloseable {
  static final String ALLOWED = "allowed";
  static final String DENIED = "denied";

  private final FileSystem superuser;
  private final Map<String, FileSystem> callers;

  PermissionCases(FileSystem superuser, Map<String, FileSystem> callers) {
    this.superuser = superuser;
    this.callers = callers;
  }

  void build(PermissionTree tree) throws IOException {
    Path top = new Path(tree.path());
    superuser.delete(top, true);
    superuser.mkdirs(new Path(top, "p/d"));
    for (String file : List.of("p/f", "p/d/c", "o")) {
      superuser.create(new Path(top, file)).close();
      give(new Path(top, file), tree.childMode(), tree.childAcl());
    }
    superuser.setXAttr(new Path(top, "p/f"), "user.z", new byte[] {1});
    give(new Path(top, "p/d"), tree.childMode(), tree.childAcl());
    give(new Path(top, "p"), tree.parentMode(), tree.parentAcl());
    give(top, 0777, "");
  }

  private void give(Path path, int mode, String acl) throws IOException {
    superuser.setOwner(path, "alice", "users");
    superuser.setPermission(path, new FsPermission((short) mode));
    if (!acl.isEmpty()) {
      superuser.modifyAclEntries(path, AclEntry.parseAclSpec(acl, true));
    }
  }

  /** The result of the attempt; the tree is restored afterwards. */
  String verdict(PermissionOperation operation, String caller, PermissionTree tree)
      throws IOException {
    try {
      operation.run(callers.get(caller), tree);
      if (operation.changesTree()) {
        build(tree);
      }
      return ALLOWED;
    } catch (AccessControlException e) {
      return DENIED;
    } catch (IOException e) {
      return e.getClass().getSimpleName();
    }
  }

  @Override
  public void close() throws IOException {
    for (FileSystem caller : callers.values()) {
      caller.close();
    }
    superuser.close();
  }
}
