package io.vdfs.datanode;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.NodeRepairRequest;
import io.vdfs.common.wire.proto.NodeRepairResponse;
import io.vdfs.common.wire.proto.ScrubBegunProto;
import io.vdfs.datanode.rpc.NodeRepairHandler;
import io.vdfs.datanode.scrub.Scrubber;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Work on this node's copies that a superuser may have it do at once. Thread-safe. */
record NodeRepairs(Supplier<Optional<Upkeep>> upkeep) implements NodeRepairHandler.Work {
  @Override
  public CompletionStage<NodeRepairResponse> begin(NodeRepairRequest request) throws VdfsException {
    Optional<Upkeep> running = upkeep.get();
    if (running.isEmpty()) {
      throw new VdfsException(
          ErrorCode.UNAVAILABLE, "this node waits for the metadata group; try again later");
    }
    CompletableFuture<NodeRepairResponse.Builder> response =
        CompletableFuture.completedFuture(NodeRepairResponse.newBuilder());
    if (request.getScrub()) {
      response =
          response.thenCombine(
              running.get().scrubber().passNow(),
              (answer, begun) -> answer.setScrub(encode(begun)));
    }
    if (request.getAudit()) {
      response =
          response.thenCombine(
              running.get().repairer().auditNow(), NodeRepairResponse.Builder::setAudits);
    }
    return response.thenApply(NodeRepairResponse.Builder::build);
  }

  private static ScrubBegunProto encode(Scrubber.Begun begun) {
    return ScrubBegunProto.newBuilder()
        .setPasses(begun.passes())
        .setGroups(begun.groups())
        .setBytes(begun.bytes())
        .setDamaged(begun.damaged())
        .setFailed(begun.failed())
        .setHeld(begun.held())
        .build();
  }
}
