package io.vdfs.datanode.meta.op.attributes;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.EmptyResult;
import io.vdfs.common.wire.proto.FileRecord;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.SetAttributesOp;
import io.vdfs.datanode.meta.op.change.Changes;
import io.vdfs.datanode.meta.op.change.Checks;
import io.vdfs.datanode.meta.op.change.Operation;
import io.vdfs.datanode.meta.op.copies.Exclusions;
import io.vdfs.datanode.meta.op.copies.FurtherKeepers;
import io.vdfs.datanode.meta.op.copies.LackingGroups;
import io.vdfs.datanode.meta.op.copies.ReplicationFactor;
import io.vdfs.datanode.meta.state.MetaContext;
import io.vdfs.datanode.meta.state.Refusals;
import io.vdfs.datanode.meta.state.ResolvedPath;
import io.vdfs.datanode.meta.state.SentText;
import io.vdfs.datanode.meta.state.access.Access;
import io.vdfs.datanode.meta.state.access.Action;

/**
 * Sets any of mode, owner, group, times and replication; all or none. Mode and group are up to the
 * owner, the owner to the superuser, times and replication to users who may write. A replication
 * that is lowered counts at once; where it is raised, the nodes that shall hold further copies are
 * left out until they have made them.
 */
final class SetAttributesOperation implements Operation {
  @Override
  public MetaResponse decide(MetaRequest request, MetaContext context, Changes changes)
      throws VdfsException {
    SetAttributesOp op = request.getSetAttributes();
    ResolvedPath resolved = context.resolve(op.getPath());
    InodeRecord old = resolved.requireInode();
    if (!setsAnything(op)) {
      throw Refusals.invalid("no attribute to set: path=" + resolved.path());
    }
    InodeRecord.Builder inode = old.toBuilder();
    setMode(op, old, inode, context.access());
    setOwner(op, old, inode, context.access());
    setTimes(op, old, inode, context.access());
    setReplication(op, resolved, inode, context);
    changes.put(inode.build());
    return MetaResponse.newBuilder().setEmpty(EmptyResult.getDefaultInstance()).build();
  }

  private static boolean setsAnything(SetAttributesOp op) {
    return op.hasMode()
        || op.hasOwner()
        || op.hasGroup()
        || op.hasModificationMillis()
        || op.hasAccessMillis()
        || op.hasReplication();
  }

  private static void setMode(
      SetAttributesOp op, InodeRecord old, InodeRecord.Builder inode, Access access)
      throws VdfsException {
    if (op.hasMode()) {
      access.requireOwner(old, op.getPath());
      inode.setMode(Checks.mode(op.getMode()));
    }
  }

  private static void setOwner(
      SetAttributesOp op, InodeRecord old, InodeRecord.Builder inode, Access access)
      throws VdfsException {
    if (!op.hasOwner() && !op.hasGroup()) {
      return;
    }
    access.requireOwner(old, op.getPath());
    if (op.hasOwner()) {
      if (!access.isSuperuser() && !op.getOwner().equals(access.user())) {
        throw access.denied("only a superuser changes the owner: path=" + op.getPath());
      }
      inode.setOwner(Checks.principal(op.getOwner(), "owner"));
    }
    if (op.hasGroup()) {
      if (!access.isSuperuser() && !access.isMemberOf(op.getGroup())) {
        throw access.denied(
            "not a member of the group: path=%s, group=%s"
                .formatted(op.getPath(), SentText.shown(op.getGroup())));
      }
      inode.setGroup(Checks.principal(op.getGroup(), "group"));
    }
  }

  private static void setTimes(
      SetAttributesOp op, InodeRecord old, InodeRecord.Builder inode, Access access)
      throws VdfsException {
    if (!op.hasModificationMillis() && !op.hasAccessMillis()) {
      return;
    }
    access.require(old, Action.WRITE, op.getPath());
    if (op.hasModificationMillis()) {
      inode.setModificationMillis(
          Checks.notNegative(op.getModificationMillis(), "modificationMillis"));
    }
    if (op.hasAccessMillis()) {
      inode.setAccessMillis(Checks.notNegative(op.getAccessMillis(), "accessMillis"));
    }
  }

  private static void setReplication(
      SetAttributesOp op, ResolvedPath resolved, InodeRecord.Builder inode, MetaContext context)
      throws VdfsException {
    if (op.hasReplication()) {
      InodeRecord file = resolved.requireFile();
      context.access().require(file, Action.WRITE, op.getPath());
      int asked = Checks.replication(op.getReplication(), context);
      FileRecord content =
          ReplicationFactor.of(asked, op.getRingCopies()).ofOld(file.getFile(), resolved.path());
      inode.setFile(withoutNewKeepers(file, content, context));
    }
  }

  /** The file with those nodes left out that become keepers of groups that they do not have. */
  private static FileRecord withoutNewKeepers(
      InodeRecord old, FileRecord content, MetaContext context) throws VdfsException {
    boolean raised = content.getReplication() > old.getFile().getReplication();
    if (!raised || context.ring().isEmpty() || content.getLength() == 0) {
      return content;
    }
    InodeRecord file = old.toBuilder().setFile(content).build();
    FurtherKeepers further =
        new FurtherKeepers(old.getFile().getReplication(), file, context.ring().get());
    LackingGroups lacking = new LackingGroups(new Exclusions(content.getExclusionsList()), context);
    int groups = context.settings().geometry().groupCount(content.getLength());
    for (int group = 0; group < groups; group++) {
      for (ByteString node : further.of(group)) {
        lacking.add(node, group);
      }
    }
    return content.toBuilder()
        .clearExclusions()
        .addAllExclusions(lacking.exclusions().ranges())
        .build();
  }
}
