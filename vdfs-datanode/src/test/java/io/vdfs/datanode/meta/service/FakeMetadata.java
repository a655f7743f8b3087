package io.vdfs.datanode.meta.service;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.rpc.Errors;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.CallerProto;
import io.vdfs.common.wire.proto.CompleteResult;
import io.vdfs.common.wire.proto.EmptyResult;
import io.vdfs.common.wire.proto.ExclusionProto;
import io.vdfs.common.wire.proto.FileKeyProto;
import io.vdfs.common.wire.proto.FinishRecoveryOp;
import io.vdfs.common.wire.proto.LeaseProto;
import io.vdfs.common.wire.proto.ListLeasesResult;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.OpenFileResult;
import io.vdfs.common.wire.proto.ReclaimResult;
import io.vdfs.common.wire.proto.StatusProto;
import io.vdfs.datanode.meta.service.edge.LeaderCalls;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** One file and its lease, and a number of detached trees, as the metadata would treat them. */
final class FakeMetadata implements LeaderCalls {
  static final long FILE = 256;
  static final String PATH = "/f";

  final List<MetaRequest> requests = new ArrayList<>();
  final List<ExclusionProto> exclusions = new ArrayList<>();
  ByteString holder = ByteString.copyFromUtf8("holder-of-the-f.");
  boolean open = true;
  boolean recovering;
  int epoch = 1;
  int leaseEpoch = 1;
  long leaseStart;
  int replication = 3;
  long length;
  long flushed;
  long pendingTrees;
  boolean unavailable;

  /** What is not answered, whatever else is. */
  final Set<MetaRequest.OpCase> unanswered = EnumSet.noneOf(MetaRequest.OpCase.class);

  FinishRecoveryOp finished;
  Runnable beforeFinish = () -> {};

  @Override
  public CompletableFuture<MetaResponse> call(MetaRequest request) {
    return callAs(request, CallerProto.newBuilder().setUser("vdfs").setSuperuser(true).build());
  }

  @Override
  public CompletableFuture<MetaResponse> callAs(MetaRequest request, CallerProto caller) {
    requests.add(request);
    boolean silent = unavailable || unanswered.contains(request.getOpCase());
    return CompletableFuture.completedFuture(
        silent ? Errors.response(ErrorCode.UNAVAILABLE, "planted") : answer(request, caller));
  }

  private MetaResponse answer(MetaRequest request, CallerProto caller) {
    return switch (request.getOpCase()) {
      case BEGIN_RECOVERY -> begin(request.getBeginRecovery().getWriteEpoch());
      case FINISH_RECOVERY -> finish(request.getFinishRecovery());
      case LIST_LEASES -> MetaResponse.newBuilder().setLeases(leases()).build();
      case GET_STATUS ->
          request.getGetStatus().getPath().equals(PATH)
              ? MetaResponse.newBuilder().setStatus(status(caller)).build()
              : Errors.response(ErrorCode.NOT_FOUND, "not there");
      case RECLAIM -> reclaim(1);
      case RECLAIM_STATUS -> reclaim(0);
      default -> MetaResponse.newBuilder().setEmpty(EmptyResult.getDefaultInstance()).build();
    };
  }

  private MetaResponse begin(int seen) {
    if (!open || seen != epoch) {
      return Errors.response(ErrorCode.FENCED, "moved on");
    }
    epoch++;
    recovering = true;
    return MetaResponse.newBuilder()
        .setOpenFile(
            OpenFileResult.newBuilder()
                .setFileId(FILE)
                .setStatus(status(CallerProto.getDefaultInstance())))
        .build();
  }

  private MetaResponse finish(FinishRecoveryOp op) {
    beforeFinish.run();
    if (!open || op.getWriteEpoch() != epoch) {
      return Errors.response(ErrorCode.FENCED, "moved on");
    }
    open = false;
    finished = op;
    return MetaResponse.newBuilder()
        .setComplete(
            CompleteResult.newBuilder().setStatus(status(CallerProto.getDefaultInstance())))
        .build();
  }

  /** Ann's file, to which only she and superusers may write. */
  private StatusProto status(CallerProto caller) {
    return StatusProto.newBuilder()
        .setWritable(caller.getSuperuser() || caller.getUser().equals("ann"))
        .setInodeId(FILE)
        .setGeneration(1)
        .setReplication(replication)
        .setLeaseStartLength(leaseStart)
        .setLeaseFirstEpoch(leaseEpoch)
        .setOwner("ann")
        .setGroup("staff")
        .setMode(0640)
        .setUnderConstruction(open)
        .setWriteEpoch(epoch)
        .setLength(length)
        .setFlushedLength(flushed > length ? flushed : 0)
        .addAllExclusions(exclusions)
        .build();
  }

  private ListLeasesResult leases() {
    ListLeasesResult.Builder leases = ListLeasesResult.newBuilder();
    if (open) {
      leases.addLeases(
          LeaseProto.newBuilder()
              .setFile(FileKeyProto.newBuilder().setFileId(FILE).setGeneration(1))
              .setHolder(recovering ? ByteString.EMPTY : holder)
              .setUser(recovering ? "" : "ann")
              .setRecovering(recovering)
              .setPath(PATH)
              .setWriteEpoch(epoch)
              .setLength(length));
    }
    return leases.build();
  }

  private MetaResponse reclaim(int trees) {
    pendingTrees = Math.max(0, pendingTrees - trees);
    return MetaResponse.newBuilder()
        .setReclaim(ReclaimResult.newBuilder().setPending(pendingTrees))
        .build();
  }

  /** A new writer opens the closed file at its end. */
  void reopen() {
    length = finished.getLength();
    leaseStart = length;
    epoch++;
    leaseEpoch = epoch;
    exclusions.clear();
    exclusions.addAll(finished.getExclusionsList());
    open = true;
    recovering = false;
    finished = null;
  }

  /** Whether the file was closed without a node's copy of a group. */
  boolean isExcluded(NodeId node, int group) {
    return finished.getExclusionsList().stream()
        .filter(range -> range.getNode().equals(WireIds.encode(node)))
        .anyMatch(range -> range.getFirstGroup() <= group && group < range.getEndGroup());
  }

  long count(MetaRequest.OpCase op) {
    return requests.stream().filter(request -> request.getOpCase() == op).count();
  }
}
