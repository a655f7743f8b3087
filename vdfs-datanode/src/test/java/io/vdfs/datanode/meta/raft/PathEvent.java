package io.vdfs.datanode.meta.raft;

/**
 * What one client did to one path of a pair, and what came of it. Immutable.
 *
 * @param kind of operation
 * @param second whether it was done to the second path of the pair, or from there
 * @param outcome inode that was made or seen, 1 for done; {@link #NOTHING} and {@link #TAKEN} where
 *     nothing was done
 * @param startNanos before the first attempt
 * @param endNanos after the answer
 */
record PathEvent(Kind kind, boolean second, long outcome, long startNanos, long endNanos) {
  /** There is nothing at the path; of {@link Kind#CREATE}: there is something. */
  static final long NOTHING = 0;

  static final long DONE = 1;

  /** There is something at the path's target. */
  static final long TAKEN = 2;

  /** What a path can be asked for. */
  enum Kind {
    /** Makes a file where there is none; {@link #NOTHING}: there was one. */
    CREATE,
    /** Makes a file and replaces one that is there. */
    OVERWRITE,
    DELETE,
    /** To the other path, if that is free. */
    MOVE,
    /** To the other path, where it replaces what is there. */
    REPLACE,
    LOOK
  }

  /** The inodes that two paths hold. Immutable. */
  record Pair(long first, long second) {
    static final Pair EMPTY = new Pair(NOTHING, NOTHING);

    private long at(boolean second) {
      return second ? this.second : first;
    }

    private Pair with(boolean atSecond, long inode) {
      return atSecond ? new Pair(first, inode) : new Pair(inode, second);
    }
  }

  /** Whether this can happen to paths that hold {@code pair}. */
  boolean isPossible(Pair pair) {
    long here = pair.at(second);
    long there = pair.at(!second);
    return switch (kind) {
      case CREATE -> (outcome == NOTHING) == (here != NOTHING);
      case OVERWRITE -> true;
      case DELETE -> (outcome == NOTHING) == (here == NOTHING);
      case MOVE -> outcome == (here == NOTHING ? NOTHING : there == NOTHING ? DONE : TAKEN);
      case REPLACE -> outcome == (here == NOTHING ? NOTHING : DONE);
      case LOOK -> outcome == here;
    };
  }

  /** What the paths hold afterwards. */
  Pair after(Pair pair) {
    return switch (kind) {
      case CREATE -> outcome == NOTHING ? pair : pair.with(second, outcome);
      case OVERWRITE -> pair.with(second, outcome);
      case DELETE -> pair.with(second, NOTHING);
      case MOVE, REPLACE ->
          outcome == DONE ? pair.with(!second, pair.at(second)).with(second, NOTHING) : pair;
      case LOOK -> pair;
    };
  }
}
