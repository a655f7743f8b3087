package io.vdfs.datanode.meta.query;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.CheckAccessQuery;
import io.vdfs.common.wire.proto.EmptyResult;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.meta.state.MetaContext;
import io.vdfs.datanode.meta.state.Refusals;

/** Whether the caller may do something with an inode, ACL included; refused if not. */
final class CheckAccess implements Query {
  private static final int RWX = 7;

  @Override
  public MetaResponse answer(MetaRequest request, MetaContext context) throws VdfsException {
    CheckAccessQuery query = request.getCheckAccess();
    if (query.getPermission() < 0 || query.getPermission() > RWX) {
      throw Refusals.invalid(
          "a permission is 0 to 7: permission=" + Integer.toUnsignedString(query.getPermission()));
    }
    InodeRecord inode = context.resolve(query.getPath()).requireInode();
    context.access().require(inode, query.getPermission(), query.getPath());
    return MetaResponse.newBuilder().setEmpty(EmptyResult.getDefaultInstance()).build();
  }
}
