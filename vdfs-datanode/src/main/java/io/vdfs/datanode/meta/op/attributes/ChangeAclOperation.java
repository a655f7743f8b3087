package io.vdfs.datanode.meta.op.attributes;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.AclEntryProto;
import io.vdfs.common.wire.proto.AclTypeProto;
import io.vdfs.common.wire.proto.ChangeAclOp;
import io.vdfs.common.wire.proto.EmptyResult;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.meta.op.change.Changes;
import io.vdfs.datanode.meta.op.change.Checks;
import io.vdfs.datanode.meta.op.change.Operation;
import io.vdfs.datanode.meta.state.Inodes;
import io.vdfs.datanode.meta.state.MetaContext;
import io.vdfs.datanode.meta.state.Refusals;
import io.vdfs.datanode.meta.state.SentText;
import io.vdfs.datanode.meta.state.access.Acl;
import io.vdfs.datanode.meta.state.access.AclEntry;
import java.util.ArrayList;
import java.util.List;

/** Changes the ACL of an inode, for its owner. Only directories have a default ACL. */
final class ChangeAclOperation implements Operation {
  private static final int MAX_GIVEN = 64;
  private static final int RWX = 7;

  @Override
  public MetaResponse decide(MetaRequest request, MetaContext context, Changes changes)
      throws VdfsException {
    ChangeAclOp op = request.getChangeAcl();
    List<AclEntry> given = given(op);
    InodeRecord old = context.resolve(op.getPath()).requireInode();
    context.access().requireOwner(old, op.getPath());
    Acl acl = changed(op, Acl.of(old), given);
    if (!Inodes.isDirectory(old) && !acl.scope(true).isEmpty()) {
      throw Refusals.invalid("only a directory has a default ACL: path=" + op.getPath());
    }
    InodeRecord.Builder inode = old.toBuilder();
    acl.applyTo(inode);
    changes.put(inode.build());
    return MetaResponse.newBuilder().setEmpty(EmptyResult.getDefaultInstance()).build();
  }

  private static Acl changed(ChangeAclOp op, Acl old, List<AclEntry> given) throws VdfsException {
    return switch (op.getChange()) {
      case ACL_SET -> AclEdit.set(old, given);
      case ACL_MODIFY -> AclEdit.modify(old, given);
      case ACL_REMOVE_ENTRIES -> AclEdit.remove(old, given);
      case ACL_REMOVE_DEFAULT -> new Acl(old.scope(false));
      case ACL_REMOVE_ALL -> minimal(old);
      case UNRECOGNIZED ->
          throw Refusals.invalid("unknown change of an ACL: change=" + op.getChangeValue());
    };
  }

  /** The ACL that is left where the mode alone decides: the group has its own permission again. */
  private static Acl minimal(Acl old) {
    return new Acl(
        old.scope(false).stream()
            .filter(entry -> !entry.isNamed() && entry.type() != AclTypeProto.ACL_MASK)
            .toList());
  }

  private static List<AclEntry> given(ChangeAclOp op) throws VdfsException {
    if (op.getEntriesCount() > MAX_GIVEN) {
      throw Refusals.invalid(
          "too many entries in an ACL: entries=" + op.getEntriesCount() + ", limit=" + MAX_GIVEN);
    }
    List<AclEntry> given = new ArrayList<>();
    for (AclEntryProto proto : op.getEntriesList()) {
      given.add(checked(AclEntry.of(proto), given));
    }
    return given;
  }

  private static AclEntry checked(AclEntry entry, List<AclEntry> others) throws VdfsException {
    switch (entry.type()) {
      case ACL_USER, ACL_GROUP -> {
        if (entry.isNamed()) {
          Checks.principal(entry.name(), "acl.name");
        }
      }
      case ACL_MASK, ACL_OTHER -> {
        if (entry.isNamed()) {
          throw Refusals.invalid(
              "mask and others have no name in an ACL: name=" + SentText.shown(entry.name()));
        }
      }
      case UNRECOGNIZED -> throw Refusals.invalid("unknown type of entry in an ACL");
    }
    if (entry.permission() < 0 || entry.permission() > RWX) {
      throw Refusals.invalid(
          "a permission is 0 to 7: permission=" + Integer.toUnsignedString(entry.permission()));
    }
    if (others.stream().anyMatch(entry::hasKeyOf)) {
      throw Refusals.invalid(
          "an ACL names each user or group once: type=" + entry.type() + ", name=" + entry.name());
    }
    return entry;
  }
}
