package io.vdfs.client.place;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.fake.FakeClient;
import io.vdfs.client.fake.FakeCluster;
import io.vdfs.client.fake.FakeCluster.Fault;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LocalNodeTest {
  private final FakeCluster cluster = new FakeCluster();
  private final FakeClient fake = new FakeClient(cluster, "elsewhere");

  @Test
  void shouldPreferTheNodeManagersHost() throws IOException {
    LocalNode local =
        new LocalNode(Optional.of(FakeCluster.host(1)), () -> Set.of(FakeCluster.host(0)));

    assertEquals(Optional.of(cluster.node(1)), local.find(fake.client().cluster()));
  }

  @Test
  void shouldFallBackToThisMachinesNames() throws IOException {
    LocalNode local = new LocalNode(Optional.of("nobody"), () -> Set.of(FakeCluster.host(0)));

    assertEquals(Optional.of(cluster.node(0)), local.find(fake.client().cluster()));
  }

  @Test
  void shouldNotFindADeadNode() throws IOException {
    cluster.fault(1, Fault.DEAD);
    LocalNode local = new LocalNode(Optional.of(FakeCluster.host(1)), Set::of);

    assertEquals(Optional.empty(), local.find(fake.client().cluster()));
  }

  @Test
  void shouldTakeTheNodeManagersHostForThisMachineWhereItHasANode() throws IOException {
    LocalNode named =
        new LocalNode(Optional.of(FakeCluster.host(1)), () -> Set.of(FakeCluster.host(0)));
    LocalNode unknown = new LocalNode(Optional.of("nobody"), () -> Set.of(FakeCluster.host(0)));

    assertTrue(named.isHere(fake.client().cluster(), FakeCluster.host(1)));
    assertFalse(named.isHere(fake.client().cluster(), FakeCluster.host(0)));
    assertTrue(unknown.isHere(fake.client().cluster(), FakeCluster.host(0)));
    assertFalse(unknown.isHere(fake.client().cluster(), FakeCluster.host(1)));
  }

  @Test
  void shouldKnowThisMachineByLocalhost() {
    assertTrue(LocalHosts.names().contains("localhost"));
  }
}
