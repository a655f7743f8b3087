package io.vdfs.datanode.meta.query;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.ListQuery;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.meta.query.page.ListPageWriter;
import io.vdfs.datanode.meta.query.page.Page;
import io.vdfs.datanode.meta.state.FlushedLengths;
import io.vdfs.datanode.meta.state.Inodes;
import io.vdfs.datanode.meta.state.MetaContext;
import io.vdfs.datanode.meta.state.access.Access;
import io.vdfs.datanode.meta.state.access.Action;
import io.vdfs.datanode.meta.state.settings.MetadataLimits;
import java.util.Iterator;

/** One page of a directory in name order, or a file itself. A page ends early when it is large. */
final class ListDirectory implements Query {
  private final FlushedLengths flushed;

  ListDirectory(FlushedLengths flushed) {
    this.flushed = flushed;
  }

  @Override
  public MetaResponse answer(MetaRequest request, MetaContext context) throws VdfsException {
    ListQuery query = request.getList();
    InodeRecord inode = context.resolve(query.getPath()).requireInode();
    ListPageWriter page = new ListPageWriter();
    boolean more = false;
    if (Inodes.isDirectory(inode)) {
      context.access().require(inode, Action.READ_EXECUTE, query.getPath());
      more = fill(page, inode, query, context);
    } else {
      add(page, inode, "", context.access());
    }
    return MetaResponse.newBuilder().setList(page.finish(more)).build();
  }

  private void add(ListPageWriter page, InodeRecord inode, String name, Access access) {
    boolean readable = access.allows(inode, Action.READ);
    boolean writable = access.allows(inode, Action.WRITE);
    page.add(inode, name, flushed.of(inode), readable, writable);
  }

  /** Returns whether there are entries after the page's last one. */
  private boolean fill(
      ListPageWriter page, InodeRecord directory, ListQuery query, MetaContext context) {
    MetadataLimits limits = context.settings().limits();
    int entries = Page.entries(query.getLimit(), limits);
    Iterator<InodeRecord> children =
        context.namespace().children(directory.getId(), query.getStartAfter());
    while (children.hasNext() && page.entries() < entries && page.bytes() < limits.pageBytes()) {
      InodeRecord child = children.next();
      add(page, child, child.getName(), context.access());
    }
    return children.hasNext();
  }
}
