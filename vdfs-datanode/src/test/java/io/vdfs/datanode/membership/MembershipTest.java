package io.vdfs.datanode.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.cluster.ClusterDirectory;
import io.vdfs.common.cluster.ClusterFormat;
import io.vdfs.common.cluster.ClusterPaths;
import io.vdfs.common.cluster.SignedRecords;
import io.vdfs.common.cluster.ZooKeeperSettings;
import io.vdfs.common.cluster.record.ClusterCodec;
import io.vdfs.common.cluster.record.ClusterProperties;
import io.vdfs.common.cluster.record.ClusterSnapshot;
import io.vdfs.common.cluster.record.LiveNode;
import io.vdfs.common.cluster.record.MetadataGroup;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.security.ClusterKey;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.apache.curator.framework.api.transaction.CuratorOp;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.KillSession;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.data.Stat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(90)
class MembershipTest {
  private static final ClusterKey SECRET = ClusterKey.generate(new SecureRandom());
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final Duration SESSION = Duration.ofSeconds(3);
  private static final int TICK_MILLIS = 200;

  @TempDir Path directory;

  private final Deque<AutoCloseable> resources = new ArrayDeque<>();
  private final CompletableFuture<VdfsException> fatal = new CompletableFuture<>();
  private TestingServer server;
  private ClusterDirectory observer;

  @BeforeEach
  void startServer() throws Exception {
    File data = directory.toFile();
    server = new TestingServer(new InstanceSpec(data, -1, -1, -1, true, 1, TICK_MILLIS, -1), true);
    resources.push(server);
  }

  @AfterEach
  void closeAll() throws Exception {
    while (!resources.isEmpty()) {
      resources.pop().close();
    }
  }

  @Test
  void shouldPublishTheFirstRingMapWhenTheExpectedNodesLive() throws Exception {
    format(2);
    Member first = member(Nodes.node(1));
    observer.await("one node", s -> when(s, x -> x.liveNodes().size() == 1), LIMIT);
    awaitController(first);
    assertEquals(Optional.empty(), observer.ringMap());
    assertEquals(Optional.empty(), observer.metadataGroup());
    member(Nodes.node(2));
    RingMap map = observer.awaitRingMap(1, LIMIT);
    assertEquals(1, map.epoch());
    assertEquals(2, map.replication());
    assertEquals(List.of(Nodes.node(1), Nodes.node(2)), List.copyOf(map.nodes().values()));
    MetadataGroup group = observer.await("group", ClusterSnapshot::metadataGroup, LIMIT);
    assertTrue(group.hasMember(Nodes.node(1).id()));
    assertTrue(group.hasMember(Nodes.node(2).id()));
    member(Nodes.node(3));
    observer.await("three nodes", s -> when(s, x -> x.liveNodes().size() == 3), LIMIT);
    assertFalse(observer.metadataGroup().orElseThrow().hasMember(Nodes.node(3).id()));
    assertEquals(Optional.of(map), observer.ringMap());
  }

  @Test
  void shouldHandTheOfficeOnAndShowARestartedNode() throws Exception {
    format(2);
    Member first = member(Nodes.node(1));
    awaitController(first);
    Member second = member(Nodes.node(2));
    RingMap map = observer.awaitRingMap(1, LIMIT);
    first.close();
    awaitController(second);
    observer.await("departure", s -> when(s, x -> x.liveNodes().size() == 1), LIMIT);
    RingNode moved = Nodes.node(1, 7000);
    Member again = member(moved);
    observer.await("return", s -> when(s, x -> x.liveRingNodes().contains(moved)), LIMIT);
    assertEquals(Optional.of(map), observer.ringMap(), "that is for the metadata leader");
    assertFalse(again.membership.isController());
    assertTrue(second.membership.isController());
  }

  @Test
  void shouldHandTheOfficeOnWhenTheControllersProcessDies() throws Exception {
    format(2);
    Member first = member(Nodes.node(1));
    awaitController(first);
    Member second = member(Nodes.node(2));
    observer.awaitRingMap(1, LIMIT);
    first.directory.close();
    awaitController(second);
    observer.await("departure", s -> when(s, x -> x.liveNodes().size() == 1), LIMIT);
  }

  @Test
  void shouldRegisterAgainWhenTheSessionExpired() throws Exception {
    format(1);
    Member member = member(Nodes.node(1));
    observer.awaitRingMap(1, LIMIT);
    String path = observer.paths().node(Nodes.node(1).id());
    long session = member.session();
    assertEquals(session, observer.curator().checkExists().forPath(path).getEphemeralOwner());
    member.expireSession();
    until(() -> owner(path) != session && owner(path) != 0);
    assertEquals(member.session(), owner(path));
    awaitController(member);
    assertEquals(Optional.of(1L), observer.ringMap().map(RingMap::epoch));
    assertFalse(fatal.isDone());
  }

  @Test
  void shouldPutTheRecordBackWhenItIsDeleted() throws Exception {
    format(1);
    Member member = member(Nodes.node(1));
    observer.await("one node", s -> when(s, x -> x.liveNodes().size() == 1), LIMIT);
    CompletableFuture<Void> gone = new CompletableFuture<>();
    CompletableFuture<Void> back = new CompletableFuture<>();
    observer.addListener(
        s -> {
          if (s.liveNodes().isEmpty()) {
            gone.complete(null);
          } else if (gone.isDone()) {
            back.complete(null);
          }
        });
    observer.curator().delete().forPath(observer.paths().node(member.membership.self().id()));
    back.get(30, TimeUnit.SECONDS);
    assertEquals(member.membership.self(), observer.liveNodes().get(member.membership.self().id()));
  }

  @Test
  void shouldRefuseASecondProcessWithTheSameId() throws Exception {
    format(2);
    member(Nodes.node(1));
    VdfsException e = assertThrows(VdfsException.class, () -> member(Nodes.node(1, 7000)));
    assertEquals(ErrorCode.ALREADY_EXISTS, e.code());
    assertTrue(e.getMessage().contains("host=host-1, controlPort=1000"), e.getMessage());
    assertTrue(e.getMessage().contains(Nodes.node(1).id().toString()), e.getMessage());
    assertFalse(fatal.isDone());
  }

  @Test
  void shouldWaitOutTheSessionOfADeadProcess() throws Exception {
    format(1);
    ClusterDirectory dead = open();
    String path = dead.paths().node(Nodes.node(1).id());
    LiveNode left = Nodes.live(Nodes.node(1), UUID.randomUUID(), Duration.ofSeconds(20));
    assertEquals(
        path, dead.curator().create().withMode(CreateMode.EPHEMERAL).forPath(path, encoded(left)));
    CompletableFuture<Member> started = new CompletableFuture<>();
    ClusterDirectory mine = open();
    Thread starter = new Thread(() -> startInto(started, mine), "starter");
    starter.start();
    until(() -> starter.getState() == Thread.State.TIMED_WAITING);
    assertFalse(started.isDone());
    dead.close();
    Member member = started.get(30, TimeUnit.SECONDS);
    until(() -> owner(path) == member.session());
  }

  @Test
  void shouldTakeThePlaceOfAProcessThatIsOverOnThisMachineAtOnce() throws Exception {
    format(1);
    ClusterDirectory dead = open();
    RingNode before = here(unusedPort(), unusedPort());
    leave(dead, before);
    Member member = member(here(unusedPort(), before.dataPort()));
    String path = observer.paths().node(before.id());
    assertEquals(member.session(), owner(path));
    assertTrue(dead.curator().getZookeeperClient().isConnected(), "the old session has ended");
    assertEquals(member.membership.self(), shown(path));
  }

  @Test
  void shouldNotTakeThePlaceOfAProcessThatStillListensOnThisMachine() throws Exception {
    format(1);
    ClusterDirectory living = open();
    try (ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      RingNode before = here(unusedPort(), listening.getLocalPort());
      leave(living, before);
      RingNode other = here(unusedPort(), unusedPort());
      VdfsException e = assertThrows(VdfsException.class, () -> member(other));
      assertEquals(ErrorCode.ALREADY_EXISTS, e.code());
      String path = observer.paths().node(before.id());
      assertEquals(before, shown(path).node());
    }
  }

  /** Publishes a record as a process that then says nothing more, while its session goes on. */
  private static void leave(ClusterDirectory session, RingNode node) throws Exception {
    LiveNode left = Nodes.live(node, UUID.randomUUID(), SESSION);
    String path = session.paths().node(node.id());
    assertEquals(
        path,
        session.curator().create().withMode(CreateMode.EPHEMERAL).forPath(path, encoded(left)));
  }

  private static RingNode here(int controlPort, int dataPort) throws IOException {
    RingNode node = Nodes.node(1);
    return new RingNode(
        node.id(),
        InetAddress.getLoopbackAddress().getHostAddress(),
        controlPort,
        dataPort,
        unusedPort(),
        0,
        node.rack(),
        node.cores(),
        node.weight());
  }

  private static int unusedPort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  @Test
  void shouldStopWhenAnotherProcessTakesTheId() throws Exception {
    format(1);
    Member member = member(Nodes.node(1));
    awaitController(member);
    String path = observer.paths().node(Nodes.node(1).id());
    LiveNode stranger = later(Nodes.node(1, 7000));
    List<CuratorOp> swap =
        List.of(
            observer.curator().transactionOp().delete().forPath(path),
            observer
                .curator()
                .transactionOp()
                .create()
                .withMode(CreateMode.EPHEMERAL)
                .forPath(path, encoded(stranger)));
    assertEquals(2, observer.curator().transaction().forOperations(swap).size());
    VdfsException e = fatal.get(30, TimeUnit.SECONDS);
    assertEquals(ErrorCode.ALREADY_EXISTS, e.code());
    assertTrue(e.getMessage().contains("controlPort=7000"), e.getMessage());
    assertFalse(member.membership.isController());
    member.membership.close();
    assertTrue(observer.curator().checkExists().forPath(path) != null, "took a foreign record");
  }

  @Test
  void shouldStopWhenTheClusterWasFormattedAnew() throws Exception {
    format(1);
    Member member = member(Nodes.node(1));
    observer.awaitRingMap(1, LIMIT);
    byte[] anew =
        observer
            .records()
            .seal(observer.paths().cluster(), ClusterCodec.encode(Nodes.properties(1)));
    Stat written = observer.curator().setData().forPath(observer.paths().cluster(), anew);
    assertEquals(2, written.getVersion(), "written by format, marked when founded, and now");
    observer.curator().delete().forPath(observer.paths().node(Nodes.node(1).id()));
    assertEquals(ErrorCode.FENCED, fatal.get(30, TimeUnit.SECONDS).code());
    assertFalse(member.membership.isController());
  }

  /** A process that was started after all of the test. */
  private static LiveNode later(RingNode node) {
    return new LiveNode(
        node, UUID.randomUUID(), Clock.systemUTC().instant().plusSeconds(60), SESSION, false);
  }

  /** Puts something in the place of a node's record; the session is the test's. */
  private void replace(String path, CreateMode mode, byte[] data) throws Exception {
    List<CuratorOp> swap =
        List.of(
            observer.curator().transactionOp().delete().forPath(path),
            observer.curator().transactionOp().create().withMode(mode).forPath(path, data));
    assertEquals(2, observer.curator().transaction().forOperations(swap).size());
  }

  /** A process that may write in ZooKeeper, but has no key, ends no daemon. */
  @Test
  void shouldNotStopForWhatNoNodeWrote() throws Exception {
    format(1);
    Member member = member(Nodes.node(1));
    awaitController(member);
    observer.awaitRingMap(1, LIMIT);
    String path = observer.paths().node(Nodes.node(1).id());
    for (CreateMode mode : List.of(CreateMode.EPHEMERAL, CreateMode.PERSISTENT)) {
      replace(path, mode, ClusterCodec.encode(later(Nodes.node(1, 7000))));
      until(() -> owner(path) == member.session());
    }
    byte[] anew = ClusterCodec.encode(Nodes.properties(1));
    Stat written = observer.curator().setData().forPath(observer.paths().cluster(), anew);
    assertEquals(2, written.getVersion());
    observer.curator().delete().forPath(path);
    until(() -> owner(path) == member.session());
    assertFalse(fatal.isDone());
    assertTrue(member.membership.isController());
  }

  /** Anybody may have kept what a process that is over has signed. */
  @Test
  void shouldNotStopForTheRecordOfAnEarlierProcess() throws Exception {
    format(1);
    Member first = member(Nodes.node(1));
    observer.awaitRingMap(1, LIMIT);
    String path = observer.paths().node(Nodes.node(1).id());
    byte[] kept = observer.curator().getData().forPath(path);
    first.close();
    Member second = member(Nodes.node(1));
    for (CreateMode mode : List.of(CreateMode.EPHEMERAL, CreateMode.PERSISTENT)) {
      replace(path, mode, kept);
      until(() -> owner(path) == second.session());
    }
    assertFalse(fatal.isDone());
    assertEquals(second.membership.self(), shown(path));
  }

  private static byte[] encoded(LiveNode node) throws VdfsException {
    String path = ClusterPaths.of("/vdfs", "demo").node(node.id());
    return SignedRecords.by(SECRET).seal(path, ClusterCodec.encode(node));
  }

  private LiveNode shown(String path) throws Exception {
    return ClusterCodec.decodeNode(
        observer.records().open(path, observer.curator().getData().forPath(path)));
  }

  /** Session that holds the record at {@code path}; 0 if there is none. */
  private long owner(String path) throws Exception {
    Stat stat = observer.curator().checkExists().forPath(path);
    return stat == null ? 0 : stat.getEphemeralOwner();
  }

  private static void awaitController(Member member) throws Exception {
    until(member.membership::isController);
  }

  private static void until(Callable<Boolean> condition) throws Exception {
    long deadline = System.nanoTime() + LIMIT.toNanos();
    while (!condition.call()) {
      assertTrue(System.nanoTime() < deadline, "condition not met within " + LIMIT);
      LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
    }
  }

  private void startInto(CompletableFuture<Member> started, ClusterDirectory mine) {
    try {
      started.complete(start(mine, Nodes.node(1)));
    } catch (VdfsException e) {
      started.completeExceptionally(e);
    }
  }

  private static <T> Optional<T> when(T value, Predicate<T> condition) {
    return Optional.of(value).filter(condition);
  }

  private void format(int expectedNodes) throws VdfsException {
    ClusterProperties properties = Nodes.properties(expectedNodes);
    ClusterFormat.format(settings(), "demo", properties, SECRET, false);
    observer = open();
  }

  private ZooKeeperSettings settings() {
    return new ZooKeeperSettings(
        server.getConnectString(), "vdfs.zookeeper", "/vdfs", SESSION, Duration.ofSeconds(20));
  }

  private ClusterDirectory open() throws VdfsException {
    ClusterDirectory opened =
        ClusterDirectory.openAsNode(settings(), "demo", SECRET, Optional.empty());
    resources.push(opened);
    return opened;
  }

  private Member member(RingNode node) throws VdfsException {
    return start(open(), node);
  }

  private Member start(ClusterDirectory opened, RingNode node) throws VdfsException {
    Membership membership = Membership.start(opened, node, false, Instant.now(), fatal::complete);
    resources.push(membership);
    return new Member(opened, membership);
  }

  private record Member(ClusterDirectory directory, Membership membership)
      implements AutoCloseable {
    long session() throws Exception {
      return directory.curator().getZookeeperClient().getZooKeeper().getSessionId();
    }

    void expireSession() throws Exception {
      KillSession.kill(directory.curator().getZookeeperClient().getZooKeeper());
    }

    @Override
    public void close() {
      membership.close();
      directory.close();
    }
  }
}
