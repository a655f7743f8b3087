package io.vdfs.datanode.meta.service;

import io.vdfs.common.model.FileKey;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.FileKeyProto;
import io.vdfs.common.wire.proto.LeaseProto;
import io.vdfs.common.wire.proto.ListLeasesQuery;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.datanode.loop.ServiceLoop;
import io.vdfs.datanode.meta.service.edge.LeaderCalls;
import io.vdfs.datanode.meta.state.FlushedLengths;
import io.vdfs.datanode.meta.state.LeaseHolder;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/**
 * Knows which writers are alive, and has the files of the others recovered. A writer is alive from
 * when this leader first heard of it, so a new leader takes no writer for dead. Confined to the
 * service loop.
 */
final class LeaseMonitor {
  private final LeaderCalls calls;
  private final Recoveries recoveries;
  private final LeaseSettings settings;
  private final FlushedLengths flushed;
  private final ServiceLoop loop;

  /** When each holder of a lease was last heard of. */
  private final Map<LeaseHolder, Long> heard = new HashMap<>();

  LeaseMonitor(
      LeaderCalls calls,
      Recoveries recoveries,
      LeaseSettings settings,
      FlushedLengths flushed,
      ServiceLoop loop) {
    this.calls = calls;
    this.recoveries = recoveries;
    this.settings = settings;
    this.flushed = flushed;
    this.loop = loop;
  }

  /** The holder has just got a lease, or did something with one that it has. */
  void onSignOfLife(LeaseHolder holder) {
    heard.put(holder, loop.nanoTime());
  }

  /**
   * A client says that it is alive, which counts where it holds a lease.
   *
   * @return whether it counts; an unknown client leaves no trace
   */
  boolean onRenewal(LeaseHolder holder) {
    return heard.computeIfPresent(holder, (known, last) -> loop.nanoTime()) != null;
  }

  /**
   * Recovers what is due; done when all leases have been looked at. Fails, and forgets nothing, if
   * the metadata do not tell which there are.
   */
  CompletableFuture<Void> scan() {
    return leases().thenAcceptAsync(this::judge, loop);
  }

  /**
   * Another client wants a file that is being written: recovers it if its writer is silent. Fails
   * as {@link #scan}.
   */
  CompletableFuture<Void> onConflict(FileKey file) {
    return leases()
        .thenAcceptAsync(
            leases ->
                leases.stream()
                    .filter(lease -> key(lease.getFile()).equals(file))
                    .filter(
                        lease -> lease.getRecovering() || isSilent(holder(lease), settings.soft()))
                    .forEach(this::recover),
            loop);
  }

  /** Fails if there is no answer, which says nothing of the leases that there are. */
  private CompletableFuture<List<LeaseProto>> leases() {
    return calls
        .call(MetaRequest.newBuilder().setListLeases(ListLeasesQuery.getDefaultInstance()).build())
        .thenCompose(
            response ->
                response.hasError()
                    ? CompletableFuture.failedFuture(WireIds.exception(response.getError()))
                    : CompletableFuture.completedFuture(response.getLeases().getLeasesList()));
  }

  private void judge(List<LeaseProto> leases) {
    long now = loop.nanoTime();
    Set<LeaseHolder> holders =
        leases.stream().map(LeaseMonitor::holder).collect(Collectors.toSet());
    holders.forEach(holder -> heard.putIfAbsent(holder, now));
    flushed.retain(holders);
    heard
        .entrySet()
        .removeIf(
            entry ->
                !holders.contains(entry.getKey()) && isSilent(entry.getKey(), settings.hard()));
    recoveries.retain(
        leases.stream().map(lease -> key(lease.getFile())).collect(Collectors.toSet()));
    leases.stream()
        .filter(lease -> lease.getRecovering() || isSilent(holder(lease), settings.hard()))
        .forEach(this::recover);
  }

  private boolean isSilent(LeaseHolder holder, Duration limit) {
    Long last = heard.get(holder);
    return last != null && loop.nanoTime() - last > limit.toNanos();
  }

  private void recover(LeaseProto lease) {
    FileKey file = key(lease.getFile());
    if (!recoveries.isRunning(file)) {
      var unused = recoveries.start(file, lease.getWriteEpoch(), false);
    }
  }

  private static LeaseHolder holder(LeaseProto lease) {
    return new LeaseHolder(lease.getHolder(), lease.getUser());
  }

  private static FileKey key(FileKeyProto file) {
    return new FileKey(file.getFileId(), file.getGeneration());
  }
}
