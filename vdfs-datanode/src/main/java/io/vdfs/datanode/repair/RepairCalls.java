package io.vdfs.datanode.repair;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.AckDeletionsOp;
import io.vdfs.common.wire.proto.ConfirmHoldingsCall;
import io.vdfs.common.wire.proto.ConfirmHoldingsResult;
import io.vdfs.common.wire.proto.CopiedGroupProto;
import io.vdfs.common.wire.proto.DeletionProgressQuery;
import io.vdfs.common.wire.proto.DeletionProgressResult;
import io.vdfs.common.wire.proto.FileExistsQuery;
import io.vdfs.common.wire.proto.GroupKeyProto;
import io.vdfs.common.wire.proto.LiftExclusionsOp;
import io.vdfs.common.wire.proto.ListHoldingsQuery;
import io.vdfs.common.wire.proto.ListHoldingsResult;
import io.vdfs.common.wire.proto.ListLackingQuery;
import io.vdfs.common.wire.proto.ListLackingResult;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.PromoteOp;
import io.vdfs.common.wire.proto.PromoteResult;
import io.vdfs.common.wire.proto.RepairReportCall;
import io.vdfs.common.wire.proto.RepairReportResult;
import io.vdfs.common.wire.proto.ReportLackingOp;
import io.vdfs.common.wire.proto.ReportLackingResult;
import io.vdfs.common.wire.proto.ReviewFilesQuery;
import io.vdfs.common.wire.proto.ReviewFilesResult;
import io.vdfs.datanode.repair.copy.GroupKey;
import io.vdfs.datanode.repair.copy.WantedGroup;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * A node's questions and reports to the leader of the metadata about its copies. Thread-safe;
 * futures complete on any thread and fail with the {@link VdfsException} of the answer.
 */
public final class RepairCalls {
  private final NodeId self;
  private final Function<MetaRequest, CompletableFuture<MetaResponse>> leader;

  /**
   * @param leader takes requests to the leader as the daemon's own user; errors are in responses
   */
  public RepairCalls(NodeId self, Function<MetaRequest, CompletableFuture<MetaResponse>> leader) {
    this.self = self;
    this.leader = leader;
  }

  private CompletableFuture<MetaResponse> call(MetaRequest.Builder request) {
    return leader
        .apply(request.build())
        .thenCompose(
            response ->
                response.hasError()
                    ? CompletableFuture.failedFuture(WireIds.exception(response.getError()))
                    : CompletableFuture.completedFuture(response));
  }

  CompletableFuture<ListHoldingsResult> holdings(long after) {
    ListHoldingsQuery query =
        ListHoldingsQuery.newBuilder().setNode(WireIds.encode(self)).setAfter(after).build();
    return call(MetaRequest.newBuilder().setListHoldings(query))
        .thenApply(MetaResponse::getHoldings);
  }

  CompletableFuture<ListLackingResult> lacking(long after) {
    ListLackingQuery query =
        ListLackingQuery.newBuilder().setNode(WireIds.encode(self)).setAfter(after).build();
    return call(MetaRequest.newBuilder().setListLacking(query)).thenApply(MetaResponse::getLacking);
  }

  CompletableFuture<ReportLackingResult> report(Collection<GroupKey> groups) {
    ReportLackingOp.Builder report = ReportLackingOp.newBuilder().setNode(WireIds.encode(self));
    groups.forEach(group -> report.addGroups(encode(group)));
    return call(MetaRequest.newBuilder().setReportLacking(report))
        .thenApply(MetaResponse::getReportLacking);
  }

  CompletableFuture<Integer> lift(Collection<WantedGroup> groups) {
    LiftExclusionsOp.Builder lift = LiftExclusionsOp.newBuilder().setNode(WireIds.encode(self));
    for (WantedGroup group : groups) {
      lift.addCopied(
          CopiedGroupProto.newBuilder()
              .setGroup(encode(group.key()))
              .setLength(group.length())
              .setWriteEpoch(group.writeEpoch()));
    }
    return call(MetaRequest.newBuilder().setLiftExclusions(lift))
        .thenApply(response -> response.getLiftExclusions().getLifted());
  }

  private static GroupKeyProto encode(GroupKey group) {
    return GroupKeyProto.newBuilder()
        .setFile(WireIds.encode(group.file()))
        .setGroup(group.group())
        .build();
  }

  CompletableFuture<PromoteResult> promote(Collection<Integer> arcs, long sequence) {
    PromoteOp promote =
        PromoteOp.newBuilder()
            .setNode(WireIds.encode(self))
            .addAllArcs(arcs)
            .setSequence(sequence)
            .build();
    return call(MetaRequest.newBuilder().setPromote(promote)).thenApply(MetaResponse::getPromote);
  }

  /**
   * Withdraws what this node confirmed.
   *
   * @return the series of confirmations that it begins
   */
  CompletableFuture<Long> beginConfirmations() {
    return call(ConfirmHoldingsCall.newBuilder()).thenApply(ConfirmHoldingsResult::getSeries);
  }

  /**
   * @return whether that counts; false: the leader knows another series, or none
   */
  CompletableFuture<Boolean> confirm(long series, long ringEpoch, long sequence) {
    return call(ConfirmHoldingsCall.newBuilder()
            .setSeries(series)
            .setRingEpoch(ringEpoch)
            .setSequence(sequence))
        .thenApply(ConfirmHoldingsResult::getCounts);
  }

  private CompletableFuture<ConfirmHoldingsResult> call(ConfirmHoldingsCall.Builder confirmation) {
    confirmation.setNode(WireIds.encode(self));
    return call(MetaRequest.newBuilder().setConfirmHoldings(confirmation))
        .thenApply(MetaResponse::getConfirmHoldings);
  }

  /**
   * The state of files.
   *
   * @param knownRingEpoch of the ring map that this node has; 0 for none
   */
  public CompletableFuture<ReviewFilesResult> review(
      Collection<FileKey> files, long knownRingEpoch) {
    ReviewFilesQuery.Builder query =
        ReviewFilesQuery.newBuilder().setKnownRingEpoch(knownRingEpoch);
    files.forEach(file -> query.addFiles(WireIds.encode(file)));
    return call(MetaRequest.newBuilder().setReviewFiles(query))
        .thenApply(MetaResponse::getReviewFiles);
  }

  /**
   * Deletions of which this node may not have learned.
   *
   * @return up to where it may have missed some; 0 if it missed none
   */
  public CompletableFuture<Long> missedDeletions() {
    MetaRequest.Builder query =
        MetaRequest.newBuilder().setDeletionProgress(DeletionProgressQuery.getDefaultInstance());
    return call(query)
        .thenApply(
            response -> {
              DeletionProgressResult progress = response.getDeletionProgress();
              boolean missed =
                  progress.getNodesList().stream()
                      .anyMatch(
                          node ->
                              node.getMissed() > 0 && node.getNode().equals(WireIds.encode(self)));
              return missed ? progress.getDropped() : 0L;
            });
  }

  /**
   * Tells that this node has looked through all its files, and holds nothing deleted up to a
   * sequence.
   */
  public CompletableFuture<Void> acknowledgeMissedDeletions(long lookedThrough) {
    AckDeletionsOp ack =
        AckDeletionsOp.newBuilder()
            .setNode(WireIds.encode(self))
            .setLookedThrough(lookedThrough)
            .build();
    return call(MetaRequest.newBuilder().setAckDeletions(ack)).thenApply(done -> null);
  }

  /** The leader's knowledge of all copies. */
  public CompletableFuture<RepairReportResult> report() {
    return call(MetaRequest.newBuilder().setRepairReport(RepairReportCall.getDefaultInstance()))
        .thenApply(MetaResponse::getRepairReport);
  }

  CompletableFuture<Boolean> exists(FileKey file) {
    FileExistsQuery query = FileExistsQuery.newBuilder().setFile(WireIds.encode(file)).build();
    return call(MetaRequest.newBuilder().setFileExists(query))
        .thenApply(response -> response.getFileExists().getExists());
  }
}
