package io.vdfs.datanode.meta.raft.lease;

/** The step that an elected candidate takes before it sends anything as leader. Thread-safe. */
@FunctionalInterface
public interface Accession {
  /**
   * Forces the candidate's own vote, without which a majority elected another one after a loss of
   * power. May be asked several times in one leadership.
   *
   * @throws RuntimeException if this member must not lead; it is of no use until it starts again
   */
  void begin();
}
