package io.vdfs.common.metrics;

/** What an enum of counters tells of each of its constants. */
public interface CounterName {
  /** Name of the constant. */
  String name();

  /** What is counted, in a few words. */
  String label();

  /** Whether the number is a level that goes up and down rather than a sum. */
  default boolean isLevel() {
    return false;
  }
}
