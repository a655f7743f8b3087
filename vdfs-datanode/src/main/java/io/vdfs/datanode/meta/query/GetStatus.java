package io.vdfs.datanode.meta.query;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.GetStatusQuery;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.StatusProto;
import io.vdfs.common.wire.proto.XAttrRecord;
import io.vdfs.datanode.meta.state.Access;
import io.vdfs.datanode.meta.state.Action;
import io.vdfs.datanode.meta.state.Inodes;
import io.vdfs.datanode.meta.state.MetaContext;
import io.vdfs.datanode.meta.state.XAttrName;

/**
 * Status of one path, its ACL and the names of its extended attributes, for whoever may traverse to
 * it. The attributes' values need the right to read. All are those that the caller may access.
 */
final class GetStatus implements Query {
  @Override
  public MetaResponse answer(MetaRequest request, MetaContext context) throws VdfsException {
    GetStatusQuery query = request.getGetStatus();
    InodeRecord inode = context.resolve(query.getPath()).requireInode();
    StatusProto.Builder status =
        Inodes.status(inode)
            .setReadable(context.access().allows(inode, Action.READ))
            .setWritable(context.access().allows(inode, Action.WRITE));
    if (query.getWithXattrs()) {
      context.access().require(inode, Action.READ, query.getPath());
      addXAttrs(inode, status, context.access());
    }
    if (query.getWithAcl()) {
      status.addAllAcl(inode.getAclList());
    }
    return MetaResponse.newBuilder().setStatus(status).build();
  }

  private static void addXAttrs(InodeRecord inode, StatusProto.Builder status, Access access)
      throws VdfsException {
    for (XAttrRecord xattr : inode.getXattrsList()) {
      if (XAttrName.parse(xattr.getName()).isAccessibleTo(access)) {
        status.putXattrs(xattr.getName(), xattr.getValue());
      }
    }
  }
}
