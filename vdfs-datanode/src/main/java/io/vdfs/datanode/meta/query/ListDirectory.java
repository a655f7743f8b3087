package io.vdfs.datanode.meta.query;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.ListQuery;
import io.vdfs.common.wire.proto.ListResult;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.StatusProto;
import io.vdfs.datanode.meta.state.Action;
import io.vdfs.datanode.meta.state.Inodes;
import io.vdfs.datanode.meta.state.MetaContext;
import io.vdfs.datanode.meta.state.MetadataLimits;
import java.util.Iterator;

/** One page of a directory in name order, or a file itself. A page ends early when it is large. */
final class ListDirectory implements Query {
  @Override
  public MetaResponse answer(MetaRequest request, MetaContext context) throws VdfsException {
    ListQuery query = request.getList();
    InodeRecord inode = context.resolve(query.getPath()).requireInode();
    ListResult.Builder page = ListResult.newBuilder();
    if (Inodes.isDirectory(inode)) {
      context.access().require(inode, Action.READ_EXECUTE, query.getPath());
      fill(page, inode, query, context);
    } else {
      page.addEntries(status(inode, context));
    }
    return MetaResponse.newBuilder().setList(page).build();
  }

  private static StatusProto.Builder status(InodeRecord inode, MetaContext context) {
    return Inodes.status(inode)
        .setReadable(context.access().allows(inode, Action.READ))
        .setWritable(context.access().allows(inode, Action.WRITE));
  }

  private static void fill(
      ListResult.Builder page, InodeRecord directory, ListQuery query, MetaContext context) {
    MetadataLimits limits = context.settings().limits();
    int entries = Page.entries(query.getLimit(), limits);
    long bytes = 0;
    Iterator<InodeRecord> children =
        context.namespace().children(directory.getId(), query.getStartAfter());
    while (children.hasNext() && page.getEntriesCount() < entries && bytes < limits.pageBytes()) {
      InodeRecord child = children.next();
      StatusProto status = status(child, context).setName(child.getName()).build();
      page.addEntries(status);
      bytes += status.getSerializedSize();
    }
    page.setMore(children.hasNext());
  }
}
