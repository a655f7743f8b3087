package io.vdfs.it.quickstart;

import java.util.List;
import java.util.Optional;

/**
 * A job that has succeeded. Immutable.
 *
 * @param mapHosts where the successful attempt of each map task ran, by task number
 * @param stream empty where the job did not draw its input from a ledger
 */
record RanJob(String name, List<String> mapHosts, int reduces, Optional<StreamReport> stream) {
  RanJob {
    mapHosts = List.copyOf(mapHosts);
  }

  int maps() {
    return mapHosts.size();
  }
}
