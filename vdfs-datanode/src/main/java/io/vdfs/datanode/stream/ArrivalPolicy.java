package io.vdfs.datanode.stream;

import java.util.List;
import java.util.Optional;

/** First come, first served, a range at a time and nothing ahead. Immutable. */
record ArrivalPolicy() implements ScanPolicy {
  @Override
  public int choose(List<Waiting> waiting, Optional<Extent> last, long now) {
    int oldest = 0;
    for (int scan = 1; scan < waiting.size(); scan++) {
      if (waiting.get(scan).waitingSince() < waiting.get(oldest).waitingSince()) {
        oldest = scan;
      }
    }
    return oldest;
  }

  @Override
  public long run(int waiting, double bytesPerSecond) {
    return 1;
  }

  @Override
  public boolean readsAhead() {
    return false;
  }
}
