package io.vdfs.common.metrics;

/** The description that an enum of counters gives of each constant. */
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
