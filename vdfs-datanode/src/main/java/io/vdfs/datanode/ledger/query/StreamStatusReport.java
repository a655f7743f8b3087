package io.vdfs.datanode.ledger.query;

import io.vdfs.common.wire.proto.StreamNodeStatus;
import io.vdfs.common.wire.proto.StreamStatusResult;
import io.vdfs.common.wire.proto.StreamTaskStatus;
import io.vdfs.datanode.ledger.state.OwnedRun;
import io.vdfs.datanode.ledger.state.StreamState;
import io.vdfs.datanode.ledger.state.TaskList;

/** The status of a stream for an operator or a test: counts per node and per task. Pure. */
public final class StreamStatusReport {
  private StreamStatusReport() {}

  /** The figures of a stream as a whole. */
  public static StreamStatusResult.Builder totals(StreamState stream) {
    return StreamStatusResult.newBuilder()
        .setOwner(stream.owner())
        .setSealed(stream.sealed())
        .setFiles(stream.files().size())
        .setTotals(stream.totals().toMessage())
        .setRemainingBlocks(stream.remaining())
        .setExpiresMillis(stream.expiresMillis());
  }

  /** As {@link #totals}, with its nodes; looks at each task, and walks through no list. */
  static StreamStatusResult.Builder nodes(StreamState stream) {
    StreamStatusResult.Builder result = totals(stream);
    int[] drawing = drawingTasks(stream);
    for (int node = 0; node < stream.nodes(); node++) {
      result.addNodes(
          StreamNodeStatus.newBuilder()
              .setNode(stream.nodeId(node))
              .setRemainingBlocks(stream.pool(node).blocks())
              .setLocalBlocks(stream.takenBy(node) - stream.stolenBy(node))
              .setLostBlocks(stream.lostBy(node))
              .setStolenBlocks(stream.stolenBy(node))
              .setDrawingTasks(drawing[node]));
    }
    return result;
  }

  /** The number of tasks, by node, that drew there last and may draw more. */
  private static int[] drawingTasks(StreamState stream) {
    int[] drawing = new int[stream.nodes()];
    for (TaskList list : stream.lists().values()) {
      if (list.draws()) {
        int taker = list.run(list.size() - 1).taker();
        if (taker >= 0) {
          drawing[taker]++;
        }
      }
    }
    return drawing;
  }

  /** As {@link #nodes}, with its tasks; walks through all lists. */
  public static StreamStatusResult.Builder tasks(StreamState stream) {
    StreamStatusResult.Builder result = nodes(stream);
    for (int task = 0; task < stream.taskCount(); task++) {
      result.addTasks(task(stream, task));
    }
    return result;
  }

  private static StreamTaskStatus.Builder task(StreamState stream, int task) {
    TaskList list = stream.task(task);
    long stolenBlocks = 0;
    for (int position = 0; position < list.size(); position++) {
      OwnedRun run = list.run(position);
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
}
