package io.vdfs.datanode.repair.copy;

/**
 * The outcome of a group's repair that did not fail. Immutable.
 *
 * @param bytes copied
 * @param reason what the nodes answered where none has the group; else empty
 */
public record Repaired(Outcome outcome, long bytes, String reason) {
  /** The state of the group now. */
  public enum Outcome {
    /** The node holds what its source does, of which it copied some. */
    COPIED,
    /** The node held the same bytes already. */
    SAME,
    /** The file does not exist any more. */
    GONE,
    /** All nodes answered, and none that may be believed has all bytes. Nothing was changed. */
    NOWHERE
  }

  static final Repaired SAME = new Repaired(Outcome.SAME, 0, "");
  static final Repaired GONE = new Repaired(Outcome.GONE, 0, "");

  static Repaired copied(long bytes) {
    return new Repaired(Outcome.COPIED, bytes, "");
  }

  static Repaired nowhere(String reason) {
    return new Repaired(Outcome.NOWHERE, 0, reason);
  }
}
