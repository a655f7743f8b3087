package io.vdfs.datanode.meta.service.ring;

/** The figures of the ring as the leader saw it last; all 0 on other nodes. Thread-safe. */
public final class RingFigures {
  private record Figures(long epoch, long missingNodes, long joiningPlaces, long badVolumes) {}

  private static final Figures NONE = new Figures(0, 0, 0, 0);

  private volatile Figures figures = NONE;

  void set(long epoch, long missingNodes, long joiningPlaces, long badVolumes) {
    figures = new Figures(epoch, missingNodes, joiningPlaces, badVolumes);
  }

  void clear() {
    figures = NONE;
  }

  /** Epoch of the recorded ring map. */
  public long epoch() {
    return figures.epoch();
  }

  /** Nodes of the ring map that are not alive. */
  public long missingNodes() {
    return figures.missingNodes();
  }

  /** Places of arcs that nodes are copying for. */
  public long joiningPlaces() {
    return figures.joiningPlaces();
  }

  /** Volumes of the ring map's nodes that are recorded as suspect or failed. */
  public long badVolumes() {
    return figures.badVolumes();
  }
}
