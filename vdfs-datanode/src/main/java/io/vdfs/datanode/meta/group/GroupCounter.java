package io.vdfs.datanode.meta.group;

import io.vdfs.common.metrics.CounterName;

/** The counters of a member of the metadata group. */
public enum GroupCounter implements CounterName {
  ENTRIES("log entries that this member as leader asked for"),
  ENTRY_REQUESTS("mutations packed into those log entries"),
  ENTRY_BYTES("bytes of those log entries"),
  READ_BATCHES("batches of queries that this member as leader answered"),
  READ_REQUESTS("queries packed into those batches"),
  DIRECT_READ_BATCHES("of those batches, the ones answered without a question to Ratis"),
  SNAPSHOTS("snapshots written"),
  SNAPSHOT_CHUNKS("pieces of snapshots that a leader sent this member"),
  SNAPSHOT_PAUSE_MICROS("microseconds that requests waited for images of the state"),
  APPLIED("log entries carried out"),
  MEMBER_CHANGES("changes of the group's members that this member led"),
  TORN_LOGS("starts at which a torn end of this member's log was cut off"),
  DAMAGED_LOGS("starts at which this member's log was damaged and put aside"),
  OVERTAKEN_LOGS("starts at which this member's log ended before its snapshot"),
  DOUBTS_SETTLED("times this member's log was found complete after damage"),
  MEMBER_FAILURES("times this node's member could not start or go on"),
  REFUSED_PEERS("connections, to and from this member's port, and calls that were refused there"),
  REPEATED_CALLS("mutations sent again whose first outcome was given back");

  private final String label;

  GroupCounter(String label) {
    this.label = label;
  }

  @Override
  public String label() {
    return label;
  }
}
