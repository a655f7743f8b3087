package io.vdfs.client.hadoop.values;

import io.vdfs.client.names.AclRule;
import io.vdfs.client.names.AclRule.Subject;
import io.vdfs.client.names.FileInfo;
import java.util.List;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.AclEntryScope;
import org.apache.hadoop.fs.permission.AclEntryType;
import org.apache.hadoop.fs.permission.AclStatus;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;

/** Hadoop's ACLs and permissions as the client has them, and back. Stateless. */
public final class Acls {
  private static final int STICKY = 01000;

  private Acls() {}

  /** In the same order; a name or a permission that an entry lacks is empty or 0. */
  public static List<AclRule> encode(List<AclEntry> entries) {
    return entries.stream().map(Acls::encode).toList();
  }

  private static AclRule encode(AclEntry entry) {
    return new AclRule(
        entry.getScope() == AclEntryScope.DEFAULT,
        Subject.valueOf(entry.getType().name()),
        entry.getName() == null ? "" : entry.getName(),
        entry.getPermission() == null ? 0 : bits(entry.getPermission()));
  }

  /** Rwx as 0 to 7. */
  public static int bits(FsAction action) {
    return (action.implies(FsAction.READ) ? 4 : 0)
        | (action.implies(FsAction.WRITE) ? 2 : 0)
        | (action.implies(FsAction.EXECUTE) ? 1 : 0);
  }

  /** The entries beyond the mode, as {@code hadoop fs -getfacl} wants them, and the mode. */
  public static AclStatus status(FileInfo info) {
    return new AclStatus.Builder()
        .owner(info.owner())
        .group(info.group())
        .stickyBit((info.mode() & STICKY) != 0)
        .setPermission(new FsPermission((short) info.mode()))
        .addEntries(info.acl().stream().map(Acls::decode).toList())
        .build();
  }

  private static AclEntry decode(AclRule entry) {
    return new AclEntry.Builder()
        .setScope(entry.ofDefault() ? AclEntryScope.DEFAULT : AclEntryScope.ACCESS)
        .setType(AclEntryType.valueOf(entry.subject().name()))
        .setName(entry.name().isEmpty() ? null : entry.name())
        .setPermission(new FsPermission((short) entry.permission()).getOtherAction())
        .build();
  }
}
