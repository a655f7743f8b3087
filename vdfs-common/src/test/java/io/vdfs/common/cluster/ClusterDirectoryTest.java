package io.vdfs.common.cluster;

import static org.apache.zookeeper.ZooDefs.Ids.OPEN_ACL_UNSAFE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.cluster.record.ClusterCodec;
import io.vdfs.common.cluster.record.ClusterCopy;
import io.vdfs.common.cluster.record.ClusterProperties;
import io.vdfs.common.cluster.record.ClusterSnapshot;
import io.vdfs.common.cluster.record.DeclaredGone;
import io.vdfs.common.cluster.record.LiveNode;
import io.vdfs.common.cluster.record.MetadataGroup;
import io.vdfs.common.cluster.record.MetadataMember;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.Placement;
import io.vdfs.common.ring.RingCodec;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.ring.RingPlanner;
import io.vdfs.common.security.ClusterKey;
import java.io.IOException;
import java.net.ServerSocket;
import java.security.SecureRandom;
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
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

@Timeout(60)
class ClusterDirectoryTest {
  private static final String KEY = "fs.vdfs.cluster.demo.zookeeper";
  private static final Duration LIMIT = Duration.ofSeconds(20);
  private static final int ARCS = 60;
  private static final ClusterKey SECRET = ClusterKey.generate(new SecureRandom());

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
    ClusterFormat.format(settings(), "demo", properties, SECRET, false);
    try (ClusterDirectory directory = open()) {
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
    ClusterFormat.format(settings(), "other", properties(), SECRET, false);
    ClusterFormat.format(settings(), "another", properties(), SECRET, false);
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
    ClusterFormat.format(settings(), "demo", properties, SECRET, false);
    VdfsException e =
        assertThrows(
            VdfsException.class,
            () -> ClusterFormat.format(settings(), "demo", properties(), SECRET, false));
    assertEquals(ErrorCode.ALREADY_EXISTS, e.code());
    assertMentions(e, "name=demo", properties.clusterId().toString(), "--force");
    try (ClusterDirectory directory = open()) {
      assertEquals(properties, directory.properties());
    }
  }

  @Test
  void shouldStartOverWhenForced() throws Exception {
    ClusterFormat.format(settings(), "demo", properties(), SECRET, true);
    ClusterProperties second = properties();
    try (ClusterDirectory directory = open()) {
      create(directory, directory.paths().ring(), RingCodec.encode(ring()), false);
      ClusterFormat.format(settings(), "demo", second, SECRET, true);
    }
    try (ClusterDirectory directory = open()) {
      assertEquals(second, directory.properties());
      assertEquals(Optional.empty(), directory.ringMap());
    }
  }

  @Test
  void shouldRefuseToStartOverWhileNodesAreAlive() throws Exception {
    ClusterProperties properties = properties();
    ClusterFormat.format(settings(), "demo", properties, SECRET, false);
    try (ClusterDirectory directory = open()) {
      LiveNode node = live(1);
      create(directory, directory.paths().node(node.id()), ClusterCodec.encode(node), true);
      VdfsException e =
          assertThrows(
              VdfsException.class,
              () -> ClusterFormat.format(settings(), "demo", properties(), SECRET, true));
      assertEquals(ErrorCode.ALREADY_EXISTS, e.code());
      assertMentions(e, "name=demo", "host-1/" + node.id(), "stop them");
    }
    try (ClusterDirectory directory = open()) {
      assertEquals(properties, directory.properties());
    }
  }

  @Test
  void shouldFollowNodesRingAndMetadataGroup() throws Exception {
    ClusterFormat.format(settings(), "demo", properties(), SECRET, false);
    try (ClusterDirectory writer = open();
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
    ClusterFormat.format(settings(), "demo", properties(), SECRET, false);
    try (ClusterDirectory writer = open()) {
      LiveNode node = live(1);
      create(writer, writer.paths().node(node.id()), ClusterCodec.encode(node), true);
      create(writer, writer.paths().ring(), RingCodec.encode(ring()), false);
      try (ClusterDirectory reader = open()) {
        assertEquals(Optional.of(ring()), reader.ringMap());
        assertEquals(Set.of(node.id()), reader.liveNodes().keySet());
      }
    }
  }

  @Test
  void shouldKeepTheLastGoodValueWhenZooKeeperHoldsRubbish() throws Exception {
    ClusterFormat.format(settings(), "demo", properties(), SECRET, false);
    try (ClusterDirectory directory = open()) {
      String ringPath = directory.paths().ring();
      RingMap second = new RingMap(2, 1, Placement.TURN, ring().arcs(), ring().nodes());
      create(directory, ringPath, RingCodec.encode(second), false);
      directory.awaitRingMap(2, LIMIT);
      directory.curator().setData().forPath(ringPath, new byte[] {1, 2, 3});
      write(directory, ringPath, RingCodec.encode(ring()));
      put(directory, directory.paths().nodes() + "/rubbish", new byte[] {9}, true);
      LiveNode foreign = live(1);
      String foreignPath = directory.paths().node(live(2).id());
      create(directory, foreignPath, ClusterCodec.encode(foreign), true);
      LiveNode good = live(3);
      create(directory, directory.paths().node(good.id()), ClusterCodec.encode(good), true);
      assertEquals(good, directory.await("the good node", s -> first(s), LIMIT));
      assertEquals(Optional.of(second), directory.ringMap());
      assertEquals(Set.of(good.id()), directory.liveNodes().keySet());
      RingMap third = new RingMap(3, 1, Placement.TURN, ring().arcs(), ring().nodes());
      write(directory, ringPath, RingCodec.encode(third));
      assertEquals(third, directory.awaitRingMap(3, LIMIT));
    }
  }

  /** A session without the cluster key, as anybody has one. */
  private CuratorFramework stranger() {
    CuratorFramework curator =
        CuratorFrameworkFactory.newClient(server.getConnectString(), new RetryOneTime(100));
    curator.start();
    return curator;
  }

  @Test
  void shouldLetOnlyNodesChangeWhatOthersFollow() throws Exception {
    ClusterFormat.format(settings(), "demo", properties(), SECRET, false);
    ClusterKey otherSecret = ClusterKey.generate(new SecureRandom());
    try (ClusterDirectory node = open();
        CuratorFramework stranger = stranger()) {
      LiveNode live = live(1);
      ClusterPaths paths = node.paths();
      create(node, paths.node(live.id()), ClusterCodec.encode(live), true);
      create(node, paths.ring(), RingCodec.encode(ring()), false);
      for (String path :
          List.of(paths.cluster(), paths.ring(), paths.node(live.id()), paths.root())) {
        assertRefused(() -> stranger.setData().forPath(path, new byte[] {1}));
        assertRefused(() -> stranger.setACL().withACL(OPEN_ACL_UNSAFE).forPath(path));
      }
      for (String path : List.of(paths.cluster(), paths.ring(), paths.node(live.id()))) {
        assertRefused(() -> stranger.delete().forPath(path));
      }
      for (String parent : List.of(paths.root(), paths.nodes())) {
        assertRefused(() -> stranger.create().forPath(parent + "/mine", new byte[0]));
      }
      assertTrue(stranger.getData().forPath(paths.ring()).length > 0, "anybody may read");

      // the root of all clusters is open to all
      ClusterFormat.format(settings(), "other", properties(), otherSecret, false);
      VdfsException foreign =
          assertThrows(
              VdfsException.class,
              () -> ClusterFormat.format(settings(), "demo", properties(), otherSecret, true));
      assertEquals(ErrorCode.ALREADY_EXISTS, foreign.code(), foreign.getMessage());
      assertEquals(Optional.of(ring()), node.ringMap());
      assertEquals(Set.of(live.id()), node.liveNodes().keySet());
    }
  }

  private static void assertRefused(Executable change) {
    assertThrows(KeeperException.NoAuthException.class, change);
  }

  /** On a ZooKeeper that lets a process write that is no node. */
  @Test
  void shouldIgnoreWhatNoNodeWrote() throws Exception {
    ClusterFormat.format(settings(), "demo", properties(), SECRET, false);
    try (ClusterDirectory directory = open()) {
      ClusterPaths paths = directory.paths();
      LiveNode node = live(1);
      RingMap ring = ring();
      create(directory, paths.ring(), RingCodec.encode(ring), false);
      directory.awaitRingMap(1, LIMIT);
      RingMap forged = new RingMap(9, 1, Placement.TURN, ring.arcs(), ring.nodes());
      SignedRecords foreign = SignedRecords.by(ClusterKey.generate(new SecureRandom()));
      List<byte[]> records =
          List.of(
              RingCodec.encode(forged),
              foreign.seal(paths.ring(), RingCodec.encode(forged)),
              directory.records().seal(paths.metadata(), RingCodec.encode(forged)));
      for (byte[] record : records) {
        assertTrue(directory.curator().setData().forPath(paths.ring(), record).getVersion() > 0);
      }
      MetadataGroup group =
          new MetadataGroup(UUID.randomUUID(), List.of(MetadataMember.of(node.node())));
      put(directory, paths.metadata(), ClusterCodec.encode(group), false);
      put(directory, paths.node(node.id()), ClusterCodec.encode(node), true);
      LiveNode good = live(2);
      create(directory, paths.node(good.id()), ClusterCodec.encode(good), true);
      assertEquals(good, directory.await("the good node", s -> first(s), LIMIT));
      assertEquals(Optional.of(ring), directory.ringMap());
      assertEquals(Optional.empty(), directory.metadataGroup());
      assertEquals(Set.of(good.id()), directory.liveNodes().keySet());
    }
  }

  /** Where the node was, other records are now; those that it signed there are still signed. */
  @Test
  void shouldIgnoreTheRecordOfANodesEarlierProcess() throws Exception {
    ClusterFormat.format(settings(), "demo", properties(), SECRET, false);
    try (ClusterDirectory directory = open()) {
      LiveNode now = live(1);
      LiveNode before =
          new LiveNode(
              now.node(),
              UUID.randomUUID(),
              now.started().minusSeconds(5),
              now.sessionTimeout(),
              false);
      String path = directory.paths().node(now.id());
      create(directory, path, ClusterCodec.encode(now), true);
      directory.await("the node", s -> first(s), LIMIT);
      write(directory, path, ClusterCodec.encode(before));
      create(directory, directory.paths().ring(), RingCodec.encode(ring()), false);
      directory.awaitRingMap(1, LIMIT);
      assertEquals(now, directory.liveNodes().get(now.id()));
    }
  }

  @Test
  void shouldDoWithWhatItRemembersWhereNoNodeWroteTheProperties() throws Exception {
    ClusterProperties properties = properties();
    ClusterFormat.format(settings(), "demo", properties, SECRET, false);
    MetadataGroup group =
        new MetadataGroup(UUID.randomUUID(), List.of(MetadataMember.of(live(1).node())));
    ClusterCopy known = new ClusterCopy(properties, ring(), group);
    try (ClusterDirectory node = open()) {
      byte[] forged = ClusterCodec.encode(properties());
      assertEquals(
          1, node.curator().setData().forPath(node.paths().cluster(), forged).getVersion());
    }
    try (ClusterDirectory node =
        ClusterDirectory.openAsNode(settings(), "demo", SECRET, Optional.of(known))) {
      assertEquals(properties, node.properties());
      assertEquals(Optional.of(group), node.metadataGroup());
    }
    VdfsException refused = assertThrows(VdfsException.class, this::open);
    assertEquals(ErrorCode.MISCONFIGURED, refused.code());
    assertMentions(refused, "/vdfs/demo/cluster", "cluster-restore");
    assertFalse(refused.getMessage().contains("empty"), refused.getMessage());
  }

  /** Two rounds of restarts, after which the old key no longer works. */
  @Test
  void shouldHandTheClusterOverToANewerKey() throws Exception {
    ClusterFormat.format(settings(), "demo", properties(), SECRET, false);
    try (ClusterDirectory old = open()) {
      create(old, old.paths().ring(), RingCodec.encode(ring()), false);
    }
    ClusterKey both = SECRET.roll(new SecureRandom());
    ClusterKey newer = both.roll(new SecureRandom());
    ClusterDirectory.openAsNode(settings(), "demo", both, Optional.empty()).close();
    try (ClusterDirectory old = open()) {
      assertEquals(Optional.of(ring()), old.ringMap(), "not restarted yet");
      write(old, old.paths().ring(), RingCodec.encode(ring()));
    }
    ClusterDirectory.openAsNode(settings(), "demo", both, Optional.empty()).close();
    try (ClusterDirectory last =
        ClusterDirectory.openAsNode(settings(), "demo", newer, Optional.empty())) {
      assertEquals(Optional.of(ring()), last.ringMap());
      write(last, last.paths().ring(), RingCodec.encode(ring()));
    }
    VdfsException refused = assertThrows(VdfsException.class, this::open);
    assertEquals(ErrorCode.MISCONFIGURED, refused.code());
  }

  @Test
  void shouldSampleLiveNodesThatCanBeRead() throws Exception {
    ClusterFormat.format(settings(), "demo", properties(), SECRET, false);
    assertEquals(List.of(), LiveNodeSample.take(settings(), "demo", 3, new Random(1)));
    try (ClusterDirectory directory = open()) {
      Set<LiveNode> nodes = new HashSet<>();
      for (int number = 1; number <= 9; number++) {
        LiveNode node = live(number);
        create(directory, directory.paths().node(node.id()), ClusterCodec.encode(node), true);
        nodes.add(node);
      }
      put(directory, directory.paths().nodes() + "/rubbish", new byte[] {9}, true);
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
    ClusterFormat.format(settings(), "other", properties(), SECRET, false);
    VdfsException e =
        assertThrows(
            VdfsException.class, () -> LiveNodeSample.take(settings(), "demo", 3, new Random(1)));
    assertEquals(ErrorCode.NOT_FOUND, e.code());
    assertMentions(e, "name=demo", "existing=[other]");
  }

  @Test
  void shouldLookAgainWhenTheConnectionBroke() throws Exception {
    ClusterFormat.format(settings(), "demo", properties(), SECRET, false);
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
    ClusterFormat.format(settings(), "demo", properties(), SECRET, false);
    try (ClusterDirectory directory = open()) {
      BlockingQueue<ClusterSnapshot> heard = new LinkedBlockingQueue<>();
      directory.addListener(heard::add);
      assertEquals(directory.snapshot(), heard.poll(20, TimeUnit.SECONDS));
      create(directory, directory.paths().ring(), RingCodec.encode(ring()), false);
      assertEquals(Optional.of(ring()), heard.poll(20, TimeUnit.SECONDS).ringMap());
    }
  }

  @Test
  void shouldSayWhatItWaitedFor() throws VdfsException {
    ClusterFormat.format(settings(), "demo", properties(), SECRET, false);
    try (ClusterDirectory directory = open()) {
      VdfsException e =
          assertThrows(VdfsException.class, () -> directory.awaitRingMap(7, Duration.ofMillis(50)));
      assertEquals(ErrorCode.UNAVAILABLE, e.code());
      assertMentions(e, "epoch 7", "cluster=demo", "liveNodes=0", "expectedNodes=3");
    }
  }

  @Test
  void shouldCatchUpAfterZooKeeperWasAway() throws Exception {
    ClusterFormat.format(settings(), "demo", properties(), SECRET, false);
    try (ClusterDirectory writer = open();
        ClusterDirectory reader = open()) {
      create(writer, writer.paths().ring(), RingCodec.encode(ring()), false);
      reader.awaitRingMap(1, LIMIT);
      server.restart();
      RingMap second = new RingMap(2, 1, Placement.TURN, ring().arcs(), ring().nodes());
      write(writer, writer.paths().ring(), RingCodec.encode(second));
      assertEquals(second, reader.awaitRingMap(2, LIMIT));
    }
  }

  @Test
  void shouldLeaveNoThreadsBehind() throws Exception {
    ClusterFormat.format(settings(), "demo", properties(), SECRET, false);
    Set<Thread> before = clientThreads();
    ClusterDirectory directory = open();
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

  @Test
  void shouldReadWhatIsGoneAndPassOverWhatNoNodeWrote() throws Exception {
    ClusterFormat.format(settings(), "demo", properties(), SECRET, false);
    DeclaredGone gone = new DeclaredGone(Set.of(NodeId.random()), Set.of(UUID.randomUUID()));
    byte[] record = ClusterCodec.encode(gone);
    try (ClusterDirectory directory = open()) {
      assertEquals(DeclaredGone.NONE, directory.gone());
      create(directory, directory.paths().gone(), record, false);
      assertEquals(gone, directory.gone());
      String path = directory.paths().gone();
      assertTrue(directory.curator().setData().forPath(path, record).getVersion() > 0);
      assertEquals(DeclaredGone.NONE, directory.gone());
    }
  }

  private static Optional<LiveNode> first(ClusterSnapshot snapshot) {
    return snapshot.liveNodes().values().stream().findFirst();
  }

  private static void create(
      ClusterDirectory directory, String path, byte[] record, boolean ephemeral) throws Exception {
    put(directory, path, directory.records().seal(path, record), ephemeral);
  }

  private static void put(ClusterDirectory directory, String path, byte[] data, boolean ephemeral)
      throws Exception {
    CreateMode mode = ephemeral ? CreateMode.EPHEMERAL : CreateMode.PERSISTENT;
    assertEquals(path, directory.curator().create().withMode(mode).forPath(path, data));
  }

  private static void write(ClusterDirectory directory, String path, byte[] record)
      throws Exception {
    assertTrue(
        directory
                .curator()
                .setData()
                .forPath(path, directory.records().seal(path, record))
                .getVersion()
            > 0);
  }

  private ClusterDirectory open() throws VdfsException {
    return ClusterDirectory.openAsNode(settings(), "demo", SECRET, Optional.empty());
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
        UUID.randomUUID(), geometry, 3, 3, 3, "vdfs", "supergroup", 1 << 20, Placement.TURN);
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
