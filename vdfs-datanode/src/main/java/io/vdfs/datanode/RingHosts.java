package io.vdfs.datanode;

import io.vdfs.common.cluster.record.ClusterSnapshot;
import io.vdfs.common.concurrent.DaemonThreads;
import io.vdfs.common.ring.RingNode;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Tells whether an address is one of the ring's hosts. Names are looked up in the background, when
 * the ring has changed and, for hosts that get new addresses, now and then while unknown hosts
 * connect. Thread-safe; never blocks.
 */
final class RingHosts implements Predicate<InetAddress>, AutoCloseable {
  private static final Duration STALE = Duration.ofMinutes(1);

  private record Known(Set<String> hosts, Set<InetAddress> addresses, long since) {}

  private final Supplier<ClusterSnapshot> cluster;
  private final LongSupplier nanoClock;
  private final ExecutorService lookUps;
  private final AtomicBoolean looking = new AtomicBoolean();
  private volatile Known known;

  RingHosts(Supplier<ClusterSnapshot> cluster) {
    this(
        cluster,
        System::nanoTime,
        Executors.newSingleThreadExecutor(DaemonThreads.named("vdfs-ring-hosts")));
  }

  /**
   * @param cluster as this node knows it now; quick
   * @param lookUps runs what may block; closed with this object
   */
  RingHosts(Supplier<ClusterSnapshot> cluster, LongSupplier nanoClock, ExecutorService lookUps) {
    this.cluster = cluster;
    this.nanoClock = nanoClock;
    this.lookUps = lookUps;
    this.known = new Known(Set.of(), Set.of(), nanoClock.getAsLong() - STALE.toNanos());
  }

  @Override
  public boolean test(InetAddress address) {
    Known now = known;
    if (now.addresses().contains(address)) {
      return true;
    }
    Set<String> hosts = hosts();
    boolean stale = nanoClock.getAsLong() - now.since() >= STALE.toNanos();
    if ((stale || !now.hosts().equals(hosts)) && looking.compareAndSet(false, true)) {
      lookUp(hosts);
    }
    return false;
  }

  private Set<String> hosts() {
    ClusterSnapshot now = cluster.get();
    Collection<RingNode> ring =
        now.ringMap().<Collection<RingNode>>map(map -> map.nodes().values()).orElse(List.of());
    Set<String> hosts = new HashSet<>();
    ring.forEach(node -> hosts.add(node.host()));
    now.liveNodes().values().forEach(live -> hosts.add(live.node().host()));
    return hosts;
  }

  private void lookUp(Set<String> hosts) {
    try {
      lookUps.execute(
          () -> {
            known = new Known(hosts, addresses(hosts), nanoClock.getAsLong());
            looking.set(false);
          });
    } catch (RejectedExecutionException e) {
      // the node stops: no peer is let in any more
      looking.set(false);
    }
  }

  private static Set<InetAddress> addresses(Set<String> hosts) {
    Set<InetAddress> addresses = new HashSet<>();
    for (String host : hosts) {
      try {
        addresses.addAll(List.of(InetAddress.getAllByName(host)));
      } catch (UnknownHostException e) {
        // no peer connects from a host without an address
      }
    }
    return addresses;
  }

  @Override
  public void close() {
    lookUps.shutdownNow();
  }
}
