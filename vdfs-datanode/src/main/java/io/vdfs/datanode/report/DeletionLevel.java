package io.vdfs.datanode.report;

import io.vdfs.common.metrics.CounterName;

/** How far a node is with its removals. */
enum DeletionLevel implements CounterName {
  MISSED("deletions that were dropped before this node carried them out");

  private final String label;

  DeletionLevel(String label) {
    this.label = label;
  }

  @Override
  public String label() {
    return label;
  }

  @Override
  public boolean isLevel() {
    return true;
  }
}
