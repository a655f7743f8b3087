package io.vdfs.datanode.repair;

import io.vdfs.common.metrics.CounterName;

/** Counters of a node's work to keep its copies complete, from the start of the process. */
public enum RepairCounter implements CounterName {
  GROUPS_COPIED("groups copied from other nodes, in whole or in part"),
  BYTES_COPIED("bytes copied from other nodes"),
  GROUPS_VERIFIED("groups that were said to lack and were the same as their source"),
  GROUPS_GONE("groups whose file was deleted before they were copied"),
  GROUPS_DIFFERING("groups that audits found with sound bytes that are not those written"),
  FAILED("attempts to copy a group that failed"),
  REPORTED("groups that this node found lacking and had recorded so"),
  LIFTED("groups recorded as lacking here that are not any more"),
  VOLUMES_SUSPECT("times that a volume became suspect and what lay on it was to be copied anew"),
  PROMOTED_ARCS("arcs that this node serves since it copied what they hold"),
  AUDITS("audits of what this node should hold that came to their end"),
  COPIED_BYTES_PER_SECOND("bytes a second copied from other nodes in the last ten seconds"),
  LACKING("groups that are recorded as lacking here"),
  WAITING("groups that the audit under way has found lacking and not yet copied"),
  CLEAN_AUDIT_AGE_SECONDS("seconds since the last audit that left nothing lacking, or the start");

  private final String label;

  RepairCounter(String label) {
    this.label = label;
  }

  @Override
  public String label() {
    return label;
  }

  @Override
  public boolean isLevel() {
    return this == COPIED_BYTES_PER_SECOND
        || this == LACKING
        || this == WAITING
        || this == CLEAN_AUDIT_AGE_SECONDS;
  }
}
