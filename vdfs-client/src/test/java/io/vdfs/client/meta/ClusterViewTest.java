package io.vdfs.client.meta;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.fake.FakeClock;
import io.vdfs.client.fake.FakeCluster;
import io.vdfs.client.fake.FakeCluster.Call;
import io.vdfs.client.fake.FakeCluster.Fault;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ClusterViewTest {
  private static final Duration AGE = Duration.ofMinutes(1);

  private final FakeCluster cluster = new FakeCluster();
  private final FakeClock clock = new FakeClock();

  private ClusterView view(NodeFinder finder) {
    return new ClusterView(finder, Optional.empty(), cluster, AGE, clock);
  }

  /** Of a client that was told of node 1, and finds node 0. */
  private ClusterView hinted(UUID clusterId) {
    NodeHint hint = new NodeHint(clusterId, FakeCluster.address(1));
    NodeFinder finder = new SeedNode(FakeCluster.address(0));
    return new ClusterView(finder, Optional.of(hint), cluster, AGE, clock);
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
    ClusterSnapshot first = view.current();
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

  @Test
  void shouldKeepTheRingMapWhenItIsNotSentAgain() throws IOException {
    ClusterView view = view();
    ClusterSnapshot first = view.current();

    ClusterSnapshot second = view.refresh(first);

    assertSame(first.ring(), second.ring());
    assertEquals(2, cluster.calls().size());
  }

  @Test
  void shouldNotAskAgainWhenSomebodyElseDid() throws IOException {
    ClusterView view = view();
    ClusterSnapshot first = view.current();
    ClusterSnapshot second = view.refresh(first);

    assertSame(second, view.refresh(first));
    assertEquals(2, cluster.calls().size());
  }

  @Test
  void shouldAskAnotherNodeWhenTheFirstIsDead() throws IOException {
    ClusterView view = view();
    ClusterSnapshot first = view.current();
    cluster.fault(0, Fault.DEAD);
    cluster.publishNextRing();

    ClusterSnapshot second = view.refresh(first);

    assertEquals(2, second.ring().epoch());
    assertEquals(List.of(cluster.node(1), cluster.node(2)), second.live());
  }

  /** Each of whom may take seconds to fail. */
  @Test
  void shouldNotAskAllNodesOfALargeClusterInVain() throws IOException {
    FakeCluster large = new FakeCluster(40);
    ClusterView view =
        new ClusterView(new SeedNode(FakeCluster.address(0)), Optional.empty(), large, AGE, clock);
    ClusterSnapshot first = view.current();
    for (int node = 0; node < 40; node++) {
      large.fault(node, Fault.DEAD);
    }
    large.forgetCalls();

    assertSame(first, view.refresh(first));

    assertEquals(8, large.calls().size());
  }

  @Test
  void shouldKeepWhatItKnowsWhenNobodyAnswers() throws IOException {
    ClusterView view = view();
    ClusterSnapshot first = view.current();
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
    ClusterSnapshot first = view.current();
    cluster.fault(1, Fault.DEAD);
    cluster.fault(2, Fault.NONE);
    cluster.publishNextRing();
    addresses.set(0, FakeCluster.address(2));

    assertEquals(2, view.refresh(first).ring().epoch());
  }
}
