package io.vdfs.client.ledger;

import java.util.Optional;

/**
 * A task's question for the runs from a position of its list on. It may be repeated: what stands at
 * a position stays there. Immutable.
 *
 * @param position how many runs the asking attempt has got so far
 * @param wantedBlocks at least 1; the runs of an answer have no more together, unless the first one
 *     is a whole group
 * @param mostRuns in one answer, at least 1
 * @param waitedMillis how long the attempt has waited for runs since it said so last
 * @param mayYield whether the task has worked for long enough to end for the sake of another job
 * @param processed what the attempt processed of the runs before the position: the call fails if
 *     the list differs, and only a question that states it marks the task as finished when the
 *     answer is the end
 */
public record RunQuestion(
    StreamTask task,
    int position,
    int wantedBlocks,
    int mostRuns,
    long waitedMillis,
    boolean mayYield,
    Optional<BlockTotals> processed) {

  public RunQuestion {
    if (position < 0 || wantedBlocks < 1 || mostRuns < 1) {
      throw new IllegalArgumentException(
          ("a question begins somewhere and wants something: position=%s, wantedBlocks=%s,"
                  + " mostRuns=%s")
              .formatted(position, wantedBlocks, mostRuns));
    }
  }

  /** For one block, by a task that has nothing to tell. */
  public static RunQuestion oneBlock(StreamTask task, int position) {
    return new RunQuestion(task, position, 1, 1, 0, false, Optional.empty());
  }

  public RunQuestion withProcessed(BlockTotals totals) {
    return new RunQuestion(
        task, position, wantedBlocks, mostRuns, waitedMillis, mayYield, Optional.of(totals));
  }

  public RunQuestion withWaitedMillis(long millis) {
    return new RunQuestion(task, position, wantedBlocks, mostRuns, millis, mayYield, processed);
  }
}
