package io.vdfs.datanode.meta.query;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.GetStatusQuery;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.StatusProto;
import io.vdfs.common.wire.proto.XAttrRecord;
import io.vdfs.datanode.meta.state.FlushedLengths;
import io.vdfs.datanode.meta.state.Inodes;
import io.vdfs.datanode.meta.state.MetaContext;
import io.vdfs.datanode.meta.state.Refusals;
import io.vdfs.datanode.meta.state.SentText;
import io.vdfs.datanode.meta.state.XAttrName;
import io.vdfs.datanode.meta.state.access.Access;
import io.vdfs.datanode.meta.state.access.Action;
import java.util.Set;
import java.util.TreeSet;

/**
 * Status of one path, its ACL and the names of its extended attributes, for callers that may
 * traverse to it. The attributes' values need the right to read. All are those that the caller may
 * access.
 */
final class GetStatus implements Query {
  private final FlushedLengths flushed;

  GetStatus(FlushedLengths flushed) {
    this.flushed = flushed;
  }

  @Override
  public MetaResponse answer(MetaRequest request, MetaContext context) throws VdfsException {
    GetStatusQuery query = request.getGetStatus();
    Set<String> asked = asked(query, context.access());
    InodeRecord inode = context.resolve(query.getPath()).requireInode();
    StatusProto.Builder status =
        Inodes.status(inode)
            .setFlushedLength(Inodes.shownFlushedLength(inode, flushed.of(inode)))
            .setReadable(context.access().allows(inode, Action.READ))
            .setWritable(context.access().allows(inode, Action.WRITE));
    if (query.getWithXattrs()) {
      context.access().require(inode, Action.READ, query.getPath());
      addXAttrs(inode, asked, status, context.access());
    }
    if (query.getWithAcl()) {
      status.addAllAcl(inode.getAclList());
    }
    return MetaResponse.newBuilder().setStatus(status).build();
  }

  private static Set<String> asked(GetStatusQuery query, Access access) throws VdfsException {
    Set<String> names = new TreeSet<>();
    for (String name : query.getXattrNamesList()) {
      names.add(XAttrName.accessible(name, access).full());
    }
    return names;
  }

  /**
   * @param asked empty for all
   */
  private static void addXAttrs(
      InodeRecord inode, Set<String> asked, StatusProto.Builder status, Access access)
      throws VdfsException {
    for (XAttrRecord xattr : inode.getXattrsList()) {
      String name = xattr.getName();
      boolean wanted = asked.isEmpty() || asked.contains(name);
      if (wanted && XAttrName.parse(name).isAccessibleTo(access)) {
        status.putXattrs(name, xattr.getValue());
      }
    }
    if (status.getXattrsCount() < asked.size()) {
      throw Refusals.invalid(
          "no such attribute: asked=%s, there=%s"
              .formatted(SentText.shown(asked.toString()), status.getXattrsMap().keySet()));
    }
  }
}
