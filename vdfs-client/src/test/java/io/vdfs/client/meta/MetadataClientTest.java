package io.vdfs.client.meta;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.fake.FakeClient;
import io.vdfs.client.fake.FakeClock;
import io.vdfs.client.fake.FakeCluster;
import io.vdfs.client.fake.FakeCluster.Call;
import io.vdfs.client.fake.FakeCluster.Fault;
import io.vdfs.client.meta.cluster.ClusterView;
import io.vdfs.client.meta.control.ControlCalls;
import io.vdfs.client.meta.finder.ClusterSources;
import io.vdfs.client.meta.finder.SeedNode;
import io.vdfs.client.meta.retry.RetryPolicy;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.rpc.ControlMethods;
import io.vdfs.common.rpc.Errors;
import io.vdfs.common.wire.proto.CallIdProto;
import io.vdfs.common.wire.proto.GetStatusQuery;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MkdirsOp;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class MetadataClientTest {
  private final FakeCluster cluster = new FakeCluster();
  private final FakeClient fake = new FakeClient(cluster, "elsewhere");
  private final MetadataClient client = fake.metadata();

  private static MetaRequest mkdirs(String path) {
    return MetaRequest.newBuilder()
        .setMkdirs(MkdirsOp.newBuilder().setPath(path).setMode(0755).setCreateParents(true))
        .build();
  }

  private static MetaRequest status(String path) {
    return MetaRequest.newBuilder().setGetStatus(GetStatusQuery.newBuilder().setPath(path)).build();
  }

  private boolean mkdirsCreated(String path) throws IOException {
    return client.call(mkdirs(path)).getMkdirs().getCreated();
  }

  private List<Call> metaCalls() {
    return cluster.calls(ControlMethods.META);
  }

  private Set<CallIdProto> callIds() {
    return metaCalls().stream()
        .filter(call -> call.request().hasCallId())
        .map(call -> call.request().getCallId())
        .collect(Collectors.toSet());
  }

  @Test
  void shouldFollowTheHintWhenAnotherNodeLeads() throws IOException {
    assertTrue(mkdirsCreated("/a"));
    cluster.leader(2);
    cluster.forgetCalls();

    assertTrue(mkdirsCreated("/b"));

    assertEquals(List.of(0, 2), metaCalls().stream().map(Call::node).toList());
    assertEquals(0, fake.clock().pauses());
  }

  @Test
  void shouldCountCallsAndRedirects() throws IOException {
    client.call(mkdirs("/a"));
    cluster.leader(2);
    client.call(mkdirs("/b"));
    assertThrows(VdfsException.class, () -> client.call(status("/nowhere")));

    Map<String, Long> counters = client.counters();
    assertEquals(2, counters.get("metadata_mkdirs_calls"));
    assertEquals(1, counters.get("metadata_mkdirs_redirects"));
    assertEquals(0, counters.get("metadata_mkdirs_failed"));
    assertEquals(1, counters.get("metadata_get_status_calls"));
    assertEquals(1, counters.get("metadata_get_status_failed"));
    assertEquals(0, counters.get("metadata_get_status_redirects"));
  }

  @Test
  void shouldGoStraightToTheLeaderOnceItIsKnown() throws IOException {
    client.call(mkdirs("/a"));
    cluster.leader(1);
    client.call(mkdirs("/b"));
    cluster.forgetCalls();

    client.call(mkdirs("/c"));

    assertEquals(List.of(1), metaCalls().stream().map(Call::node).toList());
  }

  @Test
  void shouldFindTheLeaderWhenNoNodeNamesIt() throws IOException {
    cluster.leaderKnown(false);
    cluster.leader(2);

    assertTrue(mkdirsCreated("/a"));

    assertTrue(metaCalls().size() <= FakeCluster.NODES);
    assertEquals(1, callIds().size());
  }

  @Test
  void shouldFailOverWhenTheLeaderDies() throws IOException {
    client.call(mkdirs("/a"));
    cluster.fault(0, Fault.DEAD);
    fake.clock().inNextPause(() -> cluster.leader(1));
    cluster.forgetCalls();

    assertTrue(mkdirsCreated("/b"));

    assertEquals(1, callIds().size());
    assertEquals(1, fake.clock().pauses());
  }

  @Test
  void shouldHappenOnceWhenTheAnswerGetsLost() throws IOException {
    client.call(status("/"));
    cluster.fault(0, Fault.MUTE);
    fake.clock()
        .inNextPause(
            () -> {
              cluster.fault(0, Fault.DEAD);
              cluster.leader(1);
            });
    cluster.forgetCalls();

    assertTrue(mkdirsCreated("/once"), "the first outcome, though it ran before");

    List<Call> executed = metaCalls().stream().filter(c -> c.request().hasMkdirs()).toList();
    assertTrue(executed.size() > 1, "it was sent again: calls=" + executed);
    assertEquals(1, callIds().size());
  }

  @Test
  void shouldSayInARetryHowLongAgoTheFirstTryWas() throws IOException {
    client.call(status("/"));
    cluster.fault(0, Fault.MUTE);
    fake.clock().inNextPause(() -> fake.clock().advance(Duration.ofSeconds(30)));
    fake.clock().inNextPause(() -> cluster.fault(0, Fault.NONE));
    cluster.forgetCalls();

    assertTrue(mkdirsCreated("/a"));

    List<Long> ages = metaCalls().stream().map(call -> call.request().getTimeMillis()).toList();
    assertEquals(0, ages.get(0), "the first try");
    assertTrue(ages.stream().skip(1).allMatch(age -> age > 0), ages::toString);
    assertEquals(ages.stream().sorted().toList(), ages);
    long last = ages.get(ages.size() - 1);
    assertEquals(Duration.ofNanos(fake.clock().nanoTime()).toMillis() + 1, last);
    assertTrue(last > 30_000, ages::toString);
    assertEquals(1, callIds().size());
  }

  @Test
  void shouldNotGoOnWhenNobodyKnowsWhatBecameOfTheFirstTry() throws IOException {
    fake.view().current();
    AtomicInteger asked = new AtomicInteger();
    ControlCalls forgetful =
        (address, method, body) -> {
          boolean first = asked.incrementAndGet() == 1;
          return Errors.response(
                  first ? ErrorCode.UNAVAILABLE : ErrorCode.OUTCOME_UNKNOWN, "no outcome")
              .toByteArray();
        };
    MetadataClient hung =
        new MetadataClient(
            fake.view(),
            forgetful,
            RetryPolicy.DEFAULT,
            fake.clock(),
            new Random(1),
            UUID.randomUUID());

    VdfsException e = assertThrows(VdfsException.class, () -> hung.call(mkdirs("/a")));

    assertEquals(ErrorCode.OUTCOME_UNKNOWN, e.code());
    assertEquals(2, asked.get());
  }

  @Test
  void shouldUseANewCallIdForEachCall() throws IOException {
    client.call(mkdirs("/a"));
    client.call(mkdirs("/a"));

    assertEquals(2, callIds().size());
    assertEquals(1, callIds().stream().map(CallIdProto::getClientId).distinct().count());
  }

  @Test
  void shouldTryAgainWhileTheLeaderIsBusy() throws IOException {
    cluster.fault(0, Fault.BUSY);
    fake.clock().inNextPause(() -> {});
    fake.clock().inNextPause(() -> cluster.fault(0, Fault.NONE));

    assertTrue(mkdirsCreated("/a"));

    assertEquals(2, fake.clock().pauses());
  }

  @Test
  void shouldNameWhatItTriedWhenTimeIsUp() throws IOException {
    client.call(status("/"));
    cluster.fault(0, Fault.DEAD);
    cluster.fault(1, Fault.BUSY);
    long begin = fake.clock().nanoTime();

    VdfsException e = assertThrows(VdfsException.class, () -> client.call(mkdirs("/a")));

    assertEquals(ErrorCode.UNAVAILABLE, e.code());
    assertTrue(e.getMessage().contains("n0:1001 (connection refused"), e.getMessage());
    assertTrue(e.getMessage().contains("n1:1002 (no majority)"), e.getMessage());
    assertTrue(e.getMessage().contains("n2:1003 (not the leader)"), e.getMessage());
    long seconds = (fake.clock().nanoTime() - begin) / 1_000_000_000;
    assertTrue(seconds >= 50 && seconds <= 60, "seconds=" + seconds);
  }

  @Test
  void shouldAskNoFurtherNodeWhenTheTimeIsUpWithinARound() throws IOException {
    fake.view().current();
    AtomicInteger asked = new AtomicInteger();
    ControlCalls slow =
        (address, method, body) -> {
          asked.incrementAndGet();
          fake.clock().advance(RetryPolicy.DEFAULT.total().multipliedBy(2).dividedBy(3));
          throw new VdfsException(ErrorCode.UNAVAILABLE, "no answer in time: node=" + address);
        };
    MetadataClient cutOff =
        new MetadataClient(
            fake.view(), slow, RetryPolicy.DEFAULT, fake.clock(), new Random(1), UUID.randomUUID());

    assertThrows(VdfsException.class, () -> cutOff.call(status("/a")));

    assertEquals(2, asked.get(), "of three in a round");
  }

  @Test
  void shouldPassOnARefusalAtOnce() {
    VdfsException e = assertThrows(VdfsException.class, () -> client.call(status("/none")));

    assertEquals(ErrorCode.NOT_FOUND, e.code());
    assertEquals(1, metaCalls().size());
  }

  @Test
  void shouldNotShopForANodeThatAcceptsTheUser() throws IOException {
    client.call(status("/"));
    cluster.fault(0, Fault.LOCKED);
    cluster.forgetCalls();

    VdfsException e = assertThrows(VdfsException.class, () -> client.call(status("/")));

    assertEquals(ErrorCode.PERMISSION_DENIED, e.code());
    assertEquals(List.of(), metaCalls());
  }

  @Test
  void shouldEndWhenInterrupted() throws IOException {
    client.call(status("/"));
    for (int node = 0; node < FakeCluster.NODES; node++) {
      cluster.fault(node, Fault.BUSY);
    }
    fake.clock().inNextPause(() -> Thread.currentThread().interrupt());

    assertThrows(InterruptedIOException.class, () -> client.call(mkdirs("/a")));

    assertTrue(Thread.interrupted(), "the flag stays for the caller");
  }

  /** Nodes accept calls and answer none, from the moment when the client's knowledge is old. */
  @Test
  void shouldKeepItsTimeWhenNodesAnswerNothing() throws IOException {
    Duration callLimit = Duration.ofSeconds(30);
    AtomicBoolean silent = new AtomicBoolean();
    AtomicInteger unanswered = new AtomicInteger();
    FakeClock clock = new FakeClock();
    FakeCluster large = new FakeCluster(24);
    ControlCalls calls =
        (node, method, body) -> {
          if (!silent.get()) {
            return large.call(node, method, body);
          }
          unanswered.incrementAndGet();
          clock.advance(callLimit);
          throw new VdfsException(ErrorCode.UNAVAILABLE, "no answer in time: node=" + node);
        };
    Duration total = RetryPolicy.DEFAULT.total();
    ClusterView view =
        new ClusterView(
            ClusterSources.of(new SeedNode(FakeCluster.address(0))),
            calls,
            Duration.ofMinutes(1),
            total,
            clock);
    MetadataClient metadata =
        new MetadataClient(
            view, calls, RetryPolicy.DEFAULT, clock, new Random(42), UUID.randomUUID());
    metadata.call(mkdirs("/a"));
    silent.set(true);
    clock.advance(Duration.ofHours(1));
    long begun = clock.nanoTime();

    assertThrows(VdfsException.class, () -> metadata.call(mkdirs("/b")));

    assertTrue(unanswered.get() >= 2);
    Duration took = Duration.ofNanos(clock.nanoTime() - begun);
    assertTrue(took.compareTo(total.plus(callLimit)) <= 0, took::toString);
  }
}
