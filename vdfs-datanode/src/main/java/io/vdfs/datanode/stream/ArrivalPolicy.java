package io.vdfs.datanode.stream;

import java.util.List;
import java.util.Optional;

/**
 * The scans that wait take turns of one read, the one served longest ago first, and nothing is read
 * ahead: as a kernel serves processes that each read a file of their own. Immutable.
 */
record ArrivalPolicy() implements ScanPolicy {
  @Override
  public int choose(List<Waiting> waiting, Optional<Extent> last, long now) {
    int first = 0;
    for (int scan = 1; scan < waiting.size(); scan++) {
      if (waiting.get(scan).lastTurn() < waiting.get(first).lastTurn()) {
        first = scan;
      }
    }
    return first;
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
