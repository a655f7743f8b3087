package io.vdfs.datanode.meta.query;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.OpenFileResult;
import io.vdfs.common.wire.proto.OpenQuery;
import io.vdfs.datanode.meta.state.Inodes;
import io.vdfs.datanode.meta.state.MetaContext;
import io.vdfs.datanode.meta.state.Namespace;
import io.vdfs.datanode.meta.state.Refusals;
import io.vdfs.datanode.meta.state.access.Access;
import io.vdfs.datanode.meta.state.access.Action;

/**
 * What a reader has to know of a file, by path or, once opened, by id wherever the file is by now.
 * Both need the right to traverse to the file and to read it.
 */
final class OpenFile implements Query {
  @Override
  public MetaResponse answer(MetaRequest request, MetaContext context) throws VdfsException {
    OpenQuery query = request.getOpen();
    InodeRecord file = query.getFileId() == 0 ? byPath(query, context) : byId(query, context);
    return MetaResponse.newBuilder()
        .setOpenFile(
            OpenFileResult.newBuilder().setFileId(file.getId()).setStatus(Inodes.status(file)))
        .build();
  }

  private static InodeRecord byPath(OpenQuery query, MetaContext context) throws VdfsException {
    InodeRecord file = context.resolve(query.getPath()).requireFile();
    context.access().require(file, Action.READ, query.getPath());
    return file;
  }

  private static InodeRecord byId(OpenQuery query, MetaContext context) throws VdfsException {
    if (!query.getPath().isEmpty()) {
      throw Refusals.invalid("a file is opened by path or by id, not both");
    }
    Namespace namespace = context.namespace();
    InodeRecord file = namespace.fileById(query.getFileId());
    Access access = context.access();
    for (InodeRecord inode = file; inode.getParentId() != 0; ) {
      inode = namespace.inode(inode.getParentId());
      access.require(inode, Action.EXECUTE, "above file " + file.getId());
    }
    access.require(file, Action.READ, "file " + file.getId());
    return file;
  }
}
