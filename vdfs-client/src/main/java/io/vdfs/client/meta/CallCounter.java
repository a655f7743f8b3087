package io.vdfs.client.meta;

import io.vdfs.common.metrics.CounterName;

/** Counters that a client keeps of each metadata operation. */
public enum CallCounter implements CounterName {
  CALLS("calls that ended"),
  MICROS("microseconds that they took, repeated attempts included"),
  RETRIES("attempts that had to be repeated"),
  REDIRECTS("attempts that a node referred to the leader"),
  FAILED("calls that ended with an error");

  private final String label;

  CallCounter(String label) {
    this.label = label;
  }

  @Override
  public String label() {
    return label;
  }
}
