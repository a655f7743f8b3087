package io.vdfs.datanode.host;

import io.vdfs.common.metrics.CounterName;
import io.vdfs.datanode.meta.service.ring.RingFigures;

/** The state of the cluster's ring, as the leader of the metadata sees it. */
enum RingLevel implements CounterName {
  EPOCH("epoch of the recorded ring map; 0 on all but the leader"),
  MISSING_NODES("nodes of the ring map that are not alive"),
  JOINING_PLACES("places of arcs for which nodes are copying"),
  BAD_VOLUMES("volumes of the ring map's nodes that are recorded as suspect or failed");

  private final String label;

  RingLevel(String label) {
    this.label = label;
  }

  long of(RingFigures figures) {
    return switch (this) {
      case EPOCH -> figures.epoch();
      case MISSING_NODES -> figures.missingNodes();
      case JOINING_PLACES -> figures.joiningPlaces();
      case BAD_VOLUMES -> figures.badVolumes();
    };
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
