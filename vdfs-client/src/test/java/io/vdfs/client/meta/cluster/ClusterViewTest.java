package io.vdfs.client.meta.cluster;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.fake.FakeClock;
import io.vdfs.client.fake.FakeCluster;
import io.vdfs.client.fake.FakeCluster.Call;
import io.vdfs.client.fake.FakeCluster.Fault;
import io.vdfs.client.meta.control.ControlAddress;
import io.vdfs.client.meta.control.ControlCalls;
import io.vdfs.client.meta.finder.ClusterSources;
import io.vdfs.client.meta.finder.ListedNodes;
import io.vdfs.client.meta.finder.NodeFinder;
import io.vdfs.client.meta.finder.NodeHint;
import io.vdfs.client.meta.finder.SeedNode;
import io.vdfs.client.meta.retry.RetryClock;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.datanode.Await;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ClusterViewTest {
  private static final Duration AGE = Duration.ofMinutes(1);
  private static final Duration LIMIT = Duration.ofMinutes(1);
  private static final Duration CALL_LIMIT = Duration.ofSeconds(30);

  private final FakeCluster cluster = new FakeCluster();
  private final FakeClock clock = new FakeClock();

  private ClusterView view(NodeFinder finder) {
    return new ClusterView(ClusterSources.of(finder), cluster, AGE, LIMIT, clock);
  }

  /** Of a client that was told of node 1, and finds node 0. */
  private ClusterView hinted(UUID clusterId) {
    NodeHint hint = new NodeHint(clusterId, FakeCluster.address(1));
    NodeFinder finder = new SeedNode(FakeCluster.address(0));
    ClusterSources sources =
        new ClusterSources(Optional.empty(), Optional.of(hint), List.of(finder));
    return new ClusterView(sources, cluster, AGE, LIMIT, clock);
  }

  private List<Integer> asked() {
    return cluster.calls().stream().map(Call::node).toList();
  }

  private ClusterView view() {
    return view(new SeedNode(FakeCluster.address(0)));
  }

  @Test
  void shouldAskOnlyWhenUsedAndOld() throws IOException {
    ClusterView view = view();
    assertEquals(Optional.empty(), view.known());
    ClusterDescription first = view.current();
    assertEquals(1, first.ring().epoch());
    assertEquals(FakeCluster.GEOMETRY, first.properties().geometry());

    assertSame(first, view.current());
    assertEquals(1, cluster.calls().size());

    cluster.publishNextRing();
    clock.advance(AGE);
    assertEquals(2, view.current().ring().epoch());
    assertEquals(2, cluster.calls().size());
  }

  @Test
  void shouldAskTheHintedNodeFirst() throws IOException {
    ClusterView view = hinted(cluster.properties().clusterId());

    assertEquals(cluster.properties(), view.current().properties());

    assertEquals(List.of(1), asked());
  }

  @Test
  void shouldFindTheClusterWhenTheHintedNodeIsDead() throws IOException {
    cluster.fault(1, Fault.DEAD);

    assertEquals(1, hinted(cluster.properties().clusterId()).current().ring().epoch());

    assertEquals(0, asked().get(asked().size() - 1));
  }

  @Test
  void shouldFindTheClusterWhenTheHintedNodeRefuses() throws IOException {
    cluster.fault(1, Fault.LOCKED);

    assertEquals(1, hinted(cluster.properties().clusterId()).current().ring().epoch());
  }

  @Test
  void shouldNotTakeTheWordOfAnotherCluster() throws IOException {
    assertEquals(1, hinted(new UUID(8, 8)).current().ring().epoch());

    assertEquals(List.of(1, 0), asked());
  }

  private static NodeFinder listed(int node) {
    return new ListedNodes(List.of(FakeCluster.address(node)), "the.key", new Random(1));
  }

  /** Finds nothing, and counts that it was asked. */
  private static NodeFinder lost(AtomicInteger looks) {
    return new NodeFinder() {
      @Override
      public List<ControlAddress> find() throws VdfsException {
        looks.incrementAndGet();
        throw new VdfsException(ErrorCode.UNAVAILABLE, "cannot reach ZooKeeper");
      }

      @Override
      public String describe() {
        return "ZooKeeper";
      }
    };
  }

  private ClusterView named(String name, NodeFinder... finders) {
    ClusterSources sources =
        new ClusterSources(Optional.of(name), Optional.empty(), List.of(finders));
    return new ClusterView(sources, cluster, AGE, LIMIT, clock);
  }

  @Test
  void shouldNotLookFurtherWhenAListedNodeAnswers() throws IOException {
    AtomicInteger looks = new AtomicInteger();
    ClusterView view = named("test", listed(1), lost(looks));

    view.refresh(view.current());

    assertEquals(List.of(1, 1), asked());
    assertEquals(0, looks.get());
  }

  @Test
  void shouldLookFurtherWhenNoListedNodeAnswers() throws IOException {
    cluster.fault(1, Fault.DEAD);

    assertEquals(1, named("test", listed(1), listed(2)).current().ring().epoch());

    assertEquals(List.of(1, 2), asked());
  }

  @Test
  void shouldNameAllPlacesWhereItLookedWhenNoNodeAnswers() {
    cluster.fault(1, Fault.DEAD);
    cluster.fault(2, Fault.DEAD);

    VdfsException e =
        assertThrows(VdfsException.class, named("test", listed(1), listed(2))::current);

    assertEquals(ErrorCode.UNAVAILABLE, e.code());
    assertTrue(e.getMessage().contains("looked in the nodes of the.key"), e.getMessage());
    assertTrue(e.getMessage().contains("n1:1002 (connection refused"), e.getMessage());
    assertTrue(e.getMessage().contains("n2:1003 (connection refused"), e.getMessage());
  }

  @Test
  void shouldAlsoNameTheNodesThatDidNotAnswerWhenZooKeeperDoesNotEither() {
    cluster.fault(1, Fault.DEAD);
    AtomicInteger looks = new AtomicInteger();

    VdfsException e =
        assertThrows(VdfsException.class, named("test", listed(1), lost(looks))::current);

    assertEquals(1, looks.get());
    assertEquals(ErrorCode.UNAVAILABLE, e.code());
    assertTrue(e.getMessage().startsWith("cannot reach ZooKeeper; "), e.getMessage());
    assertTrue(e.getMessage().contains("n1:1002 (connection refused"), e.getMessage());
  }

  @Test
  void shouldPassOverNodesOfAClusterOfAnotherName() {
    VdfsException e = assertThrows(VdfsException.class, named("main", listed(1))::current);

    assertEquals(ErrorCode.UNAVAILABLE, e.code());
    assertTrue(e.getMessage().contains("expected=main, found=test"), e.getMessage());
    assertEquals(List.of(1), asked());
  }

  @Test
  void shouldAskListedNodesInAnyOrder() {
    List<ControlAddress> nodes = IntStream.range(0, 3).mapToObj(FakeCluster::address).toList();
    ListedNodes finder = new ListedNodes(nodes, "the.key", new Random(1));
    Set<ControlAddress> first = new HashSet<>();
    for (int look = 0; look < 50; look++) {
      List<ControlAddress> found = finder.find();
      assertEquals(Set.copyOf(nodes), Set.copyOf(found));
      first.add(found.get(0));
    }
    assertEquals(Set.copyOf(nodes), first);
  }

  @Test
  void shouldKeepTheRingMapWhenItIsNotSentAgain() throws IOException {
    ClusterView view = view();
    ClusterDescription first = view.current();

    ClusterDescription second = view.refresh(first);

    assertSame(first.ring(), second.ring());
    assertEquals(2, cluster.calls().size());
  }

  @Test
  void shouldNotAskAgainWhenAnotherThreadDid() throws IOException {
    ClusterView view = view();
    ClusterDescription first = view.current();
    ClusterDescription second = view.refresh(first);

    assertSame(second, view.refresh(first));
    assertEquals(2, cluster.calls().size());
  }

  @Test
  void shouldAskAnotherNodeWhenTheFirstIsDead() throws IOException {
    ClusterView view = view();
    ClusterDescription first = view.current();
    cluster.fault(0, Fault.DEAD);
    cluster.publishNextRing();

    ClusterDescription second = view.refresh(first);

    assertEquals(2, second.ring().epoch());
    assertEquals(List.of(cluster.node(1), cluster.node(2)), second.live());
  }

  /** Each of them may take seconds to fail. */
  @Test
  void shouldNotAskAllNodesOfALargeClusterInVain() throws IOException {
    FakeCluster large = new FakeCluster(40);
    ClusterView view =
        new ClusterView(
            ClusterSources.of(new SeedNode(FakeCluster.address(0))), large, AGE, LIMIT, clock);
    ClusterDescription first = view.current();
    for (int node = 0; node < 40; node++) {
      large.fault(node, Fault.DEAD);
    }
    large.forgetCalls();

    assertSame(first, view.refresh(first));

    assertEquals(8, large.calls().size());
  }

  @Test
  void shouldKeepWhatItKnowsWhenNoNodeAnswers() throws IOException {
    ClusterView view = view();
    ClusterDescription first = view.current();
    for (int node = 0; node < FakeCluster.NODES; node++) {
      cluster.fault(node, Fault.DEAD);
    }

    assertSame(first, view.refresh(first));
  }

  @Test
  void shouldSayWhereItLookedWhenNothingIsKnown() {
    cluster.fault(0, Fault.DEAD);

    VdfsException e = assertThrows(VdfsException.class, () -> view().current());

    assertEquals(ErrorCode.UNAVAILABLE, e.code());
    assertTrue(e.getMessage().contains("node n0:1001"), e.getMessage());
    assertTrue(e.getMessage().contains("connection refused"), e.getMessage());
  }

  @Test
  void shouldPassOnWhatTheFinderSaysWhenNothingIsKnown() {
    NodeFinder finder =
        new NodeFinder() {
          @Override
          public List<ControlAddress> find() throws VdfsException {
            throw new VdfsException(ErrorCode.NOT_FOUND, "no such cluster: name=x");
          }

          @Override
          public String describe() {
            return "nowhere";
          }
        };

    VdfsException e = assertThrows(VdfsException.class, () -> view(finder).current());

    assertEquals("no such cluster: name=x", e.getMessage());
  }

  @Test
  void shouldFindTheClusterAgainWhenAllKnownNodesMoved() throws IOException {
    List<ControlAddress> addresses = new ArrayList<>();
    addresses.add(FakeCluster.address(1));
    NodeFinder finder =
        new NodeFinder() {
          @Override
          public List<ControlAddress> find() {
            return List.copyOf(addresses);
          }

          @Override
          public String describe() {
            return "a list";
          }
        };
    cluster.fault(0, Fault.DEAD);
    cluster.fault(2, Fault.DEAD);
    ClusterView view = view(finder);
    ClusterDescription first = view.current();
    cluster.fault(1, Fault.DEAD);
    cluster.fault(2, Fault.NONE);
    cluster.publishNextRing();
    addresses.set(0, FakeCluster.address(2));

    assertEquals(2, view.refresh(first).ring().epoch());
  }

  /** Names this many nodes. */
  private static NodeFinder finder(int nodes) {
    return new NodeFinder() {
      @Override
      public List<ControlAddress> find() {
        return IntStream.range(0, nodes).mapToObj(FakeCluster::address).toList();
      }

      @Override
      public String describe() {
        return "a list";
      }
    };
  }

  /** Nodes that accept a call and answer nothing for as long as one may take. */
  private ControlCalls silent(AtomicInteger count) {
    return (node, method, body) -> {
      count.incrementAndGet();
      clock.advance(CALL_LIMIT);
      throw new VdfsException(ErrorCode.UNAVAILABLE, "no answer in time: node=" + node);
    };
  }

  @Test
  void shouldStopAskingWhenTheTimeIsUp() {
    AtomicInteger calls = new AtomicInteger();
    ClusterView view =
        new ClusterView(ClusterSources.of(finder(16)), silent(calls), AGE, LIMIT, clock);

    assertThrows(VdfsException.class, () -> view.current(Duration.ofSeconds(31)));

    assertEquals(2, calls.get());
    assertEquals(2 * CALL_LIMIT.toNanos(), clock.nanoTime());
  }

  /** So that the caller has time to go on with what is known. */
  @Test
  void shouldTakeHalfOfTheTimeWhereSomethingIsKnown() throws IOException {
    AtomicInteger calls = new AtomicInteger();
    AtomicBoolean hung = new AtomicBoolean();
    ControlCalls silent = silent(calls);
    ClusterView view =
        new ClusterView(
            ClusterSources.of(finder(3)),
            (node, method, body) -> (hung.get() ? silent : cluster).call(node, method, body),
            AGE,
            LIMIT,
            clock);
    ClusterDescription first = view.current();
    hung.set(true);

    assertSame(first, view.refresh(first));

    assertEquals(1, calls.get());
  }

  @Test
  void shouldAskTheNodeThatAnsweredLastFirst() throws IOException {
    ClusterView view = view();
    cluster.fault(0, Fault.MUTE);
    cluster.forgetCalls();
    ClusterView second = new ClusterView(ClusterSources.of(finder(3)), cluster, AGE, LIMIT, clock);
    ClusterDescription snapshot = second.current();
    assertEquals(List.of(0, 1), asked());
    cluster.forgetCalls();

    second.refresh(snapshot);

    assertEquals(List.of(1), asked());
    assertEquals(Optional.empty(), view.known());
  }

  /** Holds up the first call. */
  private static final class HeldUp implements ControlCalls {
    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final AtomicInteger calls = new AtomicInteger();
    private final ControlCalls then;

    HeldUp(ControlCalls then) {
      this.then = then;
    }

    @Override
    public byte[] call(ControlAddress node, String method, byte[] body) throws IOException {
      calls.incrementAndGet();
      asked.countDown();
      try {
        goOn.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException("interrupted", e);
      }
      return then.call(node, method, body);
    }
  }

  private static boolean allWait(List<Thread> threads) {
    return threads.stream().allMatch(t -> t.getState() == Thread.State.TIMED_WAITING);
  }

  @Test
  void shouldHaveAllWaitingThreadsShareOneOutcome() throws Exception {
    HeldUp held =
        new HeldUp(
            (node, method, body) -> {
              throw new VdfsException(ErrorCode.UNAVAILABLE, "no answer: node=" + node);
            });
    ClusterView view = new ClusterView(ClusterSources.of(finder(3)), held, AGE, LIMIT, clock);
    Queue<Exception> failures = new ConcurrentLinkedQueue<>();
    Runnable asking = () -> failures.add(assertThrows(VdfsException.class, view::current));
    Thread first = new Thread(asking);
    first.start();
    held.asked.await();
    List<Thread> others = Stream.generate(() -> new Thread(asking)).limit(8).toList();
    others.forEach(Thread::start);
    Await.awaitThat(() -> allWait(others));
    held.goOn.countDown();

    first.join();
    for (Thread other : others) {
      other.join();
    }
    assertEquals(9, failures.size());
    assertEquals(3, held.calls.get());
  }

  @Test
  void shouldAskItselfWhenTheThreadThatAskedWasInterrupted() throws Exception {
    HeldUp held = new HeldUp(cluster);
    ClusterView view = new ClusterView(ClusterSources.of(finder(3)), held, AGE, LIMIT, clock);
    Thread first = new Thread(() -> assertThrows(InterruptedIOException.class, view::current));
    first.start();
    held.asked.await();
    CompletableFuture<ClusterDescription> result = new CompletableFuture<>();
    Thread second =
        new Thread(
            () -> {
              try {
                result.complete(view.current());
              } catch (IOException e) {
                result.completeExceptionally(e);
              }
            });
    second.start();
    Await.awaitThat(() -> allWait(List.of(second)));
    first.interrupt();
    first.join();
    held.goOn.countDown();

    assertEquals(1, result.get(20, TimeUnit.SECONDS).ring().epoch());
  }

  @Test
  void shouldNotWaitLongerThanItsOwnLimit() throws Exception {
    HeldUp held = new HeldUp(cluster);
    ClusterView view =
        new ClusterView(ClusterSources.of(finder(1)), held, AGE, LIMIT, RetryClock.SYSTEM);
    Thread first = new Thread(() -> assertDoesNotThrow(() -> view.current()));
    first.start();
    held.asked.await();

    VdfsException e = assertThrows(VdfsException.class, () -> view.current(Duration.ofMillis(50)));

    assertEquals(ErrorCode.UNAVAILABLE, e.code());
    held.goOn.countDown();
    first.join();
  }
}
