package io.vdfs.datanode.meta.query;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.DeletionAckRecord;
import io.vdfs.common.wire.proto.DeletionProto;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.PollDeletionsQuery;
import io.vdfs.common.wire.proto.PollDeletionsResult;
import io.vdfs.datanode.meta.query.page.Page;
import io.vdfs.datanode.meta.state.MetaContext;
import io.vdfs.datanode.meta.state.Refusals;

/** The next deletions that a node has to carry out. */
final class PollDeletions implements Query {
  @Override
  public MetaResponse answer(MetaRequest request, MetaContext context) throws VdfsException {
    context.access().requireSuperuser("list of deletions");
    PollDeletionsQuery query = request.getPollDeletions();
    if (query.getAfter() < 0) {
      throw Refusals.invalid(
          "a value is out of range: after=" + Long.toUnsignedString(query.getAfter()));
    }
    PollDeletionsResult.Builder page =
        PollDeletionsResult.newBuilder()
            .setMissed(
                context
                    .deletions()
                    .nodes()
                    .getOrDefault(query.getNode(), DeletionAckRecord.getDefaultInstance())
                    .getMissed());
    int entries = Page.entries(query.getLimit(), context.settings().limits());
    for (DeletionProto deletion : context.deletions().after(query.getAfter())) {
      if (page.getDeletionsCount() == entries) {
        break;
      }
      page.addDeletions(deletion);
    }
    return MetaResponse.newBuilder().setDeletions(page).build();
  }
}
