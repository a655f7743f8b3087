package io.vdfs.datanode.report;

import io.vdfs.common.metrics.CounterName;
import io.vdfs.datanode.store.BlockStore;

/** The state of a node's volumes. */
enum VolumeLevel implements CounterName {
  SERVING("volumes that are served"),
  FAILED("volumes that could not be used at start"),
  SUSPECT("volumes that take no new blocks since a disk error"),
  FULL("volumes that have no room for new blocks");

  private final String label;

  VolumeLevel(String label) {
    this.label = label;
  }

  long of(BlockStore store) {
    return switch (this) {
      case SERVING -> store.usage().size();
      case FAILED -> store.report().failedVolumes().size();
      case SUSPECT -> store.usage().stream().filter(volume -> volume.suspect().isPresent()).count();
      case FULL -> store.usage().stream().filter(volume -> !volume.roomy()).count();
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
