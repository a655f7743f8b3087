package io.vdfs.datanode.local;

import io.vdfs.common.metrics.CounterName;

/** Counters of a node's local delivery, from the start of the process. */
public enum LocalCounter implements CounterName {
  GRANTS("ranges granted to local readers"),
  EARLY_GRANTS("of these, of bytes in memory, with the grant of bytes before them"),
  GRANTED_BYTES("bytes granted to local readers, whether they then read them or not"),
  GRANTED_COLD_BYTES("bytes granted though they could not be brought into memory before"),
  READ_BYTES("bytes that local readers told they have read, no more than granted"),
  FETCHED_BY_CLIENT_BYTES(
      "bytes that local readers told the disk gave for their own reads, no more than granted"),
  REFUSALS("requests that were sent on to the socket"),
  LINKS_MADE("names of combined files made for local readers"),
  LINKS_REMOVED("names of combined files taken back"),
  LINKS_FOUND("names that an earlier run of the daemon left behind"),
  LINKS_STUCK("names that could not be removed; the next start tries again"),
  STEPS_REJECTED("steps not taken because of overload or the end");

  private final String label;

  LocalCounter(String label) {
    this.label = label;
  }

  @Override
  public String label() {
    return label;
  }
}
