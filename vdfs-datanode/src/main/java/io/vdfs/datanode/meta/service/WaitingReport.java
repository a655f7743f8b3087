package io.vdfs.datanode.meta.service;

import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.CallerProto;
import io.vdfs.common.wire.proto.FileKeyProto;
import io.vdfs.common.wire.proto.LeaseProto;
import io.vdfs.common.wire.proto.ListLeasesQuery;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.WaitingRecoveriesResult;
import io.vdfs.common.wire.proto.WaitingRecoveryProto;
import io.vdfs.datanode.loop.ServiceLoop;
import io.vdfs.datanode.meta.service.edge.LeaderCalls;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Tells of the files that lease recovery cannot close. Confined to the service loop. */
final class WaitingReport {
  private static final int MOST = 1000;

  private final LeaderCalls calls;
  private final Recoveries recoveries;
  private final ServiceLoop loop;

  WaitingReport(LeaderCalls calls, Recoveries recoveries, ServiceLoop loop) {
    this.calls = calls;
    this.recoveries = recoveries;
    this.loop = loop;
  }

  CompletableFuture<MetaResponse> make(CallerProto caller) {
    List<Recoveries.Waiting> all = recoveries.waiting();
    // paths are for users who may see every path
    List<Recoveries.Waiting> shown =
        caller.getSuperuser() ? all.subList(0, Math.min(MOST, all.size())) : List.of();
    if (shown.isEmpty()) {
      return CompletableFuture.completedFuture(report(shown, all.size(), Map.of()));
    }
    ListLeasesQuery.Builder query = ListLeasesQuery.newBuilder();
    shown.forEach(held -> query.addWithPaths(WireIds.encode(held.file())));
    return calls
        .call(MetaRequest.newBuilder().setListLeases(query).build())
        .thenApplyAsync(
            response ->
                response.hasError()
                    ? response
                    : report(shown, all.size(), paths(response.getLeases().getLeasesList())),
            loop);
  }

  private static Map<FileKeyProto, String> paths(List<LeaseProto> leases) {
    Map<FileKeyProto, String> paths = new HashMap<>();
    leases.forEach(lease -> paths.put(lease.getFile(), lease.getPath()));
    return paths;
  }

  private MetaResponse report(
      List<Recoveries.Waiting> shown, int all, Map<FileKeyProto, String> paths) {
    WaitingRecoveriesResult.Builder result =
        WaitingRecoveriesResult.newBuilder().setMore(all - shown.size());
    for (Recoveries.Waiting held : shown) {
      FileKeyProto key = WireIds.encode(held.file());
      result.addRecoveries(
          WaitingRecoveryProto.newBuilder()
              .setFile(key)
              .setPath(paths.getOrDefault(key, ""))
              .setWaitingMillis(TimeUnit.NANOSECONDS.toMillis(loop.nanoTime() - held.since()))
              .setReason(held.reason()));
    }
    return MetaResponse.newBuilder().setWaitingRecoveries(result).build();
  }
}
