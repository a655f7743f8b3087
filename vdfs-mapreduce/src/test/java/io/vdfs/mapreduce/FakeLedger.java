package io.vdfs.mapreduce;

import io.vdfs.client.ledger.BlockTotals;
import io.vdfs.client.ledger.DrawnRun;
import io.vdfs.client.ledger.ListEnd;
import io.vdfs.client.ledger.RunAnswer;
import io.vdfs.client.ledger.RunQuestion;
import io.vdfs.client.ledger.StreamTask;
import io.vdfs.common.model.BlockDigest;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.model.StreamId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * One file of equal blocks, one block a run. Other tasks take blocks from its end before each call.
 * Confined to the test's thread.
 */
final class FakeLedger implements RunSource {
  static final long BLOCK_BYTES = 100;
  static final String PATH = "/input";
  private static final FileKey FILE = new FileKey(256, 1);
  private static final NodeId NODE = new NodeId(new UUID(1, 1));

  final List<RunQuestion> asked = new ArrayList<>();
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
  public RunAnswer next(RunQuestion question) throws IOException {
    asked.add(question);
    if (failures > 0) {
      failures--;
      throw new IOException("out of order");
    }
    takenByOthers += Math.min(takenByOthersPerCall, remaining());
    int position = question.position();
    if (position < drawn) {
      return answer(position, List.of(run(position)));
    }
    if (closed || remaining() == 0) {
      ListEnd end = new ListEnd(drawn, totals(), BlockTotals.NONE, yielded);
      return new RunAnswer(position, List.of(), Optional.of(end), blocks, remaining(), false);
    }
    int granted = Math.min(Math.min(question.wantedBlocks(), question.mostRuns()), mostRuns);
    List<DrawnRun> runs = new ArrayList<>();
    for (int run = 0; run < granted && remaining() > 0; run++) {
      drawn++;
      runs.add(run(position + run));
    }
    return answer(position, runs);
  }

  private RunAnswer answer(int position, List<DrawnRun> runs) {
    return new RunAnswer(position, runs, Optional.empty(), blocks, remaining(), false);
  }

  private static DrawnRun run(int position) {
    return new DrawnRun(
        FILE, 0, PATH, position, 1, position * BLOCK_BYTES, BLOCK_BYTES, NODE, false);
  }

  private BlockTotals totals() {
    return new BlockTotals(drawn, drawn * BLOCK_BYTES, BlockDigest.of(FILE, 0, drawn));
  }

  @Override
  public boolean closeTask(StreamTask task) {
    closeCalls++;
    closed = closable;
    return closed;
  }

  @Override
  public long remainingBlocks(StreamId stream) {
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
