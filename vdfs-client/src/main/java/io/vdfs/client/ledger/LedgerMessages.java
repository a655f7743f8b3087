package io.vdfs.client.ledger;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.model.StreamId;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.AuditStreamResult;
import io.vdfs.common.wire.proto.CloseTaskOp;
import io.vdfs.common.wire.proto.EndOfTask;
import io.vdfs.common.wire.proto.ListedStream;
import io.vdfs.common.wire.proto.NextRunOp;
import io.vdfs.common.wire.proto.NextRunResult;
import io.vdfs.common.wire.proto.SealStreamOp;
import io.vdfs.common.wire.proto.StoppedReading;
import io.vdfs.common.wire.proto.StreamNodeStatus;
import io.vdfs.common.wire.proto.StreamRun;
import io.vdfs.common.wire.proto.StreamStatusResult;
import io.vdfs.common.wire.proto.StreamTaskStatus;
import io.vdfs.common.wire.proto.StreamTotals;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The questions and answers of {@link LedgerClient} as messages of the ledger. Answers are checked:
 * an impossible one is INTERNAL. Stateless.
 */
final class LedgerMessages {
  private LedgerMessages() {}

  static ByteString encode(StreamId stream) {
    return ByteString.copyFrom(stream.toBytes());
  }

  static SealStreamOp seal(StreamPlan plan) {
    return SealStreamOp.newBuilder()
        .setStreamId(encode(plan.stream()))
        .setFiles(plan.files().size())
        .setBlocks(plan.blocks())
        .setBytes(plan.bytes())
        .build();
  }

  static NextRunOp next(RunQuestion question, Optional<NodeId> node) {
    NextRunOp.Builder next =
        NextRunOp.newBuilder()
            .setStreamId(encode(question.task().stream()))
            .setTask(question.task().ordinal())
            .setPosition(question.position())
            .setWantedBlocks(question.wantedBlocks())
            .setMostRuns(question.mostRuns())
            .setWaitedMillis(question.waitedMillis())
            .setMayYield(question.mayYield());
    question.processed().ifPresent(totals -> next.setProcessed(encode(totals)));
    node.ifPresent(here -> next.setNode(WireIds.encode(here)));
    return next.build();
  }

  static RunAnswer answer(NextRunResult result) throws VdfsException {
    List<DrawnRun> runs = new ArrayList<>();
    Optional<ListEnd> end = Optional.empty();
    switch (result.getOutcomeCase()) {
      case RUN -> {
        runs.add(run(result.getRun()));
        for (StreamRun following : result.getFollowingList()) {
          runs.add(run(following));
        }
      }
      case END -> end = Optional.of(end(result.getEnd()));
      case OUTCOME_NOT_SET ->
          throw new VdfsException(
              ErrorCode.INTERNAL,
              "the ledger answered neither a run nor the end: position=" + result.getPosition());
    }
    return new RunAnswer(
        result.getPosition(),
        runs,
        end,
        result.getStreamBlocks(),
        result.getRemainingBlocks(),
        result.getPreferred());
  }

  private static DrawnRun run(StreamRun run) throws VdfsException {
    FileKey file = WireIds.fileKey(run.getFile());
    if (run.getFirstBlock() < 0
        || run.getBlockCount() < 1
        || run.getOffset() < 0
        || run.getBytes() < 0) {
      throw new VdfsException(
          ErrorCode.INTERNAL,
          "a run has blocks: file=%s, first=%s, count=%s, offset=%s, bytes=%s"
              .formatted(
                  file, run.getFirstBlock(), run.getBlockCount(), run.getOffset(), run.getBytes()));
    }
    return new DrawnRun(
        file,
        run.getFileLength(),
        run.getPath(),
        run.getFirstBlock(),
        run.getBlockCount(),
        run.getOffset(),
        run.getBytes(),
        WireIds.nodeId(run.getOwner()),
        run.getStolen());
  }

  private static ListEnd end(EndOfTask end) {
    return new ListEnd(
        end.getRuns(), totals(end.getTask()), totals(end.getStream()), end.getYielded());
  }

  static CloseTaskOp close(StreamTask task) {
    return CloseTaskOp.newBuilder()
        .setStreamId(encode(task.stream()))
        .setTask(task.ordinal())
        .build();
  }

  static CloseTaskOp stop(StoppedTask stopped) {
    return close(stopped.task()).toBuilder()
        .setStopped(
            StoppedReading.newBuilder()
                .setRuns(stopped.runs())
                .setProcessed(encode(stopped.processed())))
        .build();
  }

  static AuditedInput audit(AuditStreamResult result) {
    return new AuditedInput(
        result.getTasks(),
        result.getFiles(),
        totals(result.getTotals()),
        result.getRuns(),
        result.getStolenBlocks(),
        result.getStoppedTasks(),
        result.getUndrawnBlocks());
  }

  static StreamStatus status(StreamStatusResult result) throws VdfsException {
    List<NodeDraws> nodes = new ArrayList<>();
    for (StreamNodeStatus node : result.getNodesList()) {
      nodes.add(
          new NodeDraws(
              WireIds.nodeId(node.getNode()),
              node.getRemainingBlocks(),
              node.getLocalBlocks(),
              node.getLostBlocks(),
              node.getStolenBlocks(),
              node.getDrawingTasks()));
    }
    return new StreamStatus(
        result.getOwner(),
        result.getSealed(),
        result.getFiles(),
        totals(result.getTotals()),
        result.getRemainingBlocks(),
        result.getExpiresMillis(),
        nodes,
        result.getTasksList().stream().map(LedgerMessages::draws).toList());
  }

  private static TaskDraws draws(StreamTaskStatus task) {
    return new TaskDraws(
        task.getRuns(),
        totals(task.getTotals()),
        task.getStolenBlocks(),
        task.getClosed(),
        task.getFinished(),
        task.getStopped(),
        task.getYielded());
  }

  static StreamOverview overview(ListedStream listed) throws VdfsException {
    if (listed.getStreamId().size() != StreamId.BYTES) {
      throw new VdfsException(
          ErrorCode.INTERNAL,
          "a stream has an id of %d bytes: bytes=%d"
              .formatted(StreamId.BYTES, listed.getStreamId().size()));
    }
    return new StreamOverview(
        StreamId.of(listed.getStreamId().toByteArray()),
        status(listed.getStatus()),
        listed.getTasks(),
        listed.getDrawingTasks(),
        listed.getEndedTasks(),
        listed.getFirstPath());
  }

  private static StreamTotals encode(BlockTotals totals) {
    return StreamTotals.newBuilder()
        .setBlocks(totals.blocks())
        .setBytes(totals.bytes())
        .setDigest(totals.digest())
        .build();
  }

  static BlockTotals totals(StreamTotals totals) {
    return new BlockTotals(totals.getBlocks(), totals.getBytes(), totals.getDigest());
  }
}
