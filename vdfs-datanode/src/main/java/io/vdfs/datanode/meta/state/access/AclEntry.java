package io.vdfs.datanode.meta.state.access;

import io.vdfs.common.wire.proto.AclEntryProto;
import io.vdfs.common.wire.proto.AclTypeProto;
import java.util.Comparator;
import java.util.Objects;

/**
 * One entry of an ACL: what a user, a group or the rest may do. Immutable; ordered as HDFS shows
 * ACLs: access before default, users, groups, mask, others, the inode's own before named ones.
 *
 * @param isDefault for inodes made in the directory
 * @param type whether it is about a user, a group, the mask or others
 * @param name of the user or group; empty for the inode's own, and for mask and others
 * @param permission rwx as 0 to 7
 */
public record AclEntry(boolean isDefault, AclTypeProto type, String name, int permission)
    implements Comparable<AclEntry> {
  private static final Comparator<AclEntry> ORDER =
      Comparator.comparing(AclEntry::isDefault)
          .thenComparing(AclEntry::type)
          .thenComparing(AclEntry::name);

  public AclEntry {
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(name, "name");
  }

  public static AclEntry of(AclEntryProto entry) {
    return new AclEntry(
        entry.getIsDefault(), entry.getType(), entry.getName(), entry.getPermission());
  }

  static AclEntry own(boolean isDefault, AclTypeProto type, int permission) {
    return new AclEntry(isDefault, type, "", permission);
  }

  public AclEntryProto toProto() {
    return AclEntryProto.newBuilder()
        .setIsDefault(isDefault)
        .setType(type)
        .setName(name)
        .setPermission(permission)
        .build();
  }

  public boolean isNamed() {
    return !name.isEmpty();
  }

  /** Whether it is the entry of the same user or group in the same scope. */
  public boolean hasKeyOf(AclEntry other) {
    return ORDER.compare(this, other) == 0;
  }

  public AclEntry withPermission(int newPermission) {
    return new AclEntry(isDefault, type, name, newPermission);
  }

  AclEntry asAccess() {
    return new AclEntry(false, type, name, permission);
  }

  AclEntry asDefault() {
    return new AclEntry(true, type, name, permission);
  }

  /** By scope, type and name, then by permission. */
  @Override
  public int compareTo(AclEntry other) {
    return ORDER.thenComparing(AclEntry::permission).compare(this, other);
  }
}
