package io.vdfs.datanode.scrub;

import java.io.IOException;
import java.util.Optional;

/** Where a scrubber keeps how far it came, over restarts. */
public interface ScrubMemory {
  /** Empty if there is nothing, or nothing that can be read: then a first pass begins. */
  Optional<ScrubPosition> load();

  /** Stores the position as a whole or not at all. */
  void save(ScrubPosition position) throws IOException;
}
