package io.vdfs.client.ledger;

import java.util.List;
import java.util.Optional;

/**
 * The entries of a task's list from the position that was asked for: runs, which are the task's
 * already, or else the end. Immutable.
 *
 * @param position as asked
 * @param runs the first one stands at the position, the others follow; empty at the end
 * @param end present if and only if there are no runs
 * @param streamBlocks all blocks of the job's input
 * @param remainingBlocks those of them that no task owns yet
 * @param preferred whether the runs were taken now, from the blocks that the node preferred
 */
public record RunAnswer(
    int position,
    List<DrawnRun> runs,
    Optional<ListEnd> end,
    long streamBlocks,
    long remainingBlocks,
    boolean preferred) {

  public RunAnswer {
    if (runs.isEmpty() != end.isPresent()) {
      throw new IllegalArgumentException(
          "an answer has either runs or the end: position=%s, runs=%s, end=%s"
              .formatted(position, runs.size(), end));
    }
    runs = List.copyOf(runs);
  }

  public boolean isEnd() {
    return end.isPresent();
  }

  /** Of the runs together. */
  public int blocks() {
    return runs.stream().mapToInt(DrawnRun::blockCount).sum();
  }
}
