package io.vdfs.datanode.meta.query;

import io.vdfs.common.wire.proto.MetaRequest.OpCase;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/** Finds the query for a request. Immutable. */
public final class Queries {
  private final Map<OpCase, Query> byCase = new EnumMap<>(OpCase.class);

  public Queries() {
    byCase.put(OpCase.GET_STATUS, new GetStatus());
    byCase.put(OpCase.CHECK_ACCESS, new CheckAccess());
    byCase.put(OpCase.LIST, new ListDirectory());
    byCase.put(OpCase.OPEN, new OpenFile());
    byCase.put(OpCase.CONTENT_SUMMARY, new SummarizeContent());
    byCase.put(OpCase.POLL_DELETIONS, new PollDeletions());
    byCase.put(OpCase.LIST_LEASES, new ListLeases());
    byCase.put(OpCase.RECLAIM_STATUS, new ReclaimStatus());
    byCase.put(OpCase.CLUSTER_RECORD, new ClusterRecord());
  }

  public Optional<Query> find(OpCase request) {
    return Optional.ofNullable(byCase.get(request));
  }
}
