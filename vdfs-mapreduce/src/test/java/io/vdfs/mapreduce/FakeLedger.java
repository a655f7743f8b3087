package io.vdfs.mapreduce;

import com.google.protobuf.ByteString;
import io.vdfs.common.model.BlockDigest;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.wire.proto.CloseTaskOp;
import io.vdfs.common.wire.proto.CloseTaskResult;
import io.vdfs.common.wire.proto.EndOfTask;
import io.vdfs.common.wire.proto.FileKeyProto;
import io.vdfs.common.wire.proto.NextRunOp;
import io.vdfs.common.wire.proto.NextRunResult;
import io.vdfs.common.wire.proto.StreamRun;
import io.vdfs.common.wire.proto.StreamTotals;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * One file of equal blocks, one block a run. Other tasks take blocks from its end before each call.
 * Confined to the test's thread.
 */
final class FakeLedger implements RunSource {
  static final long BLOCK_BYTES = 100;
  static final String PATH = "/input";
  private static final FileKey FILE = new FileKey(256, 1);

  final List<NextRunOp> asked = new ArrayList<>();
  int failures;
  int takenByOthersPerCall;
  int takenByOthersPerLook;
  int mostRuns = 1;
  int closeCalls;
  int looks;

  private final int blocks;
  private final boolean closable;
  private int drawn;
  private int takenByOthers;
  private boolean closed;
  private boolean yielded;

  /**
   * @param closable whether other open tasks remain
   */
  FakeLedger(int blocks, boolean closable) {
    this.blocks = blocks;
    this.closable = closable;
  }

  @Override
  public NextRunResult next(NextRunOp next) throws IOException {
    asked.add(next);
    if (failures > 0) {
      failures--;
      throw new IOException("out of order");
    }
    takenByOthers += Math.min(takenByOthersPerCall, remaining());
    int position = next.getPosition();
    NextRunResult.Builder result =
        NextRunResult.newBuilder()
            .setPosition(position)
            .setStreamBlocks(blocks)
            .setRemainingBlocks(remaining());
    if (position < drawn) {
      return result.setRun(run(position)).build();
    }
    if (closed || remaining() == 0) {
      return result
          .setEnd(EndOfTask.newBuilder().setRuns(drawn).setTask(totals()).setYielded(yielded))
          .build();
    }
    drawn++;
    result.setRun(run(position));
    int granted = Math.min(Math.min(next.getWantedBlocks(), next.getMostRuns()), mostRuns);
    for (int following = 1; following < granted && remaining() > 0; following++) {
      drawn++;
      result.addFollowing(run(position + following));
    }
    return result.setRemainingBlocks(remaining()).build();
  }

  private static StreamRun run(int position) {
    return StreamRun.newBuilder()
        .setFile(
            FileKeyProto.newBuilder().setFileId(FILE.fileId()).setGeneration(FILE.generation()))
        .setPath(PATH)
        .setFirstBlock(position)
        .setBlockCount(1)
        .setOffset(position * BLOCK_BYTES)
        .setBytes(BLOCK_BYTES)
        .build();
  }

  private StreamTotals totals() {
    return StreamTotals.newBuilder()
        .setBlocks(drawn)
        .setBytes(drawn * BLOCK_BYTES)
        .setDigest(BlockDigest.of(FILE, 0, drawn))
        .build();
  }

  @Override
  public CloseTaskResult closeTask(CloseTaskOp close) {
    closeCalls++;
    closed = closable;
    return CloseTaskResult.newBuilder().setClosed(closed).setRuns(drawn).build();
  }

  @Override
  public long remainingBlocks(ByteString streamId) {
    looks++;
    takenByOthers += Math.min(takenByOthersPerLook, remaining());
    return remaining();
  }

  /** Closes the list for the sake of another job. */
  void yieldAtOnce() {
    closed = true;
    yielded = true;
  }

  int remaining() {
    return blocks - drawn - takenByOthers;
  }

  int drawn() {
    return drawn;
  }
}
