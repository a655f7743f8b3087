package io.vdfs.datanode.ledger;

import io.vdfs.common.wire.proto.StreamNodeStatus;
import io.vdfs.common.wire.proto.StreamStatusResult;
import io.vdfs.common.wire.proto.StreamTaskStatus;

/**
 * What a stream looks like to an operator or a test: counts per node and per task. Made by walking
 * the lists, so that no counter has to be kept in the replicated state. Pure.
 */
final class StreamStatusReport {
  private final StreamState stream;
  private final long[] local;
  private final long[] lost;
  private final long[] stolen;

  StreamStatusReport(StreamState stream) {
    this.stream = stream;
    this.local = new long[stream.nodes()];
    this.lost = new long[stream.nodes()];
    this.stolen = new long[stream.nodes()];
  }

  /** What is known of a stream as a whole, without a walk. */
  static StreamStatusResult.Builder totals(StreamState stream) {
    return StreamStatusResult.newBuilder()
        .setOwner(stream.owner())
        .setSealed(stream.sealed())
        .setFiles(stream.files().size())
        .setTotals(stream.totals().toMessage())
        .setRemainingBlocks(stream.remaining())
        .setExpiresMillis(stream.expiresMillis());
  }

  StreamStatusResult build() {
    StreamStatusResult.Builder result = totals(stream);
    for (int task = 0; task < stream.taskCount(); task++) {
      result.addTasks(task(task));
    }
    for (int node = 0; node < stream.nodes(); node++) {
      result.addNodes(
          StreamNodeStatus.newBuilder()
              .setNode(stream.nodeId(node))
              .setRemainingBlocks(stream.pool(node).blocks())
              .setLocalBlocks(local[node])
              .setLostBlocks(lost[node])
              .setStolenBlocks(stolen[node]));
    }
    return result.build();
  }

  private StreamTaskStatus.Builder task(int task) {
    TaskList list = stream.task(task);
    long stolenBlocks = 0;
    for (int position = 0; position < list.size(); position++) {
      OwnedRun run = list.run(position);
      count(run);
      stolenBlocks += run.stolen() ? run.range().count() : 0;
    }
    return StreamTaskStatus.newBuilder()
        .setTask(task)
        .setRuns(list.size())
        .setTotals(list.totals().toMessage())
        .setStolenBlocks(stolenBlocks)
        .setClosed(list.closed())
        .setFinished(list.finished())
        .setStopped(list.stopped())
        .setYielded(list.yielded());
  }

  private void count(OwnedRun run) {
    int blocks = run.range().count();
    if (!run.stolen()) {
      local[run.pool()] += blocks;
      return;
    }
    lost[run.pool()] += blocks;
    if (run.taker() >= 0) {
      stolen[run.taker()] += blocks;
    }
  }
}
