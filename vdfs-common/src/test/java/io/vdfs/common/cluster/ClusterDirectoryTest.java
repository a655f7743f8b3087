package io.vdfs.common.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingCodec;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.ring.RingPlanner;
import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ClusterDirectoryTest {
  private static final String KEY = "fs.vdfs.cluster.demo.zookeeper";
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final int ARCS = 60;

  private TestingServer server;

  @BeforeEach
  void startServer() throws Exception {
    server = new TestingServer(true);
  }

  @AfterEach
  void stopServer() throws IOException {
    server.close();
  }

  @Test
  void shouldReadThePropertiesOfAFormattedCluster() throws VdfsException {
    ClusterProperties properties = properties();
    ClusterFormat.format(settings(), "demo", properties, false);
    try (ClusterDirectory directory = ClusterDirectory.open(settings(), "demo")) {
      assertEquals(properties, directory.properties());
      assertEquals(Optional.empty(), directory.ringMap());
      assertTrue(directory.liveNodes().isEmpty());
      assertEquals(Optional.empty(), directory.metadataGroup());
    }
  }

  @Test
  void shouldNameAddressAndKeyWhenNothingAnswers() throws IOException {
    int port;
    try (ServerSocket closed = new ServerSocket(0)) {
      port = closed.getLocalPort();
    }
    String address = "localhost:" + port;
    VdfsException e = refusal(settings(address, Duration.ofSeconds(1)), "demo");
    assertEquals(ErrorCode.UNAVAILABLE, e.code());
    assertMentions(e, address, KEY);
  }

  @Test
  void shouldNameAddressAndKeyWhenTheAddressCannotBeOne() {
    for (String address : List.of("", " ", "host:port", "host:2181:x", "no host")) {
      VdfsException e = refusal(settings(address, Duration.ofSeconds(1)), "demo");
      assertEquals(ErrorCode.MISCONFIGURED, e.code(), address);
      assertMentions(e, KEY + "=" + address);
    }
  }

  @Test
  void shouldNameTheClustersThereAreWhenTheNameIsUnknown() throws VdfsException {
    assertMentions(refusal(settings(), "demo"), "name=demo", "existing=[]", "vdfs format");
    ClusterFormat.format(settings(), "other", properties(), false);
    ClusterFormat.format(settings(), "another", properties(), false);
    VdfsException e = refusal(settings(), "demo");
    assertEquals(ErrorCode.NOT_FOUND, e.code());
    assertMentions(e, "name=demo", "existing=[another, other]", "vdfs format");
  }

  @Test
  void shouldRefuseNamesThatAreNoAuthority() {
    for (String name : List.of("", ".", "a/b", "-a", "a b", "a:1", "../x")) {
      assertEquals(ErrorCode.INVALID_ARGUMENT, refusal(settings(), name).code(), name);
    }
  }

  @Test
  void shouldFormatANameOnce() throws VdfsException {
    ClusterProperties properties = properties();
    ClusterFormat.format(settings(), "demo", properties, false);
    VdfsException e =
        assertThrows(
            VdfsException.class,
            () -> ClusterFormat.format(settings(), "demo", properties(), false));
    assertEquals(ErrorCode.ALREADY_EXISTS, e.code());
    assertMentions(e, "name=demo", properties.clusterId().toString(), "--force");
    try (ClusterDirectory directory = ClusterDirectory.open(settings(), "demo")) {
      assertEquals(properties, directory.properties());
    }
  }

  @Test
  void shouldStartOverWhenForced() throws Exception {
    ClusterFormat.format(settings(), "demo", properties(), true);
    ClusterProperties second = properties();
    try (ClusterDirectory directory = ClusterDirectory.open(settings(), "demo")) {
      create(directory, directory.paths().ring(), RingCodec.encode(ring()), false);
      ClusterFormat.format(settings(), "demo", second, true);
    }
    try (ClusterDirectory directory = ClusterDirectory.open(settings(), "demo")) {
      assertEquals(second, directory.properties());
      assertEquals(Optional.empty(), directory.ringMap());
    }
  }

  @Test
  void shouldRefuseToStartOverWhileNodesAreAlive() throws Exception {
    ClusterProperties properties = properties();
    ClusterFormat.format(settings(), "demo", properties, false);
    try (ClusterDirectory directory = ClusterDirectory.open(settings(), "demo")) {
      LiveNode node = live(1);
      create(directory, directory.paths().node(node.id()), ClusterCodec.encode(node), true);
      VdfsException e =
          assertThrows(
              VdfsException.class,
              () -> ClusterFormat.format(settings(), "demo", properties(), true));
      assertEquals(ErrorCode.ALREADY_EXISTS, e.code());
      assertMentions(e, "name=demo", "host-1/" + node.id(), "stop them");
    }
    try (ClusterDirectory directory = ClusterDirectory.open(settings(), "demo")) {
      assertEquals(properties, directory.properties());
    }
  }

  @Test
  void shouldFollowNodesRingAndMetadataGroup() throws Exception {
    ClusterFormat.format(settings(), "demo", properties(), false);
    try (ClusterDirectory writer = ClusterDirectory.open(settings(), "demo");
        ClusterDirectory reader = ClusterDirectory.open(settings(), "demo")) {
      LiveNode node = live(1);
      create(writer, writer.paths().node(node.id()), ClusterCodec.encode(node), true);
      assertEquals(node, reader.await("a node", s -> first(s), LIMIT));
      RingMap ring = ring();
      create(writer, writer.paths().ring(), RingCodec.encode(ring), false);
      assertEquals(ring, reader.awaitRingMap(1, LIMIT));
      MetadataGroup group =
          new MetadataGroup(UUID.randomUUID(), List.of(MetadataMember.of(node.node())));
      create(writer, writer.paths().metadata(), ClusterCodec.encode(group), false);
      assertEquals(group, reader.await("group", ClusterSnapshot::metadataGroup, LIMIT));
      writer.curator().delete().forPath(writer.paths().node(node.id()));
      reader.await("departure", s -> Optional.of(s).filter(x -> x.liveNodes().isEmpty()), LIMIT);
      assertEquals(Optional.of(ring), reader.ringMap());
    }
  }

  @Test
  void shouldSeeWhatWasThereBefore() throws Exception {
    ClusterFormat.format(settings(), "demo", properties(), false);
    try (ClusterDirectory writer = ClusterDirectory.open(settings(), "demo")) {
      LiveNode node = live(1);
      create(writer, writer.paths().node(node.id()), ClusterCodec.encode(node), true);
      create(writer, writer.paths().ring(), RingCodec.encode(ring()), false);
      try (ClusterDirectory reader = ClusterDirectory.open(settings(), "demo")) {
        assertEquals(Optional.of(ring()), reader.ringMap());
        assertEquals(Set.of(node.id()), reader.liveNodes().keySet());
      }
    }
  }

  @Test
  void shouldKeepTheLastGoodValueWhenZooKeeperHoldsRubbish() throws Exception {
    ClusterFormat.format(settings(), "demo", properties(), false);
    try (ClusterDirectory directory = ClusterDirectory.open(settings(), "demo")) {
      String ringPath = directory.paths().ring();
      RingMap second = new RingMap(2, 1, ring().arcs(), ring().nodes());
      create(directory, ringPath, RingCodec.encode(second), false);
      directory.awaitRingMap(2, LIMIT);
      directory.curator().setData().forPath(ringPath, new byte[] {1, 2, 3});
      directory.curator().setData().forPath(ringPath, RingCodec.encode(ring()));
      create(directory, directory.paths().nodes() + "/rubbish", new byte[] {9}, true);
      LiveNode foreign = live(1);
      String foreignPath = directory.paths().node(live(2).id());
      create(directory, foreignPath, ClusterCodec.encode(foreign), true);
      LiveNode good = live(3);
      create(directory, directory.paths().node(good.id()), ClusterCodec.encode(good), true);
      assertEquals(good, directory.await("the good node", s -> first(s), LIMIT));
      assertEquals(Optional.of(second), directory.ringMap());
      assertEquals(Set.of(good.id()), directory.liveNodes().keySet());
      RingMap third = new RingMap(3, 1, ring().arcs(), ring().nodes());
      directory.curator().setData().forPath(ringPath, RingCodec.encode(third));
      assertEquals(third, directory.awaitRingMap(3, LIMIT));
    }
  }

  @Test
  void shouldSampleLiveNodesThatCanBeRead() throws Exception {
    ClusterFormat.format(settings(), "demo", properties(), false);
    assertEquals(List.of(), LiveNodeSample.take(settings(), "demo", 3, new Random(1)));
    try (ClusterDirectory directory = ClusterDirectory.open(settings(), "demo")) {
      Set<LiveNode> nodes = new HashSet<>();
      for (int number = 1; number <= 9; number++) {
        LiveNode node = live(number);
        create(directory, directory.paths().node(node.id()), ClusterCodec.encode(node), true);
        nodes.add(node);
      }
      create(directory, directory.paths().nodes() + "/rubbish", new byte[] {9}, true);
      String foreignPath = directory.paths().node(live(11).id());
      create(directory, foreignPath, ClusterCodec.encode(live(12)), true);
      Set<LiveNode> seen = new HashSet<>();
      for (int seed = 0; seed < 20; seed++) {
        List<LiveNode> sample = LiveNodeSample.take(settings(), "demo", 3, new Random(seed));
        assertEquals(3, Set.copyOf(sample).size());
        seen.addAll(sample);
      }
      assertEquals(nodes, seen);
      assertEquals(nodes, Set.copyOf(LiveNodeSample.take(settings(), "demo", 100, new Random(1))));
    }
  }

  @Test
  void shouldNameTheClustersThereAreWhenThatToSampleIsUnknown() throws VdfsException {
    ClusterFormat.format(settings(), "other", properties(), false);
    VdfsException e =
        assertThrows(
            VdfsException.class, () -> LiveNodeSample.take(settings(), "demo", 3, new Random(1)));
    assertEquals(ErrorCode.NOT_FOUND, e.code());
    assertMentions(e, "name=demo", "existing=[other]");
  }

  @Test
  void shouldLookAgainWhenTheConnectionBroke() throws Exception {
    ClusterFormat.format(settings(), "demo", properties(), false);
    ZooKeeperSettings settings = settings(server.getConnectString(), Duration.ofMillis(500));
    String path = ClusterPaths.of("/vdfs", "demo").cluster();
    try (ZooKeeperLook look = ZooKeeperLook.open(settings());
        ZooKeeperLook hasty = ZooKeeperLook.open(settings)) {
      assertTrue(look.exists(path));
      server.stop();

      long start = System.nanoTime();
      VdfsException e = assertThrows(VdfsException.class, () -> hasty.data(path));
      assertEquals(ErrorCode.UNAVAILABLE, e.code());
      assertInstanceOf(KeeperException.ConnectionLossException.class, e.getCause());
      assertMentions(e, "action=read " + path, server.getConnectString());
      assertTrue(System.nanoTime() - start >= settings.connectionTimeout().toNanos());

      server.restart();
      assertTrue(look.data(path).isPresent());
      assertEquals(Optional.empty(), look.data(path + "/none"));
      assertEquals(Optional.empty(), look.children(path + "/none"));
    }
  }

  @Test
  void shouldNameAddressAndKeyWhenThereIsNothingToSampleFrom() {
    String address = "127.0.0.1:1";
    VdfsException e =
        assertThrows(
            VdfsException.class,
            () ->
                LiveNodeSample.take(
                    settings(address, Duration.ofMillis(200)), "demo", 3, new Random(1)));
    assertEquals(ErrorCode.UNAVAILABLE, e.code());
    assertMentions(e, "address=" + address, KEY);
  }

  @Test
  void shouldTellListenersThePresentStateFirst() throws Exception {
    ClusterFormat.format(settings(), "demo", properties(), false);
    try (ClusterDirectory directory = ClusterDirectory.open(settings(), "demo")) {
      BlockingQueue<ClusterSnapshot> heard = new LinkedBlockingQueue<>();
      directory.addListener(heard::add);
      assertEquals(directory.snapshot(), heard.poll(20, TimeUnit.SECONDS));
      create(directory, directory.paths().ring(), RingCodec.encode(ring()), false);
      assertEquals(Optional.of(ring()), heard.poll(20, TimeUnit.SECONDS).ringMap());
    }
  }

  @Test
  void shouldSayWhatItWaitedFor() throws VdfsException {
    ClusterFormat.format(settings(), "demo", properties(), false);
    try (ClusterDirectory directory = ClusterDirectory.open(settings(), "demo")) {
      VdfsException e =
          assertThrows(VdfsException.class, () -> directory.awaitRingMap(7, Duration.ofMillis(50)));
      assertEquals(ErrorCode.UNAVAILABLE, e.code());
      assertMentions(e, "epoch 7", "cluster=demo", "liveNodes=0", "expectedNodes=3");
    }
  }

  @Test
  void shouldCatchUpAfterZooKeeperWasAway() throws Exception {
    ClusterFormat.format(settings(), "demo", properties(), false);
    try (ClusterDirectory writer = ClusterDirectory.open(settings(), "demo");
        ClusterDirectory reader = ClusterDirectory.open(settings(), "demo")) {
      create(writer, writer.paths().ring(), RingCodec.encode(ring()), false);
      reader.awaitRingMap(1, LIMIT);
      server.restart();
      RingMap second = new RingMap(2, 1, ring().arcs(), ring().nodes());
      writer.curator().setData().forPath(writer.paths().ring(), RingCodec.encode(second));
      assertEquals(second, reader.awaitRingMap(2, LIMIT));
    }
  }

  @Test
  void shouldLeaveNoThreadsBehind() throws Exception {
    ClusterFormat.format(settings(), "demo", properties(), false);
    Set<Thread> before = clientThreads();
    ClusterDirectory directory = ClusterDirectory.open(settings(), "demo");
    Set<Thread> added = clientThreads();
    added.removeAll(before);
    assertFalse(added.isEmpty());
    directory.close();
    for (Thread thread : added) {
      thread.join(20_000);
      assertFalse(thread.isAlive(), thread.getName());
    }
    directory.close();
  }

  private Set<Thread> clientThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> !thread.getName().matches(".*(NIOWorker|NIOServer|SyncThread|Proc).*"))
        .filter(thread -> thread.getThreadGroup() != null)
        .filter(thread -> !thread.getThreadGroup().getName().equals("system"))
        .collect(Collectors.toSet());
  }

  private static Optional<LiveNode> first(ClusterSnapshot snapshot) {
    return snapshot.liveNodes().values().stream().findFirst();
  }

  private static void create(
      ClusterDirectory directory, String path, byte[] data, boolean ephemeral) throws Exception {
    CreateMode mode = ephemeral ? CreateMode.EPHEMERAL : CreateMode.PERSISTENT;
    assertEquals(path, directory.curator().create().withMode(mode).forPath(path, data));
  }

  private static VdfsException refusal(ZooKeeperSettings settings, String name) {
    VdfsException e =
        assertThrows(VdfsException.class, () -> ClusterDirectory.open(settings, name).close());
    assertFalse(e.getMessage().contains("\n"), e.getMessage());
    return e;
  }

  private static void assertMentions(VdfsException e, String... parts) {
    for (String part : parts) {
      assertTrue(e.getMessage().contains(part), e.getMessage());
    }
  }

  private ZooKeeperSettings settings() {
    return settings(server.getConnectString(), Duration.ofSeconds(20));
  }

  private static ZooKeeperSettings settings(String address, Duration connectionTimeout) {
    return new ZooKeeperSettings(address, KEY, "/vdfs", Duration.ofSeconds(20), connectionTimeout);
  }

  private static ClusterProperties properties() {
    ClusterGeometry geometry = new ClusterGeometry(1 << 16, 4, 1 << 12, ARCS);
    return new ClusterProperties(
        UUID.randomUUID(), geometry, 3, 3, 3, "vdfs", "supergroup", 1 << 20);
  }

  private static LiveNode live(int number) {
    RingNode node =
        new RingNode(new NodeId(new UUID(0, number)), "host-" + number, 1, 2, 3, 0, "/r", 2, 1);
    return new LiveNode(
        node, new UUID(1, number), Instant.ofEpochMilli(5), Duration.ofSeconds(20), false);
  }

  private static RingMap ring() {
    return RingPlanner.plan(Optional.empty(), List.of(live(1).node()), 3, ARCS).map();
  }
}
