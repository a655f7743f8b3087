package io.vdfs.datanode.meta.state.access;

import io.vdfs.common.wire.proto.AclEntryProto;
import io.vdfs.common.wire.proto.AclTypeProto;
import io.vdfs.common.wire.proto.InodeRecord;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The whole ACL of an inode, by the rules of HDFS. Immutable.
 *
 * <p>A minimal ACL is the mode: owner, group and others. One with named users or groups has a mask,
 * which then stands in the group's bits of the mode and bounds all of them but owner and others. An
 * inode keeps what its mode does not say; this is both together.
 *
 * @param entries in order
 */
public record Acl(List<AclEntry> entries) {
  private static final int MINIMAL = 3;
  private static final int RWX = 7;

  public Acl {
    entries = entries.stream().sorted().toList();
  }

  public static Acl of(InodeRecord inode) {
    int mode = inode.getMode();
    List<AclEntry> entries = new ArrayList<>();
    entries.add(AclEntry.own(false, AclTypeProto.ACL_USER, (mode >> 6) & RWX));
    inode.getAclList().forEach(entry -> entries.add(AclEntry.of(entry)));
    AclTypeProto middle = hasAccess(inode) ? AclTypeProto.ACL_MASK : AclTypeProto.ACL_GROUP;
    entries.add(AclEntry.own(false, middle, (mode >> 3) & RWX));
    entries.add(AclEntry.own(false, AclTypeProto.ACL_OTHER, mode & RWX));
    return new Acl(entries);
  }

  /** Whether entries beyond the mode decide about access to {@code inode}. */
  static boolean hasAccess(InodeRecord inode) {
    return inode.getAclCount() > 0 && !inode.getAcl(0).getIsDefault();
  }

  public List<AclEntry> scope(boolean isDefault) {
    return entries.stream().filter(entry -> entry.isDefault() == isDefault).toList();
  }

  /** The inode's own entry of a type, such as the mask. */
  public Optional<AclEntry> own(boolean isDefault, AclTypeProto type) {
    return entries.stream()
        .filter(e -> e.isDefault() == isDefault && e.type() == type && !e.isNamed())
        .findFirst();
  }

  /** Makes this the ACL of {@code inode}; other bits of the mode stay. */
  public void applyTo(InodeRecord.Builder inode) {
    List<AclEntry> access = scope(false);
    boolean isMinimal = access.size() == MINIMAL;
    AclTypeProto middle = isMinimal ? AclTypeProto.ACL_GROUP : AclTypeProto.ACL_MASK;
    int mode =
        (bits(AclTypeProto.ACL_USER) << 6) | (bits(middle) << 3) | bits(AclTypeProto.ACL_OTHER);
    inode.setMode((inode.getMode() & ~0777) | mode).clearAcl();
    if (!isMinimal) {
      access.stream().filter(Acl::isBeyondMode).map(AclEntry::toProto).forEach(inode::addAcl);
    }
    scope(true).stream().map(AclEntry::toProto).forEach(inode::addAcl);
  }

  private static boolean isBeyondMode(AclEntry entry) {
    return entry.isNamed() || entry.type() == AclTypeProto.ACL_GROUP;
  }

  private int bits(AclTypeProto type) {
    return own(false, type)
        .orElseThrow(() -> new IllegalStateException("ACL lacks an entry: type=" + type))
        .permission();
  }

  /**
   * Gives a new inode what its parent's default ACL says, if there is one.
   *
   * @param unmasked mode asked for before the umask, which a default ACL replaces
   */
  public static void inherit(InodeRecord parent, InodeRecord.Builder child, int unmasked) {
    List<AclEntry> inherited =
        parent.getAclList().stream().filter(AclEntryProto::getIsDefault).map(AclEntry::of).toList();
    if (inherited.isEmpty()) {
      return;
    }
    boolean isMinimal = inherited.size() == MINIMAL;
    List<AclEntry> entries = new ArrayList<>();
    for (AclEntry entry : inherited) {
      int allowed = entry.isNamed() ? RWX : filter(entry.type(), unmasked, isMinimal);
      entries.add(entry.asAccess().withPermission(entry.permission() & allowed));
    }
    if (!child.hasFile()) {
      entries.addAll(inherited);
    }
    new Acl(entries).applyTo(child);
  }

  /** The part of an inherited entry that the requested mode leaves. */
  private static int filter(AclTypeProto type, int mode, boolean isMinimal) {
    return switch (type) {
      case ACL_USER -> (mode >> 6) & RWX;
      case ACL_GROUP -> isMinimal ? (mode >> 3) & RWX : RWX;
      case ACL_MASK -> (mode >> 3) & RWX;
      case ACL_OTHER, UNRECOGNIZED -> mode & RWX;
    };
  }
}
