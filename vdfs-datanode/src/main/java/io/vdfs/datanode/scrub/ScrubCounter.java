package io.vdfs.datanode.scrub;

import io.vdfs.common.metrics.CounterName;

/** Counters of scrubbing since the start. */
public enum ScrubCounter implements CounterName {
  GROUPS("groups read back by the scrubber"),
  BYTES("bytes read back by the scrubber"),
  DAMAGED("groups of which the scrubber found bytes that are not what their writer sent"),
  FAILED("groups that the scrubber could not read back"),
  DOUBTED("blocks read back because a reader or another node found them damaged"),
  DOUBTS_CONFIRMED("blocks among these that are damaged"),
  PASSES("passes over all groups that the scrubber completed"),
  OLDEST_UNVERIFIED_SECONDS("seconds since all that is held was read back, at most");

  private final String label;

  ScrubCounter(String label) {
    this.label = label;
  }

  @Override
  public String label() {
    return label;
  }

  @Override
  public boolean isLevel() {
    return this == OLDEST_UNVERIFIED_SECONDS;
  }
}
