package io.vdfs.datanode.stream;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.wire.proto.BlockRangeProto;
import io.vdfs.common.wire.proto.CreateStreamChunkOp;
import io.vdfs.common.wire.proto.FileKeyProto;
import io.vdfs.common.wire.proto.LedgerRequest;
import io.vdfs.common.wire.proto.LedgerResponse;
import io.vdfs.common.wire.proto.NextRunOp;
import io.vdfs.common.wire.proto.NextRunResult;
import io.vdfs.common.wire.proto.PreferredBlocks;
import io.vdfs.common.wire.proto.ScanHead;
import io.vdfs.common.wire.proto.SealStreamOp;
import io.vdfs.common.wire.proto.StreamFile;
import io.vdfs.common.wire.proto.StreamHeader;
import io.vdfs.common.wire.proto.StreamNode;
import io.vdfs.common.wire.proto.StreamRun;
import io.vdfs.datanode.ledger.Ledger;
import io.vdfs.datanode.ledger.op.LedgerOutcome;
import io.vdfs.datanode.ledger.op.StreamBounds;
import io.vdfs.datanode.ledger.state.Caller;
import java.util.BitSet;

/**
 * A job whose tasks draw blocks of file 0 from a ledger, in the simulation of a node. Confined to a
 * test.
 */
final class ScanJob {
  private static final int GROUP_BLOCKS = 16;
  private static final int WANTED = 4;
  private static final ByteString NODE = ByteString.copyFrom(new byte[16]);
  private static final Caller USER = new Caller("ann", false);

  private final ReadingSimulation simulation;
  private final Ledger ledger = new Ledger();
  private final ByteString stream;
  private final boolean sharing;
  private final double bytesPerSecond;
  private final int[] positions;
  private final BitSet read = new BitSet();
  private int running;
  private long finished = -1;

  /**
   * @param sharing whether the node's hints reach the ledger
   * @param bytesPerSecond of each task
   */
  ScanJob(
      ReadingSimulation simulation,
      int number,
      int blocks,
      int tasks,
      boolean sharing,
      double bytesPerSecond) {
    this.simulation = simulation;
    this.stream =
        ByteString.copyFrom(new byte[15]).concat(ByteString.copyFrom(new byte[] {(byte) number}));
    this.sharing = sharing;
    this.bytesPerSecond = bytesPerSecond;
    this.positions = new int[tasks];
    this.running = tasks;
    create(blocks, tasks);
  }

  private void create(int blocks, int tasks) {
    FileKey file = ReadingSimulation.file(0).key();
    StreamFile.Builder pinned =
        StreamFile.newBuilder()
            .setFile(key(file))
            .setLength(blocks * ReadingSimulation.BLOCK)
            .setPath("/in")
            .addRanges(BlockRangeProto.newBuilder().setCount(blocks));
    for (int group = 0; group * GROUP_BLOCKS < blocks; group++) {
      pinned.addGroupNodes(0);
    }
    StreamHeader.Builder header =
        StreamHeader.newBuilder()
            .setTasks(tasks)
            .setBlockSize((int) ReadingSimulation.BLOCK)
            .setGroupBlocks(GROUP_BLOCKS)
            .setAudited(true)
            .addNodes(StreamNode.newBuilder().setNode(NODE));
    call(
        LedgerRequest.newBuilder()
            .setCreateChunk(
                CreateStreamChunkOp.newBuilder()
                    .setStreamId(stream)
                    .setHeader(header)
                    .addFiles(pinned)));
    call(
        LedgerRequest.newBuilder()
            .setSeal(
                SealStreamOp.newBuilder()
                    .setStreamId(stream)
                    .setFiles(1)
                    .setBlocks(blocks)
                    .setBytes(blocks * ReadingSimulation.BLOCK)));
  }

  private LedgerResponse call(LedgerRequest.Builder request) {
    try {
      LedgerOutcome outcome = ledger.execute(request.build(), USER, 1, StreamBounds.NONE);
      outcome.records().forEach(ledger::replay);
      return outcome.response();
    } catch (VdfsException e) {
      throw new AssertionError(e);
    }
  }

  ScanJob startAt(long nanos) {
    for (int task = 0; task < positions.length; task++) {
      int number = task;
      simulation.schedule(nanos, () -> draw(number));
    }
    return this;
  }

  /** When all tasks had ended; -1 before. */
  long finished() {
    return finished;
  }

  /** Blocks that were read, each once. */
  int blocksRead() {
    return read.cardinality();
  }

  private void draw(int task) {
    NextRunOp.Builder next =
        NextRunOp.newBuilder()
            .setStreamId(stream)
            .setTask(task)
            .setPosition(positions[task])
            .setNode(NODE)
            .setWantedBlocks(WANTED);
    if (sharing) {
      hint(next);
    }
    NextRunResult result = call(LedgerRequest.newBuilder().setNext(next)).getNext();
    if (result.hasRun()) {
      positions[task]++;
      read(task, result.getRun(), result.getPreferred());
    } else if (--running == 0) {
      finished = simulation.now();
    }
  }

  private void hint(NextRunOp.Builder next) {
    for (SharedScan.Blocks blocks : simulation.sharedScan.inMemory()) {
      next.addPreferred(
          PreferredBlocks.newBuilder()
              .setFile(key(blocks.file()))
              .setFirst(blocks.first())
              .setCount(blocks.count()));
    }
    for (SharedScan.Head head : simulation.sharedScan.heads()) {
      next.addScanHeads(ScanHead.newBuilder().setFile(key(head.file())).setBlock(head.block()));
    }
  }

  private void read(int task, StreamRun run, boolean preferred) {
    int first = (int) run.getFirstBlock();
    for (int block = first; block < first + run.getBlockCount(); block++) {
      if (read.get(block)) {
        throw new AssertionError("drawn twice: block=" + block);
      }
      read.set(block);
    }
    FileKey file = ReadingSimulation.file(0).key();
    simulation.sharedScan.onGranted(
        new SharedScan.Blocks(file, first, run.getBlockCount()), preferred);
    simulation
        .reader(0, run.getOffset(), run.getBytes(), bytesPerSecond, simulation.now())
        .onFinished(() -> draw(task));
  }

  private static FileKeyProto key(FileKey file) {
    return FileKeyProto.newBuilder()
        .setFileId(file.fileId())
        .setGeneration(file.generation())
        .build();
  }
}
