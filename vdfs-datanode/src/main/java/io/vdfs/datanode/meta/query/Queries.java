package io.vdfs.datanode.meta.query;

import io.vdfs.common.wire.proto.MetaRequest.OpCase;
import io.vdfs.datanode.meta.state.FlushedLengths;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/** Finds the query for a request. Immutable. */
public final class Queries {
  private final Map<OpCase, Query> byCase = new EnumMap<>(OpCase.class);

  /**
   * @param flushed what only the leader knows of files being written
   */
  public Queries(FlushedLengths flushed) {
    byCase.put(OpCase.GET_STATUS, new GetStatus(flushed));
    byCase.put(OpCase.CHECK_ACCESS, new CheckAccess());
    byCase.put(OpCase.LIST, new ListDirectory(flushed));
    byCase.put(OpCase.OPEN, new OpenFile());
    byCase.put(OpCase.CONTENT_SUMMARY, new SummarizeContent(flushed));
    byCase.put(OpCase.POLL_DELETIONS, new PollDeletions());
    byCase.put(OpCase.LIST_LEASES, new ListLeases());
    byCase.put(OpCase.RECLAIM_STATUS, new ReclaimStatus());
    byCase.put(OpCase.CLUSTER_RECORD, new ClusterRecord());
    byCase.put(OpCase.SURPLUS, new Surplus());
    byCase.put(OpCase.FILE_EXISTS, new FileExists());
    byCase.put(OpCase.LIST_HOLDINGS, new ListHoldings());
    byCase.put(OpCase.LIST_LACKING, new ListLacking());
    byCase.put(OpCase.REVIEW_FILES, new ReviewFiles());
    byCase.put(OpCase.DELETION_PROGRESS, new DeletionProgressReport());
  }

  public Optional<Query> find(OpCase request) {
    return Optional.ofNullable(byCase.get(request));
  }
}
