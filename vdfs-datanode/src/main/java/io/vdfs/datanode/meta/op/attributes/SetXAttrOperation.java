package io.vdfs.datanode.meta.op.attributes;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.EmptyResult;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.SetXAttrOp;
import io.vdfs.common.wire.proto.XAttrRecord;
import io.vdfs.datanode.meta.op.change.Changes;
import io.vdfs.datanode.meta.op.change.Operation;
import io.vdfs.datanode.meta.state.CloseAttribute;
import io.vdfs.datanode.meta.state.Inodes;
import io.vdfs.datanode.meta.state.MetaContext;
import io.vdfs.datanode.meta.state.Refusals;
import io.vdfs.datanode.meta.state.ResolvedPath;
import io.vdfs.datanode.meta.state.SentText;
import io.vdfs.datanode.meta.state.XAttrName;
import io.vdfs.datanode.meta.state.access.Action;
import io.vdfs.datanode.meta.state.settings.MetadataLimits;
import java.util.Map;
import java.util.TreeMap;

/** Sets, replaces or removes one extended attribute. */
final class SetXAttrOperation implements Operation {
  @Override
  public MetaResponse decide(MetaRequest request, MetaContext context, Changes changes)
      throws VdfsException {
    SetXAttrOp op = request.getSetXattr();
    XAttrName name = XAttrName.accessible(op.getName(), context.access());
    ResolvedPath resolved = context.resolve(op.getPath());
    InodeRecord inode = resolved.requireInode();
    requireChangeable(inode, name, op.getPath(), context);

    Map<String, XAttrRecord> xattrs = new TreeMap<>();
    inode.getXattrsList().forEach(xattr -> xattrs.put(xattr.getName(), xattr));
    if (op.hasValue()) {
      set(op, name, xattrs, context.settings().limits());
    } else {
      requireExisting(name, xattrs);
      xattrs.remove(name.full());
    }
    changes.put(inode.toBuilder().clearXattrs().addAllXattrs(xattrs.values()).build());
    return MetaResponse.newBuilder().setEmpty(EmptyResult.getDefaultInstance()).build();
  }

  /** A directory with sticky bit is shared by many: only its owner may mark it. */
  private static void requireChangeable(
      InodeRecord inode, XAttrName name, String path, MetaContext context) throws VdfsException {
    if (!name.isUser()) {
      return;
    }
    if (isClose(name)) {
      // it decides what other writers there may lose
      context.access().requireOwner(inode, path);
    } else if (Inodes.isDirectory(inode) && Inodes.hasStickyBit(inode)) {
      context.access().requireOwner(inode, path);
    } else {
      context.access().require(inode, Action.WRITE, path);
    }
  }

  private static void set(
      SetXAttrOp op, XAttrName name, Map<String, XAttrRecord> xattrs, MetadataLimits limits)
      throws VdfsException {
    if (isClose(name)) {
      CloseAttribute.check(op.getValue());
    }
    int size = name.bytes() + op.getValue().size();
    if (size > limits.xattrBytes()) {
      throw Refusals.invalid(
          "attribute is too large: name=%s, size=%s, limit=%s"
              .formatted(shown(name), size, limits.xattrBytes()));
    }
    boolean exists = xattrs.containsKey(name.full());
    if (exists && op.getCreate() && !op.getReplace()) {
      throw new VdfsException(
          ErrorCode.ALREADY_EXISTS, "attribute exists already: name=" + shown(name));
    }
    if (op.getReplace() && !op.getCreate()) {
      requireExisting(name, xattrs);
    }
    if (!exists && xattrs.size() >= limits.xattrs()) {
      throw new VdfsException(
          ErrorCode.QUOTA_EXCEEDED,
          "too many attributes: name=" + shown(name) + ", limit=" + limits.xattrs());
    }
    xattrs.put(
        name.full(), XAttrRecord.newBuilder().setName(name.full()).setValue(op.getValue()).build());
  }

  private static boolean isClose(XAttrName name) {
    return name.full().equals(CloseAttribute.NAME);
  }

  private static void requireExisting(XAttrName name, Map<String, XAttrRecord> xattrs)
      throws VdfsException {
    if (!xattrs.containsKey(name.full())) {
      throw Refusals.invalid("no such attribute: name=" + shown(name));
    }
  }

  private static String shown(XAttrName name) {
    return SentText.shown(name.full());
  }
}
