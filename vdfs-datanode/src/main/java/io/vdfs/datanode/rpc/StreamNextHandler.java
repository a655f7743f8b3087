package io.vdfs.datanode.rpc;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.rpc.ControlCall;
import io.vdfs.common.rpc.ControlHandler;
import io.vdfs.common.rpc.ControlMethods;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.LedgerRequest;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.NextRunOp;
import io.vdfs.common.wire.proto.NextRunResult;
import io.vdfs.common.wire.proto.PreferredBlocks;
import io.vdfs.common.wire.proto.ScanHead;
import io.vdfs.common.wire.proto.StreamRun;
import io.vdfs.datanode.rpc.request.Callers;
import io.vdfs.datanode.stream.SharedScan;
import io.vdfs.datanode.stream.StreamManagerCounter;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;

/**
 * Answers {@value ControlMethods#STREAM_NEXT}: asks the leader for a task's next run in the name of
 * this node, so that the run comes from this node where it can, and best from its memory.
 * Thread-safe.
 */
public final class StreamNextHandler implements ControlHandler {
  /** The longest wait of its task that one question may tell, as tasks are not trusted. */
  static final long MOST_WAITED_MILLIS = 600_000;

  private final LeaderGateway gateway;
  private final ByteString selfId;
  private final Callers callers;
  private final Optional<SharedScan> sharedScan;
  private final GrantListener grants;
  private final Counters<StreamManagerCounter> counters;

  /** Learns of runs of this node's own blocks that tasks are about to read. */
  @FunctionalInterface
  public interface GrantListener {
    /** Must not block. */
    void onGranted(FileKey file, long firstBlock);
  }

  /**
   * @param sharedScan empty if jobs shall not share what the disks read
   * @param counters of the node's stream manager
   */
  public StreamNextHandler(
      LeaderGateway gateway,
      NodeId self,
      Callers callers,
      Optional<SharedScan> sharedScan,
      GrantListener grants,
      Counters<StreamManagerCounter> counters) {
    this.gateway = gateway;
    this.selfId = WireIds.encode(self);
    this.callers = callers;
    this.sharedScan = sharedScan;
    this.grants = grants;
    this.counters = counters;
  }

  @Override
  public CompletionStage<byte[]> handle(ControlCall call) throws VdfsException {
    LedgerRequest asked =
        Bodies.parse(ControlMethods.STREAM_NEXT, call.body(), LedgerRequest.parser());
    if (!asked.hasNext()) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "only the next run can be asked for: method=%s, op=%s"
              .formatted(ControlMethods.STREAM_NEXT, asked.getOpCase()));
    }
    LedgerRequest.Builder passedOn = asked.toBuilder();
    NextRunOp.Builder next = passedOn.getNextBuilder();
    counters.add(
        StreamManagerCounter.TASK_WAIT_MILLIS,
        Math.min(Math.max(0, next.getWaitedMillis()), MOST_WAITED_MILLIS));
    next.setNode(selfId).clearPreferred().clearScanHeads().clearWaitedMillis();
    sharedScan.ifPresent(scan -> prefer(scan, next));
    return gateway
        .call(MetaRequest.newBuilder().setLedger(passedOn).build(), callers.of(call.user()))
        .thenApply(this::answered);
  }

  private static void prefer(SharedScan scan, NextRunOp.Builder next) {
    for (SharedScan.Blocks blocks : scan.inMemory()) {
      next.addPreferred(
          PreferredBlocks.newBuilder()
              .setFile(WireIds.encode(blocks.file()))
              .setFirst(blocks.first())
              .setCount(blocks.count()));
    }
    scan.heads()
        .forEach(
            head ->
                next.addScanHeads(
                    ScanHead.newBuilder()
                        .setFile(WireIds.encode(head.file()))
                        .setBlock(head.block())));
  }

  private byte[] answered(MetaResponse response) {
    NextRunResult result = response.getLedger().getNext();
    if (result.getTaken()) {
      Stream.concat(Stream.of(result.getRun()), result.getFollowingList().stream())
          .filter(this::isOwn)
          .forEach(run -> onTaken(run, result.getPreferred()));
    } else if (result.hasRun() && isOwn(result.getRun())) {
      // a task's list again, scattered over the disk: the attempt reads one run after the other
      grants.onGranted(file(result.getRun()), result.getRun().getFirstBlock());
    }
    return response.toByteArray();
  }

  /** Stolen blocks lie elsewhere on the disk than those that this node reads for itself. */
  private boolean isOwn(StreamRun run) {
    return !run.getStolen() && run.getOwner().equals(selfId);
  }

  private void onTaken(StreamRun run, boolean shared) {
    counters.increment(StreamManagerCounter.GRANTS);
    counters.add(StreamManagerCounter.GRANTED_BLOCKS, run.getBlockCount());
    FileKey file = file(run);
    sharedScan.ifPresent(
        scan ->
            scan.onGranted(
                new SharedScan.Blocks(file, run.getFirstBlock(), run.getBlockCount()), shared));
    grants.onGranted(file, run.getFirstBlock());
  }

  private static FileKey file(StreamRun run) {
    return new FileKey(run.getFile().getFileId(), run.getFile().getGeneration());
  }
}
