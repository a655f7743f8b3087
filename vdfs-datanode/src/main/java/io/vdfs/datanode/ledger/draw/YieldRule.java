package io.vdfs.datanode.ledger.draw;

import io.vdfs.common.wire.proto.NextRunOp;
import io.vdfs.datanode.ledger.state.StreamArrival;
import io.vdfs.datanode.ledger.state.StreamState;
import io.vdfs.datanode.ledger.state.StreamTable;
import java.time.Duration;
import java.util.Optional;

/**
 * Whether a task that could draw more ends its list instead, so that its container becomes free for
 * a job that arrived later and waits: none of that job's tasks has drawn yet. In order of priority:
 *
 * <ol>
 *   <li>Nothing is lost: another open task is there to go on with the pool, and the job audits.
 *   <li>A job comes back to as many tasks at once as it was planned for: it closes no more lists
 *       than it has surplus tasks.
 *   <li>It yields at most half of the tasks that had drawn and were open when it began to yield, as
 *       long as the last stream that it yielded to still waits.
 *   <li>All jobs together yield no more than the waiting one can use: a container for its master
 *       and, as soon as that runs, one for each of its tasks. YARN gives a container that becomes
 *       free before the waiting job asks for it to the surplus tasks of the job that yielded. The
 *       last task that may yield does so for a task and not for a master, which alone is of no use.
 *   <li>Streams are helped in the order of their arrival, and never one that arrived before the job
 *       that yields, or before the last one it yielded to. So a stream that is never drawn from
 *       costs each job its share once; it counts for {@link #LONGEST_WAIT} only.
 * </ol>
 *
 * <p>Each stream waits once, before its first run. So the number of yields is bounded by the sizes
 * of the jobs that come, and two jobs cannot go on yielding to each other. Example: a job of eight
 * tasks yields four to the first job that waits; when that one has drawn and a third job comes, it
 * yields two more.
 *
 * <p>Pure.
 */
public final class YieldRule {
  /**
   * Part of the state machine, like the length of a lease. A client may have died between the seal
   * and the submission.
   */
  public static final Duration LONGEST_WAIT = Duration.ofMinutes(30);

  /**
   * @param to the stream that waits
   * @param left how many more tasks may yield while it does
   */
  public record Yield(StreamState to, int left) {}

  private YieldRule() {}

  /** The stream that the asking task yields to, instead of getting a run. */
  public static Optional<Yield> find(
      StreamTable streams, StreamState stream, NextRunOp op, long timeMillis) {
    return mayYield(stream, op)
        ? streams
            .waiting()
            .firstFrom(earliest(stream.lastYieldedTo(), timeMillis))
            .map(waiting -> new Yield(waiting, allowance(streams, stream, timeMillis) - 1))
            .filter(found -> found.left() >= (found.to().asksForTasks() ? 0 : 1))
        : Optional.empty();
  }

  private static boolean mayYield(StreamState stream, NextRunOp op) {
    return op.getMayYield()
        && op.getPosition() > 0
        && stream.header().getAudited()
        && stream.closedTasks() < stream.header().getSurplusTasks()
        && stream.hasOtherOpenTask(op.getTask());
  }

  private static StreamArrival earliest(StreamArrival last, long timeMillis) {
    StreamArrival recent = StreamArrival.from(timeMillis - LONGEST_WAIT.toMillis());
    return last.compareTo(recent) > 0 ? last : recent;
  }

  private static int allowance(StreamTable streams, StreamState stream, long timeMillis) {
    StreamArrival last = stream.lastYieldedTo();
    StreamState lastStream = streams.find(last.id());
    boolean stillWaits =
        lastStream != null && lastStream.waits() && earliest(last, timeMillis).equals(last);
    return stillWaits ? stream.yieldsLeft() : stream.drawingTasks() / 2;
  }
}
