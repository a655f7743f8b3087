package io.vdfs.client.ledger;

import java.util.List;

/**
 * A stream as its ledger describes it. Immutable.
 *
 * @param owner the user whose job draws from it
 * @param sealed whether it is complete, so that tasks may draw
 * @param totals of all blocks that it hands out
 * @param remainingBlocks that no task owns
 * @param expiresMillis since 1970 by the clock of the log: when it is forgotten, unless it is
 *     renewed
 * @param tasks by their ordinals; none where it is one of many that are listed
 */
public record StreamStatus(
    String owner,
    boolean sealed,
    long files,
    BlockTotals totals,
    long remainingBlocks,
    long expiresMillis,
    List<NodeDraws> nodes,
    List<TaskDraws> tasks) {
  public StreamStatus {
    nodes = List.copyOf(nodes);
    tasks = List.copyOf(tasks);
  }
}
