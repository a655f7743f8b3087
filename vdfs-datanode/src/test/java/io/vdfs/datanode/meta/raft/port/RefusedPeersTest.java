package io.vdfs.datanode.meta.raft.port;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vdfs.common.metrics.Counters;
import io.vdfs.datanode.meta.group.GroupCounter;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RefusedPeersTest {
  private final Counters<GroupCounter> counters = new Counters<>(GroupCounter.class);
  private final AtomicLong nanos = new AtomicLong(-1);
  private final List<String> log = new ArrayList<>();
  private final RefusedPeers refusals = new RefusedPeers(counters, nanos::get, log::add);

  private static InetSocketAddress host(int number) {
    return new InetSocketAddress("10.0.0." + number, 1_000 + number);
  }

  @Test
  void shouldTellEachHostOnceAMinuteWithAddressAndCause() {
    for (int i = 0; i < 100; i++) {
      refusals.onPeer(host(7), "no key");
    }
    refusals.onServer("node:9862", "another key");
    assertEquals(
        List.of(
            "refused on the Raft port: peer=/10.0.0.7:1007, cause=no key",
            "no node of this cluster listens at a member's Raft port: address=node:9862,"
                + " cause=another key; compare the fingerprints of both cluster keys, which"
                + " daemons log when they start"),
        log);
    assertEquals(101, counters.get(GroupCounter.REFUSED_PEERS));

    log.clear();
    nanos.addAndGet(Duration.ofMinutes(1).toNanos());
    refusals.onPeer(host(7), "no key");
    assertEquals(
        List.of(
            "refused on the Raft port besides: count=99",
            "refused on the Raft port: peer=/10.0.0.7:1007, cause=no key"),
        log);
  }

  @Test
  void shouldTellOfFewHostsWhereManyKnock() {
    for (int i = 0; i < 200; i++) {
      refusals.onPeer(host(i), "no key");
    }
    assertEquals(RefusedPeers.HOSTS, log.size());
    assertEquals(200, counters.get(GroupCounter.REFUSED_PEERS));
  }
}
