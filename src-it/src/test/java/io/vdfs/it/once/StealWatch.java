package io.vdfs.it.once;

import io.vdfs.client.ledger.StreamStatus;
import java.io.IOException;
import java.util.Optional;

/** Detects which node takes blocks of other nodes. Confined to the test's thread. */
final class StealWatch {
  private final RunningOnce job;
  private final long[] stolen = new long[OnceCluster.NODE_MANAGERS];
  private boolean looked;

  StealWatch(RunningOnce job) {
    this.job = job;
  }

  /** A node whose tasks stole since the last look, if there is still something to draw. */
  Optional<Integer> look() throws IOException {
    StreamStatus stream = job.stream();
    Optional<Integer> thief = Optional.empty();
    for (int node = 0; node < stolen.length; node++) {
      long now = job.cluster().status(stream, node).stolenBlocks();
      if (looked && now > stolen[node] && stream.remainingBlocks() > 0) {
        thief = Optional.of(node);
      }
      stolen[node] = now;
    }
    looked = true;
    return thief;
  }
}
