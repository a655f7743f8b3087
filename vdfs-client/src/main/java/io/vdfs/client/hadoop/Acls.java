package io.vdfs.client.hadoop;

import io.vdfs.client.FileInfo;
import io.vdfs.common.wire.proto.AclEntryProto;
import io.vdfs.common.wire.proto.AclTypeProto;
import java.util.List;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.AclEntryScope;
import org.apache.hadoop.fs.permission.AclEntryType;
import org.apache.hadoop.fs.permission.AclStatus;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;

/** Hadoop's ACLs and permissions as they travel, and back. */
final class Acls {
  private static final int STICKY = 01000;

  private Acls() {}

  static List<AclEntryProto> encode(List<AclEntry> entries) {
    return entries.stream().map(Acls::encode).toList();
  }

  private static AclEntryProto encode(AclEntry entry) {
    AclEntryProto.Builder encoded =
        AclEntryProto.newBuilder()
            .setIsDefault(entry.getScope() == AclEntryScope.DEFAULT)
            .setType(encode(entry.getType()));
    if (entry.getName() != null) {
      encoded.setName(entry.getName());
    }
    if (entry.getPermission() != null) {
      encoded.setPermission(bits(entry.getPermission()));
    }
    return encoded.build();
  }

  private static AclTypeProto encode(AclEntryType type) {
    return switch (type) {
      case USER -> AclTypeProto.ACL_USER;
      case GROUP -> AclTypeProto.ACL_GROUP;
      case MASK -> AclTypeProto.ACL_MASK;
      case OTHER -> AclTypeProto.ACL_OTHER;
    };
  }

  /** Rwx as 0 to 7. */
  static int bits(FsAction action) {
    return (action.implies(FsAction.READ) ? 4 : 0)
        | (action.implies(FsAction.WRITE) ? 2 : 0)
        | (action.implies(FsAction.EXECUTE) ? 1 : 0);
  }

  /** The entries beyond the mode, as {@code hadoop fs -getfacl} wants them, and the mode. */
  static AclStatus status(FileInfo info) {
    return new AclStatus.Builder()
        .owner(info.owner())
        .group(info.group())
        .stickyBit((info.mode() & STICKY) != 0)
        .setPermission(new FsPermission((short) info.mode()))
        .addEntries(info.acl().stream().map(Acls::decode).toList())
        .build();
  }

  private static AclEntry decode(AclEntryProto entry) {
    return new AclEntry.Builder()
        .setScope(entry.getIsDefault() ? AclEntryScope.DEFAULT : AclEntryScope.ACCESS)
        .setType(decode(entry.getType()))
        .setName(entry.getName().isEmpty() ? null : entry.getName())
        .setPermission(new FsPermission((short) entry.getPermission()).getOtherAction())
        .build();
  }

  private static AclEntryType decode(AclTypeProto type) {
    return switch (type) {
      case ACL_USER -> AclEntryType.USER;
      case ACL_GROUP -> AclEntryType.GROUP;
      case ACL_MASK -> AclEntryType.MASK;
      case ACL_OTHER -> AclEntryType.OTHER;
      case UNRECOGNIZED ->
          throw new IllegalArgumentException("unknown type of entry in an ACL: type=" + type);
    };
  }
}
