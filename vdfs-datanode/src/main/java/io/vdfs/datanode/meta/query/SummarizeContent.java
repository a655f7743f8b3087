package io.vdfs.datanode.meta.query;

import com.google.common.math.LongMath;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.ContentSummaryResult;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.QuotaRecord;
import io.vdfs.datanode.meta.state.FlushedLengths;
import io.vdfs.datanode.meta.state.Inodes;
import io.vdfs.datanode.meta.state.MetaContext;
import io.vdfs.datanode.meta.state.access.Action;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Totals of a file or tree; each directory in it must be readable. Sums end at the largest long. A
 * question for the usage of a quota alone is answered from what the quota counted.
 */
final class SummarizeContent implements Query {
  private final FlushedLengths flushed;

  SummarizeContent(FlushedLengths flushed) {
    this.flushed = flushed;
  }

  @Override
  public MetaResponse answer(MetaRequest request, MetaContext context) throws VdfsException {
    String path = request.getContentSummary().getPath();
    InodeRecord top = context.resolve(path).requireInode();
    ContentSummaryResult.Builder summary = ContentSummaryResult.newBuilder();
    addLimits(top.getQuota(), summary);
    if (request.getContentSummary().getQuotaOnly() && top.hasQuota()) {
      context.access().require(top, Action.READ_EXECUTE, path);
      summary.setInodes(top.getQuota().getInodes()).setSpaceConsumed(top.getQuota().getSpace());
      return MetaResponse.newBuilder().setContentSummary(summary).build();
    }
    Deque<InodeRecord> pending = new ArrayDeque<>();
    pending.push(top);
    while (!pending.isEmpty()) {
      InodeRecord inode = pending.pop();
      if (Inodes.isDirectory(inode)) {
        context.access().require(inode, Action.READ_EXECUTE, path + " or below it");
        summary.setDirectories(summary.getDirectories() + 1);
        context.namespace().children(inode.getId(), "").forEachRemaining(pending::push);
      } else {
        addFile(inode, summary);
      }
    }
    summary.setInodes(summary.getFiles() + summary.getDirectories());
    return MetaResponse.newBuilder().setContentSummary(summary).build();
  }

  private static void addLimits(QuotaRecord quota, ContentSummaryResult.Builder summary) {
    if (quota.hasInodeLimit()) {
      summary.setInodeLimit(quota.getInodeLimit());
    }
    if (quota.hasSpaceLimit()) {
      summary.setSpaceLimit(quota.getSpaceLimit());
    }
  }

  private void addFile(InodeRecord file, ContentSummaryResult.Builder summary) {
    long length = flushed.of(file);
    long space = LongMath.saturatedMultiply(length, file.getFile().getCountedCopies());
    summary
        .setFiles(summary.getFiles() + 1)
        .setLength(LongMath.saturatedAdd(summary.getLength(), length))
        .setSpaceConsumed(LongMath.saturatedAdd(summary.getSpaceConsumed(), space));
  }
}
