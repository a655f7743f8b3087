package io.vdfs.datanode.meta.raft.port;

import io.vdfs.common.metrics.Counters;
import io.vdfs.datanode.meta.group.GroupCounter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Reports refused peers: all of them in the counter, and in the log each host at most once a
 * minute, and few hosts. Thread-safe.
 */
public final class RefusedPeers {
  private static final long PERIOD_NANOS = Duration.ofMinutes(1).toNanos();
  static final int HOSTS = 10;

  private final Counters<GroupCounter> counters;
  private final LongSupplier nanoClock;
  private final Consumer<String> log;
  private final Set<String> told = new HashSet<>(); // guarded by this
  private long began; // guarded by this
  private int untold; // guarded by this

  public RefusedPeers(
      Counters<GroupCounter> counters, LongSupplier nanoClock, Consumer<String> log) {
    this.counters = counters;
    this.nanoClock = nanoClock;
    this.log = log;
    this.began = nanoClock.getAsLong();
  }

  /** A peer that connected to this member was refused. */
  void onPeer(SocketAddress peer, String cause) {
    counters.increment(GroupCounter.REFUSED_PEERS);
    if (isToBeTold("peer " + host(peer))) {
      log.accept("refused on the Raft port: peer=%s, cause=%s".formatted(peer, cause));
    }
  }

  /** A server to which this member connected is none of the cluster. */
  void onServer(String server, String cause) {
    counters.increment(GroupCounter.REFUSED_PEERS);
    if (isToBeTold("server " + server)) {
      log.accept(
          "no node of this cluster listens at a member's Raft port: address=%s, cause=%s; compare"
                  .formatted(server, cause)
              + " the fingerprints of both cluster keys, which daemons log when they start");
    }
  }

  private static String host(SocketAddress peer) {
    InetAddress address = peer instanceof InetSocketAddress inet ? inet.getAddress() : null;
    return address == null ? String.valueOf(peer) : address.getHostAddress();
  }

  private synchronized boolean isToBeTold(String who) {
    long now = nanoClock.getAsLong();
    if (now - began >= PERIOD_NANOS) {
      if (untold > 0) {
        log.accept("refused on the Raft port besides: count=" + untold);
      }
      began = now;
      untold = 0;
      told.clear();
    }
    boolean tell = told.size() < HOSTS && told.add(who);
    if (!tell) {
      untold++;
    }
    return tell;
  }
}
