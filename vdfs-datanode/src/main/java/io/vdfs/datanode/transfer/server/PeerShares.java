package io.vdfs.datanode.transfer.server;

import io.vdfs.datanode.transfer.PeerLimits;
import java.util.HashMap;
import java.util.Map;

/** Counts connections, all and by host. Thread-safe: the monitor guards all fields. */
final class PeerShares {
  private final PeerLimits limits;
  private final Map<PeerHost, Integer> byHost = new HashMap<>();
  private int all;

  PeerShares(PeerLimits limits) {
    this.limits = limits;
  }

  /** Whether one more connection from there has a place; {@link #leave} is to follow if so. */
  synchronized boolean enter(PeerHost host) {
    if (all >= limits.connections()
        || (host.limited() && byHost.getOrDefault(host, 0) >= limits.hostConnections())) {
      return false;
    }
    all++;
    byHost.merge(host, 1, Integer::sum);
    return true;
  }

  synchronized void leave(PeerHost host) {
    all--;
    byHost.computeIfPresent(host, (key, count) -> count == 1 ? null : count - 1);
  }
}
