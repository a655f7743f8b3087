package io.vdfs.datanode.segment;

import io.vdfs.common.metrics.CounterName;

/** Counters of a node's segment delivery, from the start of the process. */
public enum SegmentCounter implements CounterName {
  FILLS("ranges laid into slots"),
  FILLED_BYTES("bytes laid into slots"),
  FILLS_FAILED("ranges that could not be laid into slots"),
  FILLS_GIVEN_UP("ranges that readers gave up before they were laid into slots"),
  SEGMENTS_MADE("segments made"),
  SEGMENTS_REMOVED("segments removed"),
  SEGMENTS_REFUSED("segments refused for lack of memory or by the filesystem"),
  SEGMENTS_FOUND("segments that an earlier run of the daemon left behind"),
  SEGMENTS_STUCK("segments that could not be removed; the next start tries again");

  private final String label;

  SegmentCounter(String label) {
    this.label = label;
  }

  @Override
  public String label() {
    return label;
  }
}
