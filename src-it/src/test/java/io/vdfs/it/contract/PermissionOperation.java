package io.vdfs.it.contract;

import java.io.IOException;
import java.util.EnumSet;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LeaseRecoverable;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;

/** What a caller tries in a {@link PermissionTree}. */
enum PermissionOperation {
  STATUS((fs, t) -> fs.getFileStatus(new Path(t, "p/f"))),
  LIST((fs, t) -> fs.listStatus(new Path(t, "p"))),
  LIST_CHILD((fs, t) -> fs.listStatus(new Path(t, "p/d"))),
  LIST_FILE((fs, t) -> fs.listStatus(new Path(t, "p/f"))),
  OPEN((fs, t) -> fs.open(new Path(t, "p/f")).close()),
  OPEN_BELOW((fs, t) -> fs.open(new Path(t, "p/d/c")).close()),
  CREATE((fs, t) -> fs.create(new Path(t, "p/x"), false).close()),
  CREATE_DEEP((fs, t) -> fs.create(new Path(t, "p/x/y"), false).close()),
  CREATE_EXISTING((fs, t) -> fs.create(new Path(t, "p/f"), false).close()),
  OVERWRITE((fs, t) -> fs.create(new Path(t, "p/f"), true).close()),
  APPEND((fs, t) -> fs.append(new Path(t, "p/f")).close()),
  TRUNCATE((fs, t) -> fs.truncate(new Path(t, "p/f"), 0)),
  MKDIR((fs, t) -> fs.mkdirs(new Path(t, "p/x"))),
  MKDIR_DEEP((fs, t) -> fs.mkdirs(new Path(t, "p/d/x/y"))),
  MKDIR_EXISTING((fs, t) -> fs.mkdirs(new Path(t, "p/d"))),
  DELETE((fs, t) -> fs.delete(new Path(t, "p/f"), false)),
  DELETE_TREE((fs, t) -> fs.delete(new Path(t, "p/d"), true)),
  DELETE_ALL((fs, t) -> fs.delete(new Path(t, "p"), true)),
  DELETE_NOTHING((fs, t) -> fs.delete(new Path(t, "p/none"), false)),
  RENAME((fs, t) -> fs.rename(new Path(t, "p/f"), new Path(t, "p/g"))),
  RENAME_OUT((fs, t) -> fs.rename(new Path(t, "p/f"), new Path(t, "f"))),
  RENAME_IN((fs, t) -> fs.rename(new Path(t, "o"), new Path(t, "p/o"))),
  RENAME_DIRECTORY((fs, t) -> fs.rename(new Path(t, "p/d"), new Path(t, "d"))),
  SET_MODE((fs, t) -> fs.setPermission(new Path(t, "p/f"), new FsPermission((short) 0123))),
  SET_FOREIGN_GROUP((fs, t) -> fs.setOwner(new Path(t, "p/f"), null, "others")),
  SET_OWN_GROUP((fs, t) -> fs.setOwner(new Path(t, "p/f"), null, "users")),
  SET_OWNER((fs, t) -> fs.setOwner(new Path(t, "p/f"), "eve", null)),
  SET_TIMES((fs, t) -> fs.setTimes(new Path(t, "p/f"), 1, 1)),
  SET_REPLICATION((fs, t) -> fs.setReplication(new Path(t, "p/f"), (short) 2)),
  SET_XATTR(
      (fs, t) ->
          fs.setXAttr(
              new Path(t, "p/f"), "user.a", new byte[] {1}, EnumSet.of(XAttrSetFlag.CREATE))),
  SET_XATTR_OF_DIRECTORY((fs, t) -> fs.setXAttr(new Path(t, "p"), "user.a", new byte[] {1})),
  SET_TRUSTED_XATTR((fs, t) -> fs.setXAttr(new Path(t, "p/f"), "trusted.a", new byte[] {1})),
  GET_XATTRS((fs, t) -> fs.getXAttrs(new Path(t, "p/f"))),
  LIST_XATTRS((fs, t) -> fs.listXAttrs(new Path(t, "p/f"))),
  REMOVE_XATTR((fs, t) -> fs.removeXAttr(new Path(t, "p/f"), "user.z")),
  GET_ACL((fs, t) -> fs.getAclStatus(new Path(t, "p/f"))),
  CHANGE_ACL(
      (fs, t) ->
          fs.modifyAclEntries(new Path(t, "p/f"), AclEntry.parseAclSpec("user:eve:r--", true))),
  REMOVE_ACL((fs, t) -> fs.removeAcl(new Path(t, "p/f"))),
  ACCESS_READ((fs, t) -> fs.access(new Path(t, "p/f"), FsAction.READ)),
  ACCESS_WRITE((fs, t) -> fs.access(new Path(t, "p/f"), FsAction.WRITE)),
  ACCESS_ALL((fs, t) -> fs.access(new Path(t, "p"), FsAction.ALL)),
  SUMMARY((fs, t) -> fs.getContentSummary(new Path(t, "p"))),
  RECOVER_LEASE((fs, t) -> ((LeaseRecoverable) fs).recoverLease(new Path(t, "p/f"))),
  SET_QUOTA((fs, t) -> fs.setQuota(new Path(t, "p"), 100, 100));

  /** An operation that the filesystem may deny. */
  @FunctionalInterface
  private interface Attempt {
    void run(FileSystem fileSystem, Path tree) throws IOException;
  }

  @SuppressWarnings("ImmutableEnumChecker") // no attempt captures anything
  private final Attempt attempt;

  PermissionOperation(Attempt attempt) {
    this.attempt = attempt;
  }

  /** Whether it changes the tree. */
  boolean changesTree() {
    return switch (this) {
      case STATUS,
          LIST,
          LIST_CHILD,
          LIST_FILE,
          OPEN,
          OPEN_BELOW,
          MKDIR_EXISTING,
          DELETE_NOTHING,
          GET_XATTRS,
          LIST_XATTRS,
          GET_ACL,
          ACCESS_READ,
          ACCESS_WRITE,
          ACCESS_ALL,
          SUMMARY,
          RECOVER_LEASE ->
          false;
      default -> true;
    };
  }

  boolean isForSuperusers() {
    return switch (this) {
      case SET_OWNER, SET_FOREIGN_GROUP, SET_TRUSTED_XATTR, SET_QUOTA -> true;
      default -> false;
    };
  }

  void run(FileSystem fileSystem, PermissionTree tree) throws IOException {
    attempt.run(fileSystem, new Path(tree.path()));
  }
}
