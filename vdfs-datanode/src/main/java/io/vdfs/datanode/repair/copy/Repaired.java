package io.vdfs.datanode.repair.copy;

/**
 * How the repair of a group ended that did not fail. Immutable.
 *
 * @param bytes copied
 */
public record Repaired(Outcome outcome, long bytes) {
  /** What is so now. */
  public enum Outcome {
    /** The node holds what its source does, of which it copied some. */
    COPIED,
    /** The node held the same already. */
    SAME,
    /** The file is no more. */
    GONE
  }

  static final Repaired SAME = new Repaired(Outcome.SAME, 0);
  static final Repaired GONE = new Repaired(Outcome.GONE, 0);
}
