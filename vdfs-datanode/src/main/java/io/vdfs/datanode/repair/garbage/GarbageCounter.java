package io.vdfs.datanode.repair.garbage;

import io.vdfs.common.metrics.CounterName;

/** Counters of files that a node held without need, from the start of the process. */
public enum GarbageCounter implements CounterName {
  PASSES("passes over all files held that came to their end"),
  DELETED_FILES("files discarded that were deleted while this node did not learn of it"),
  SURPLUS_FILES("files discarded of which other nodes hold all copies that there should be"),
  SURPLUS_GROUPS("groups dropped of which other nodes hold all copies, of files kept for others"),
  DISCARDED_BYTES("bytes on disk of the files discarded, and bytes of the groups dropped"),
  SPARED("times that a surplus file was not discarded, as its copies were not all proved sound"),
  FAILED("files that could not be discarded, and passes that broke off"),
  CANDIDATES("files that the last pass found needed by nobody and did not discard yet"),
  KEPT_FILES("combined files that were discarded and are kept for a while"),
  KEPT_BYTES("bytes of the combined files kept for a while");

  private final String label;

  GarbageCounter(String label) {
    this.label = label;
  }

  @Override
  public String label() {
    return label;
  }

  @Override
  public boolean isLevel() {
    return this == CANDIDATES || this == KEPT_FILES || this == KEPT_BYTES;
  }
}
