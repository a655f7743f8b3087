package io.vdfs.it.quickstart;

import java.io.IOException;
import java.util.Optional;

/**
 * Kills a DataNode in the middle of a job. Confined to the main thread.
 *
 * <p>A job that is over before the first check loses none.
 */
final class NodeLoss {
  /** Part of the job's blocks that are handed out when the node is killed. */
  private static final double PART = 0.25;

  private final DataNodes nodes;
  private final int node;
  private String told;

  /**
   * @param node to be killed, from 1 on
   */
  NodeLoss(DataNodes nodes, int node) {
    this.nodes = nodes;
    this.node = node;
  }

  void onProgress(StreamReport report) throws IOException, InterruptedException {
    if (told == null && report.handedOut() > 0 && report.handedOut() >= PART * report.blocks()) {
      told =
          "the DataNode at "
              + nodes.kill(node)
              + " was killed when "
              + report.handedOut()
              + " of "
              + Amounts.of(report.blocks(), "block")
              + " were handed out";
    }
  }

  /** What happened, if anything did. */
  Optional<String> told() {
    return Optional.ofNullable(told);
  }
}
