package io.vdfs.datanode.ledger;

import io.vdfs.common.model.BlockDigest;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.wire.proto.StreamRun;
import io.vdfs.common.wire.proto.StreamTotals;
import java.util.ArrayList;
import java.util.List;

/** One attempt of a map task: what it got so far and what became of it. */
final class SimulatedAttempt {
  final int task;
  final int number;
  final int node;
  final int wanted;
  final List<StreamRun> got = new ArrayList<>();

  /** The master has given it up. */
  boolean givenUp;

  /** Its mapper stopped before END; what it got and did not process is taken out of the list. */
  boolean stopped;

  SimulatedAttempt(int task, int number, int node, int wanted) {
    this.task = task;
    this.number = number;
    this.node = node;
    this.wanted = wanted;
  }

  /** Totals as the attempt itself counts them, without the ledger's help. */
  StreamTotals processed() {
    StreamTotals.Builder totals = StreamTotals.newBuilder();
    for (StreamRun run : got) {
      FileKey key = new FileKey(run.getFile().getFileId(), run.getFile().getGeneration());
      long digest = BlockDigest.of(key, run.getFirstBlock(), run.getBlockCount());
      totals
          .setBlocks(totals.getBlocks() + run.getBlockCount())
          .setBytes(totals.getBytes() + run.getBytes())
          .setDigest(totals.getDigest() + digest);
    }
    return totals.build();
  }

  @Override
  public String toString() {
    return "task=" + task + ", attempt=" + number + ", node=" + node + ", got=" + got.size();
  }
}
