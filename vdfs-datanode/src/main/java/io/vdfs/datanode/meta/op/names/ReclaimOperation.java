package io.vdfs.datanode.meta.op.names;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.ReclaimResult;
import io.vdfs.datanode.meta.op.change.Changes;
import io.vdfs.datanode.meta.op.change.Operation;
import io.vdfs.datanode.meta.state.Inodes;
import io.vdfs.datanode.meta.state.MetaContext;
import io.vdfs.datanode.meta.state.Namespace;
import java.util.Iterator;

/**
 * Takes detached trees apart, a bounded number of inodes at a time: files move to the deletion
 * queue, directories become detached trees of their own, empty ones go.
 */
final class ReclaimOperation implements Operation {
  private static final int DEFAULT_LIMIT = 1_000;
  private static final int MAX_LIMIT = 10_000;

  @Override
  public MetaResponse decide(MetaRequest request, MetaContext context, Changes changes)
      throws VdfsException {
    context.access().requireSuperuser("reclaim");
    int limit = request.getReclaim().getLimit();
    int budget = limit == 0 ? DEFAULT_LIMIT : limit < 0 ? MAX_LIMIT : Math.min(limit, MAX_LIMIT);
    Namespace namespace = context.namespace();
    long pending = namespace.detached().size();
    for (long top : namespace.detached()) {
      Iterator<InodeRecord> children = namespace.children(top, "");
      for (; budget > 0 && children.hasNext(); budget--) {
        InodeRecord child = children.next();
        boolean isTree = Inodes.isDirectory(child);
        changes.free(child, isTree);
        pending += isTree ? 1 : 0;
      }
      if (budget == 0) {
        break;
      }
      changes.remove(top);
      pending--;
      budget--;
    }
    return MetaResponse.newBuilder()
        .setReclaim(ReclaimResult.newBuilder().setPending(pending))
        .build();
  }
}
