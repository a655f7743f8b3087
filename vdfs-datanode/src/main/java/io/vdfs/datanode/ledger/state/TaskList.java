package io.vdfs.datanode.ledger.state;

import java.util.Arrays;

/**
 * The runs a task owns, in the order in which each of its attempts gets them. Only ever grows,
 * until it is closed. Confined to the ledger's owner.
 */
public final class TaskList {
  private static final int CELLS = 5;

  private int[] cells = new int[0];
  private int size;
  private Totals totals = Totals.NONE;
  private boolean closed;
  private boolean finished;
  private boolean stopped;
  private boolean yielded;

  /** Number of runs. */
  public int size() {
    return size;
  }

  /** Totals of all runs. */
  public Totals totals() {
    return totals;
  }

  /** Whether the task gets no more. */
  public boolean closed() {
    return closed;
  }

  /** An attempt processed the whole final list and said so. */
  public boolean finished() {
    return finished;
  }

  /** The mapper of an attempt that committed did not want the rest of the list. */
  public boolean stopped() {
    return stopped;
  }

  /** Closed for the sake of a stream that waited. */
  public boolean yielded() {
    return yielded;
  }

  /** Whether the task gets no more, or wants none. */
  boolean ended() {
    return closed || finished;
  }

  /** Whether the task owns something and may get more. */
  public boolean draws() {
    return size > 0 && !ended();
  }

  /** The run at a position below {@link #size}. */
  public OwnedRun run(int position) {
    int at = position * CELLS;
    BlockRange range = new BlockRange(cells[at], cells[at + 1], cells[at + 2]);
    return new OwnedRun(range, cells[at + 3], cells[at + 4]);
  }

  /** Totals of the first {@code runs} runs. */
  public Totals totals(int runs, FileTable files) {
    if (runs == size) {
      return totals;
    }
    Totals sum = Totals.NONE;
    for (int position = 0; position < runs; position++) {
      sum = sum.plus(files.totals(run(position).range()));
    }
    return sum;
  }

  void append(OwnedRun run, Totals added) {
    int at = size * CELLS;
    if (at == cells.length) {
      cells = Arrays.copyOf(cells, Math.max(4 * CELLS, cells.length * 2));
    }
    cells[at] = run.range().file();
    cells[at + 1] = run.range().first();
    cells[at + 2] = run.range().count();
    cells[at + 3] = run.pool();
    cells[at + 4] = run.taker();
    size++;
    totals = totals.plus(added);
  }

  void close() {
    closed = true;
  }

  void closeYielded() {
    closed = true;
    yielded = true;
  }

  void finish() {
    finished = true;
  }

  /** Closes the list too: no attempt should get blocks that its mapper does not want. */
  void stop() {
    closed = true;
    stopped = true;
  }
}
