package io.vdfs.datanode.meta.raft;

/**
 * What one client did to one path, and what came of it. Immutable.
 *
 * @param kind of operation
 * @param outcome inode that was made, seen or moved away; {@link #NOTHING} where there was none
 * @param startNanos before the first attempt
 * @param endNanos after the answer
 */
record PathEvent(Kind kind, long outcome, long startNanos, long endNanos) {
  static final long NOTHING = 0;

  /** What a path can be asked for. */
  enum Kind {
    /** Makes a file where there is none; {@link #NOTHING}: there was one. */
    CREATE,
    /** Makes a file and replaces one that is there. */
    OVERWRITE,
    /** {@code outcome} is 1 where something was deleted. */
    DELETE,
    LOOK
  }

  /** Whether this can happen to a path that holds {@code inode}. */
  boolean isPossible(long inode) {
    return switch (kind) {
      case CREATE -> (outcome == NOTHING) == (inode != NOTHING);
      case OVERWRITE -> true;
      case DELETE -> (outcome == NOTHING) == (inode == NOTHING);
      case LOOK -> outcome == inode;
    };
  }

  /** What the path holds afterwards. */
  long after(long inode) {
    return switch (kind) {
      case CREATE -> outcome == NOTHING ? inode : outcome;
      case OVERWRITE -> outcome;
      case DELETE -> NOTHING;
      case LOOK -> inode;
    };
  }
}
