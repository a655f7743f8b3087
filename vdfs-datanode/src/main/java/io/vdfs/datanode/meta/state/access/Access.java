package io.vdfs.datanode.meta.state.access;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.AclEntryProto;
import io.vdfs.common.wire.proto.AclTypeProto;
import io.vdfs.common.wire.proto.CallerProto;
import io.vdfs.common.wire.proto.InodeRecord;

/**
 * The rights of one caller, by HDFS's rules: the first class that fits (owner, named user, groups,
 * others) decides alone; among groups, one that allows it is enough. The superuser may do
 * everything. Immutable.
 */
public final class Access {
  private static final int STICKY = 01000;

  private final CallerProto caller;

  private Access(CallerProto caller) {
    this.caller = caller;
  }

  /**
   * @throws VdfsException PERMISSION_DENIED if the caller has no name
   */
  public static Access of(CallerProto caller) throws VdfsException {
    if (caller.getUser().isEmpty()) {
      throw new VdfsException(ErrorCode.PERMISSION_DENIED, "permission denied: no caller is known");
    }
    return new Access(caller);
  }

  public String user() {
    return caller.getUser();
  }

  public boolean isSuperuser() {
    return caller.getSuperuser();
  }

  public boolean isMemberOf(String group) {
    return caller.getGroupsList().contains(group);
  }

  public boolean isOwner(InodeRecord inode) {
    return inode.getOwner().equals(user());
  }

  public boolean allows(InodeRecord inode, Action action) {
    return allows(inode, action.bits());
  }

  private boolean allows(InodeRecord inode, int bits) {
    if (isSuperuser()) {
      return true;
    }
    int mode = inode.getMode();
    if (isOwner(inode)) {
      return includes(mode >> 6, bits);
    }
    if (Acl.hasAccess(inode)) {
      return allowsByAcl(inode, bits);
    }
    return includes(isMemberOf(inode.getGroup()) ? mode >> 3 : mode, bits);
  }

  /**
   * The answer for a caller who is not the owner; all entries looked at are bounded by the mask.
   */
  private boolean allowsByAcl(InodeRecord inode, int bits) {
    int mask = inode.getMode() >> 3;
    boolean isMember = false;
    for (AclEntryProto entry : inode.getAclList()) {
      if (entry.getIsDefault()) {
        break;
      }
      boolean allowed = includes(entry.getPermission() & mask, bits);
      if (entry.getType() == AclTypeProto.ACL_USER) {
        if (entry.getName().equals(user())) {
          return allowed;
        }
      } else if (isMemberOf(entry.getName().isEmpty() ? inode.getGroup() : entry.getName())) {
        if (allowed) {
          return true;
        }
        isMember = true;
      }
    }
    return !isMember && includes(inode.getMode(), bits);
  }

  private static boolean includes(int permission, int bits) {
    return (permission & bits) == bits;
  }

  /** Whether the sticky bit of {@code parent} lets the caller remove or move {@code child}. */
  public boolean allowsRemoval(InodeRecord parent, InodeRecord child) {
    return isSuperuser() || (parent.getMode() & STICKY) == 0 || isOwner(parent) || isOwner(child);
  }

  public void require(InodeRecord inode, Action action, String path) throws VdfsException {
    if (!allows(inode, action)) {
      throw denied(action, inode, path);
    }
  }

  /**
   * @param permission rwx as 0 to 7
   */
  public void require(InodeRecord inode, int permission, String path) throws VdfsException {
    if (!allows(inode, permission)) {
      throw denied("permission " + permission, inode, path);
    }
  }

  public void requireRemoval(InodeRecord parent, InodeRecord child, String path)
      throws VdfsException {
    if (!allowsRemoval(parent, child)) {
      throw denied("removal from a directory with sticky bit", child, path);
    }
  }

  public void requireOwner(InodeRecord inode, String path) throws VdfsException {
    if (!isSuperuser() && !isOwner(inode)) {
      throw denied("ownership", inode, path);
    }
  }

  public void requireSuperuser(String what) throws VdfsException {
    if (!isSuperuser()) {
      throw denied("needs a superuser: what=" + what);
    }
  }

  public VdfsException denied(String reason) {
    return new VdfsException(
        ErrorCode.PERMISSION_DENIED, "permission denied: user=" + user() + ", " + reason);
  }

  public VdfsException denied(Action action, InodeRecord inode, String path) {
    return denied(action.name(), inode, path);
  }

  private VdfsException denied(String access, InodeRecord inode, String path) {
    return denied(
        "access=%s, path=%s, owner=%s, group=%s, mode=%s%s"
            .formatted(
                access,
                path,
                inode.getOwner(),
                inode.getGroup(),
                Integer.toOctalString(inode.getMode()),
                Acl.hasAccess(inode) ? "+" : ""));
  }
}
