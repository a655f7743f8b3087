package io.vdfs.datanode;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.cluster.ClusterDirectory;
import io.vdfs.common.cluster.ClusterFormat;
import io.vdfs.common.cluster.record.ClusterCodec;
import io.vdfs.common.cluster.record.ClusterCopy;
import io.vdfs.common.cluster.record.ClusterProperties;
import io.vdfs.common.cluster.record.ClusterSnapshot;
import io.vdfs.common.cluster.record.MetadataGroup;
import io.vdfs.common.cluster.record.MetadataMember;
import io.vdfs.common.concurrent.Parts;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.ArcReplicas;
import io.vdfs.common.ring.Placement;
import io.vdfs.common.ring.RingCodec;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.security.ClusterKey;
import io.vdfs.common.security.ClusterKeyFile;
import io.vdfs.common.security.KeyPurposes;
import io.vdfs.common.security.MacKey;
import io.vdfs.common.wire.proto.ClusterRecordProto;
import io.vdfs.common.wire.proto.ClusterRecordQuery;
import io.vdfs.common.wire.proto.GetStatusQuery;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.MkdirsOp;
import io.vdfs.datanode.host.ClusterCopyWriter;
import io.vdfs.datanode.host.ClusterRecorder;
import io.vdfs.datanode.host.MemberChanges;
import io.vdfs.datanode.host.MemberReplacer;
import io.vdfs.datanode.host.MetadataHost;
import io.vdfs.datanode.host.MetadataMetrics;
import io.vdfs.datanode.host.MetadataSeat;
import io.vdfs.datanode.membership.Membership;
import io.vdfs.datanode.meta.group.GroupCounter;
import io.vdfs.datanode.meta.group.GroupMember;
import io.vdfs.datanode.meta.group.GroupStatus;
import io.vdfs.datanode.meta.group.LevelRaiser;
import io.vdfs.datanode.meta.group.Peers;
import io.vdfs.datanode.meta.level.FeatureLevels;
import io.vdfs.datanode.meta.raft.TestPorts;
import io.vdfs.datanode.meta.raft.disk.MemberHome;
import io.vdfs.datanode.meta.service.DeafProbe;
import io.vdfs.datanode.rpc.MemberChange;
import io.vdfs.datanode.rpc.request.CallIds;
import io.vdfs.datanode.rpc.request.Callers;
import io.vdfs.datanode.rpc.request.MetadataDispatcher;
import io.vdfs.datanode.transfer.TestPeers;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Four nodes as far as metadata are concerned: ZooKeeper, membership, seats; no blocks. */
@Timeout(180)
class MetadataHostTest {
  private static final ClusterKey SECRET = ClusterKey.generate(new SecureRandom());
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final String USER = "hdfs";

  @TempDir(factory = InMemory.class)
  Path directory;

  private final Map<Integer, Node> running = new ConcurrentHashMap<>();
  private final List<RingNode> nodes = new ArrayList<>();
  private final List<Throwable> failures = new CopyOnWriteArrayList<>();
  private final MacKey peerKey = ClusterKey.generate(new SecureRandom()).derive(KeyPurposes.RAFT);
  private TestingServer server;
  private FeatureLevels levels = FeatureLevels.ofThisRelease();
  private final Map<Integer, String> diskProblems = new HashMap<>();
  private Duration replaceAfter = Duration.ofMinutes(10);
  private String nodePatience = "10m";

  /** The parts of a DataNode that take part. */
  private final class Node implements AutoCloseable {
    private final Parts parts = new Parts();
    private final MetadataMetrics metrics = MetadataMetrics.create();
    private final ClusterDirectory cluster;
    private final MetadataHost host;
    private final MemberChanges changes;
    private final NodeId self;

    Node(int number) throws Exception {
      self = nodes.get(number).id();
      DaemonSettings settings = settings(number);
      Optional<ClusterCopy> known = settings.clusterCopy().read();
      cluster =
          parts.add(
              ClusterDirectory.openAsNode(
                  settings.cluster().zooKeeper(), settings.cluster().name(), SECRET, known));
      parts.add(ClusterCopyWriter.start(cluster, settings.clusterCopy(), known));
      parts.add(
          Membership.start(
              cluster, nodes.get(number), known.isPresent(), Instant.now(), failures::add));
      host =
          parts.add(
              MetadataHost.start(
                  new MetadataSeat.Surroundings(
                      settings.metadata(),
                      Optional.of(peerKey),
                      Optional.ofNullable(diskProblems.get(number)),
                      cluster,
                      nodes.get(number),
                      new DeafProbe(),
                      new Peers(
                          members -> "asked for " + members.size(),
                          (group, member) -> askForStatus(group, member)),
                      TestPeers.tickets(cluster.properties().clusterId()),
                      new Callers(USER, "admins", user -> List.of()),
                      new CallIds(UUID.randomUUID()),
                      levels,
                      metrics),
                  cluster.await("the group", ClusterSnapshot::metadataGroup, LIMIT)));
      changes = parts.add(new MemberChanges(host, MetadataHostTest.this::invite));
      parts.add(MemberReplacer.start(host, changes, cluster.properties(), replaceAfter));
      parts.add(ClusterRecorder.start(host, cluster));
    }

    @Override
    public void close() {
      parts.close();
    }
  }

  private CompletableFuture<Optional<GroupStatus>> askForStatus(UUID group, NodeId member) {
    return CompletableFuture.completedFuture(
        running.values().stream()
            .filter(node -> node.host.groupId().equals(Optional.of(group)))
            .filter(node -> node.self.equals(member))
            .findAny()
            .flatMap(node -> node.host.member())
            .map(GroupMember::status));
  }

  @BeforeEach
  void startServer() throws Exception {
    server = new TestingServer(-1, Files.createDirectory(directory.resolve("zk")).toFile());
    for (int i = 0; i < 5; i++) {
      nodes.add(
          new RingNode(
              new NodeId(new UUID(1, i)),
              "localhost",
              1000 + i,
              2000 + i,
              TestPorts.take(),
              0,
              "/rack",
              1,
              1.0));
    }
    ClusterProperties properties =
        new ClusterProperties(
            UUID.randomUUID(),
            ClusterGeometry.DEFAULT,
            3,
            4,
            3,
            USER,
            "admins",
            1 << 20,
            Placement.TURN);
    ClusterFormat.format(settings(0).cluster().zooKeeper(), "vdfs", properties, SECRET, false);
    new ClusterKeyFile(settings(0).cluster().keyFile()).create(SECRET);
  }

  @AfterEach
  void closeAll() throws IOException {
    running.values().stream().parallel().forEach(Node::close);
    server.close();
  }

  private DaemonSettings settings(int number) throws VdfsException {
    return DaemonSettings.of(
        Map.of(
            "vdfs.zookeeper",
            server.getConnectString(),
            "vdfs.node.host",
            "localhost",
            "vdfs.node.missing.after",
            nodePatience,
            "vdfs.node.replace.after",
            nodePatience,
            "vdfs.data.dirs",
            directory.resolve("node" + number).toString()),
        "the test",
        directory);
  }

  private ClusterDirectory observer() throws VdfsException {
    return ClusterDirectory.openAsNode(
        settings(0).cluster().zooKeeper(), "vdfs", SECRET, Optional.empty());
  }

  private static byte[] sealed(ClusterDirectory observer, RingMap map) throws VdfsException {
    return observer.records().seal(observer.paths().ring(), RingCodec.encode(map));
  }

  private Path home(int number) throws VdfsException {
    return settings(number).metadata().home();
  }

  private void start(Integer... numbers) {
    List<CompletableFuture<Node>> starting =
        Stream.of(numbers)
            .map(
                number ->
                    CompletableFuture.supplyAsync(
                        () -> {
                          try {
                            return new Node(number);
                          } catch (Exception e) {
                            throw new CompletionException(e);
                          }
                        },
                        task -> new Thread(task, "start-" + number).start()))
            .toList();
    for (int i = 0; i < numbers.length; i++) {
      running.put(numbers[i], starting.get(i).join());
    }
  }

  private void stop(int number) {
    running.remove(number).close();
  }

  private void invite(RingNode node, UUID group, long version, int level) throws VdfsException {
    try {
      running.get(nodes.indexOf(node)).host.invite(group, version, level).join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof VdfsException known) {
        throw known;
      }
      throw e;
    }
  }

  private static void await(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("waited too long for " + what);
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }

  private int leader() {
    int[] found = {-1};
    await(
        "a leader",
        () -> {
          running.forEach(
              (number, node) -> {
                if (node.host.member().map(GroupMember::isLeader).orElse(false)) {
                  found[0] = number;
                }
              });
          return found[0] >= 0;
        });
    return found[0];
  }

  private MetaResponse ask(MetaRequest request) {
    MetaResponse[] last = new MetaResponse[1];
    await(
        "an answer to " + request.getOpCase() + ", last=" + last[0],
        () -> {
          Optional<MetadataDispatcher> dispatcher = running.get(leader()).host.dispatcher();
          if (dispatcher.isEmpty()) {
            return false;
          }
          last[0] = dispatcher.get().call(request).join();
          return !last[0].hasError();
        });
    return last[0];
  }

  private void make(String path) {
    ask(
        MetaRequest.newBuilder()
            .setMkdirs(MkdirsOp.newBuilder().setPath(path).setMode(0755))
            .build());
  }

  private void see(String path) {
    ask(MetaRequest.newBuilder().setGetStatus(GetStatusQuery.newBuilder().setPath(path)).build());
  }

  private List<Integer> numbers(List<MetadataMember> members) {
    List<NodeId> ids = nodes.stream().map(RingNode::id).toList();
    return members.stream().map(member -> ids.indexOf(member.id())).sorted().toList();
  }

  private List<Integer> configured(int number) {
    return running
        .get(number)
        .host
        .member()
        .map(member -> numbers(member.status().configuration().members()))
        .orElse(List.of());
  }

  private List<Integer> published(int observer) {
    return numbers(running.get(observer).cluster.metadataGroup().orElseThrow().members());
  }

  private void change(int removed, int added) throws VdfsException {
    Optional<NodeId> out = removed < 0 ? Optional.empty() : Optional.of(nodes.get(removed).id());
    Optional<NodeId> in = Optional.of(nodes.get(added).id());
    MemberChanges changes = running.get(leader()).changes;
    changes.begin(out, in);
    await("the end of the change", () -> changes.last().filter(c -> !c.isUnderWay()).isPresent());
    MemberChange last = changes.last().orElseThrow();
    assertEquals(MemberChange.State.DONE, last.state(), last::message);
  }

  private boolean isRetired(int number) {
    try (Stream<Path> entries = Files.list(home(number).getParent())) {
      return entries.anyMatch(entry -> entry.getFileName().toString().startsWith("raft.removed-"));
    } catch (IOException e) {
      return false;
    }
  }

  private boolean isSeen(int number) {
    return running.get(leader()).cluster.liveNodes().containsKey(nodes.get(number).id());
  }

  private static FeatureLevels later() {
    FeatureLevels now = FeatureLevels.ofThisRelease();
    return new FeatureLevels(now.newest() + 1, now.operations(), Map.of());
  }

  /** Its blocks are still served, so the daemon must not end. */
  @Test
  void shouldGoOnWithoutAMemberThatIsTooOldForTheLog() throws Exception {
    levels = later();
    start(0, 1, 2, 3);
    List<Integer> founders = published(0);
    int spare = 6 - founders.stream().mapToInt(Integer::intValue).sum();
    make("/a");
    int raised = later().newest();
    GroupMember leading = running.get(leader()).host.member().orElseThrow();
    LevelRaiser raiser =
        new LevelRaiser(
            member -> OptionalInt.of(raised),
            new Callers(USER, "admins", user -> List.of()).self(),
            Clock.systemUTC());
    await(
        "the level",
        () -> {
          raiser.look(leading);
          return leading.level() == raised;
        });

    levels = FeatureLevels.ofThisRelease();
    int old = founders.stream().filter(number -> number != leader()).findFirst().orElseThrow();
    stop(old);
    start(old);
    Node daemon = running.get(old);
    await("the member to end", () -> daemon.host.stopped().isPresent());
    String reason = daemon.host.stopped().orElseThrow();
    assertTrue(reason.contains("needed=%d, newest=%d;".formatted(raised, raised - 1)), reason);
    await("the seat to be given up", () -> daemon.host.member().isEmpty());
    assertEquals(Optional.empty(), daemon.host.dispatcher());
    assertEquals(List.of(), failures);

    stop(spare);
    await("its departure", () -> !isSeen(spare));
    start(spare);
    await("its return", () -> isSeen(spare));
    MemberChanges changes = running.get(leader()).changes;
    changes.begin(Optional.of(nodes.get(old).id()), Optional.of(nodes.get(spare).id()));
    await("the end of the change", () -> changes.last().filter(c -> !c.isUnderWay()).isPresent());
    MemberChange refused = changes.last().orElseThrow();
    assertEquals(MemberChange.State.FAILED, refused.state());
    assertTrue(refused.message().contains("needed=" + raised), refused::message);

    make("/b");
    levels = later();
    stop(old);
    start(old);
    await("the cured member", () -> configured(old).equals(founders));
    assertEquals(Optional.empty(), running.get(old).host.stopped());
  }

  @Test
  void shouldGoOnWithoutAMemberThatCannotStartAndTryAgain() throws Exception {
    start(0, 1, 2, 3);
    make("/a");
    int broken = follower();
    stop(broken);
    Path identity = home(broken).resolve("vdfs-member");
    String own = Files.readString(identity);
    Files.writeString(identity, own.replace("node=", "node=x"));
    start(broken);
    MetadataHost host = running.get(broken).host;
    assertTrue(host.stopped().orElseThrow().contains("is no member's"));
    assertEquals(Optional.empty(), host.member());
    await("another try", () -> counter(broken, GroupCounter.MEMBER_FAILURES) >= 2);
    make("/b");

    Files.writeString(identity, own);
    await("its member", () -> host.member().isPresent());
    assertEquals(Optional.empty(), host.stopped());
    await("it to catch up", () -> host.member().orElseThrow().leader().isPresent());
    assertTrue(failures.isEmpty(), failures::toString);
  }

  @Test
  void shouldStartAMemberAgainThatFailed() throws Exception {
    start(0, 1, 2, 3);
    make("/a");
    await("the members to be published", () -> group(0).version() > 0);
    int failing = follower();
    MetadataHost host = running.get(failing).host;
    GroupMember before = host.member().orElseThrow();
    Path log = home(failing).resolve("raft").resolve(group(0).groupId().toString());
    Files.move(log, directory.resolve("lost"));
    make("/b");
    await("the failure", () -> counter(failing, GroupCounter.MEMBER_FAILURES) >= 1);
    await("another member", () -> host.member().filter(now -> now != before).isPresent());
    long last = running.get(leader()).host.member().orElseThrow().status().last();
    await(
        "it to have all",
        () ->
            host.member()
                .map(GroupMember::status)
                .filter(status -> status.applied() >= last && status.doubt().isEmpty())
                .isPresent());
    assertEquals(1, counter(failing, GroupCounter.DOUBTS_SETTLED));
    assertTrue(failures.isEmpty(), failures::toString);
  }

  private int follower() {
    int leader = leader();
    return published(leader).stream().filter(number -> number != leader).findFirst().orElseThrow();
  }

  private long counter(int number, GroupCounter name) {
    return running.get(number).metrics.group().get(name);
  }

  /** By all that have led since they were started. */
  private long memberChanges() {
    return running.values().stream()
        .mapToLong(host -> host.metrics.group().get(GroupCounter.MEMBER_CHANGES))
        .sum();
  }

  private MetadataGroup group(int observer) {
    return running.get(observer).cluster.metadataGroup().orElseThrow();
  }

  @Test
  void shouldFollowRaftThroughReplacementAndRecovery() throws Exception {
    start(0, 1, 2, 3);
    List<Integer> founders = published(0);
    assertEquals(3, founders.size());
    int spare = 6 - founders.stream().mapToInt(Integer::intValue).sum();
    assertEquals(Optional.empty(), running.get(spare).host.member());
    make("/a");
    await(
        "the founders to be published",
        () -> running.get(spare).cluster.metadataGroup().orElseThrow().version() > 0);

    int leader = leader();
    int dead = founders.stream().filter(number -> number != leader).findFirst().orElseThrow();
    int kept = founders.stream().filter(n -> n != leader && n != dead).findFirst().orElseThrow();
    stop(dead);
    await(
        "its departure",
        () -> !running.get(leader()).cluster.liveNodes().containsKey(nodes.get(dead).id()));
    VdfsException refused = assertThrows(VdfsException.class, () -> change(leader(), dead));
    assertEquals(ErrorCode.ALREADY_EXISTS, refused.code(), refused::getMessage);
    change(dead, spare);
    assertEquals(1, memberChanges());
    List<Integer> replaced = Stream.of(leader, kept, spare).sorted().toList();
    await("the new members", () -> configured(spare).equals(replaced));
    await("the publication", () -> published(spare).equals(replaced));
    make("/b");

    start(dead);
    await("the removed one to end", () -> running.get(dead).host.member().isEmpty());
    await("its files to be put aside", () -> isRetired(dead));
    assertFalse(Files.exists(home(dead)));

    stop(leader());
    make("/c");
    see("/a");
    stop(leader() == spare ? kept : spare);
    int survivor = running.keySet().stream().filter(n -> n != dead).findFirst().orElseThrow();
    MetadataDispatcher alone = running.get(survivor).host.dispatcher().orElseThrow();
    MetaRequest late =
        MetaRequest.newBuilder().setMkdirs(MkdirsOp.newBuilder().setPath("/x")).build();
    await(
        "the loss to be told",
        () -> alone.call(late).join().getError().getMessage().contains("members: asked for 3"));
    recover(survivor, dead);
  }

  /** As many members as suit the ring; they have made a directory. */
  private List<Integer> startFive() throws Exception {
    ClusterProperties properties =
        new ClusterProperties(
            UUID.randomUUID(),
            ClusterGeometry.DEFAULT,
            3,
            5,
            0,
            USER,
            "admins",
            1 << 20,
            Placement.TURN);
    ClusterFormat.format(settings(0).cluster().zooKeeper(), "vdfs", properties, SECRET, true);
    start(0, 1, 2, 3, 4);
    List<Integer> all = List.of(0, 1, 2, 3, 4);
    assertEquals(all, published(0), "five nodes begin with five members");
    make("/a");
    return all;
  }

  @Test
  void shouldRaiseAGroupOfThreeBesideFiveNodes() throws Exception {
    List<Integer> all = startFive();

    // as few as a group that began beside a smaller ring may have
    int leader = leader();
    List<Integer> others = all.stream().filter(number -> number != leader).toList();
    remove(others.get(0));
    remove(others.get(1));
    List<Integer> three = Stream.of(leader, others.get(2), others.get(3)).sorted().toList();
    await("three members", () -> configured(leader).equals(three));
    await("their publication", () -> published(leader).equals(three));
    await(
        "the removed ones to be gone", () -> isRetired(others.get(0)) && isRetired(others.get(1)));

    // the next leader knows of no operator who wants it so
    stop(leader);
    int raising = leader();
    await("five members", () -> configured(raising).equals(all));
    start(leader);
    await("five members everywhere", () -> configured(leader).equals(all));
    assertEquals(
        2, running.get(raising).metrics.group().get(GroupCounter.MEMBER_CHANGES), "one at a time");
    await("the publication", () -> published(leader).equals(all));
    see("/a");

    // two of five are lost, and names go on
    List<Integer> two = all.stream().filter(number -> number != leader()).limit(2).toList();
    two.forEach(this::stop);
    make("/b");
    see("/a");
    assertTrue(failures.isEmpty(), failures::toString);
  }

  @Test
  void shouldDoWithoutTwoOfFiveThatStayAwayAndTakeThemInAgain() throws Exception {
    replaceAfter = Duration.ofSeconds(2);
    List<Integer> all = startFive();
    List<Integer> lost = all.stream().filter(number -> number != leader()).limit(2).toList();
    lost.forEach(this::stop);
    List<Integer> rest = all.stream().filter(number -> !lost.contains(number)).toList();
    // the old members decide until the change is recorded
    await("three members", () -> published(leader()).equals(rest));

    // of three one may be lost; of five it would be one too many
    int third = rest.stream().filter(number -> number != leader()).findFirst().orElseThrow();
    stop(third);
    make("/b");
    see("/a");
    lost.forEach(this::start);
    start(third);
    await("five members again", () -> configured(leader()).equals(all));
    see("/b");
    assertTrue(failures.isEmpty(), failures::toString);
  }

  private void remove(int number) throws VdfsException {
    MemberChanges changes = running.get(leader()).changes;
    changes.begin(Optional.of(nodes.get(number).id()), Optional.empty());
    await("the end of the change", () -> changes.last().filter(c -> !c.isUnderWay()).isPresent());
    MemberChange last = changes.last().orElseThrow();
    assertEquals(MemberChange.State.DONE, last.state(), last::message);
  }

  @Test
  void shouldReplaceAMissingMemberByItself() throws Exception {
    replaceAfter = Duration.ofSeconds(2);
    start(0, 1, 2, 3);
    List<Integer> founders = published(0);
    int spare = 6 - founders.stream().mapToInt(Integer::intValue).sum();
    make("/a");
    int leader = leader();
    int dead = founders.stream().filter(number -> number != leader).findFirst().orElseThrow();
    stop(dead);
    List<Integer> expected = Stream.of(0, 1, 2, 3).filter(number -> number != dead).toList();
    await("the spare to be taken up", () -> configured(leader()).equals(expected));
    await("the publication", () -> published(spare).equals(expected));

    stop(founders.stream().filter(n -> n != dead && n != leader()).findFirst().orElseThrow());
    see("/a");
    make("/b");
    start(dead);
    await("its files to be put aside", () -> isRetired(dead));
  }

  /** What is refused leaves no trace: the node starts below. */
  private void refuseToRecover(int late, PrintWriter out) throws Exception {
    NodeId self = nodes.get(late).id();
    VdfsException given =
        assertThrows(
            VdfsException.class,
            () -> MetadataRecoverCommand.recover(settings(late), self, true, out, out));
    assertTrue(given.getMessage().contains("given up already"), given::getMessage);
  }

  private void recover(int survivor, int other) throws Exception {
    DaemonSettings settings = settings(survivor);
    NodeId self = nodes.get(survivor).id();
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    PrintWriter out = new PrintWriter(said, true, UTF_8);
    VdfsException lives =
        assertThrows(
            VdfsException.class,
            () -> MetadataRecoverCommand.recover(settings, self, true, out, out));
    assertTrue(lives.getMessage().contains("in use by a running DataNode"), lives::getMessage);
    UUID before = running.get(survivor).host.groupId().orElseThrow();
    stop(survivor);
    assertEquals(1, MetadataRecoverCommand.recover(settings, self, false, out, out));
    assertTrue(said.toString(UTF_8).contains("Nothing was given up"), said.toString(UTF_8));
    assertEquals(0, MetadataRecoverCommand.recover(settings, self, true, out, out));
    List<Integer> lost = Stream.of(0, 1, 2, 3).filter(n -> n != survivor && n != other).toList();
    refuseToRecover(lost.get(0), out);

    start(survivor);
    assertEquals(survivor, leader());
    for (String path : List.of("/a", "/b", "/c")) {
      see(path);
    }
    make("/d");
    assertEquals(List.of(survivor), configured(survivor));
    MetadataGroup group = running.get(survivor).cluster.metadataGroup().orElseThrow();
    assertEquals(List.of(before), group.formerGroups());

    // the lost ones come back together: a majority of a group that does not exist any more
    start(lost.toArray(Integer[]::new));
    for (int number : lost) {
      assertTrue(isRetired(number), "not put aside: " + number);
      assertEquals(Optional.empty(), running.get(number).host.member());
    }
    NodeId back = nodes.get(lost.get(0)).id();
    await(
        "the leader to see it live",
        () -> running.get(survivor).cluster.liveNodes().containsKey(back));
    change(-1, lost.get(0));
    assertEquals(Stream.of(survivor, lost.get(0)).sorted().toList(), configured(survivor));
    see("/d");
    assertTrue(failures.isEmpty(), failures::toString);
  }

  private RingMap recorded() throws VdfsException {
    ClusterRecordProto[] record = new ClusterRecordProto[1];
    await(
        "a record of the cluster",
        () -> {
          MetaRequest question =
              MetaRequest.newBuilder()
                  .setClusterRecord(ClusterRecordQuery.getDefaultInstance())
                  .build();
          record[0] = ask(question).getClusterRecord();
          return record[0].hasRing();
        });
    return RingCodec.fromProto(record[0].getRing());
  }

  /** The ring map in ZooKeeper, as soon as there is one of at least that epoch. */
  private RingMap shown(ClusterDirectory observer, long minEpoch) {
    RingMap[] shown = new RingMap[1];
    await(
        "a ring map of epoch " + minEpoch + " in ZooKeeper",
        () -> {
          try {
            shown[0] =
                RingCodec.decode(
                    observer
                        .records()
                        .open(
                            observer.paths().ring(),
                            observer.curator().getData().forPath(observer.paths().ring())));
            return shown[0].epoch() >= minEpoch;
          } catch (Exception e) {
            return false;
          }
        });
    return shown[0];
  }

  /** A map as the planner might make it later: other arcs than a fresh deal has. */
  private static RingMap turned(RingMap map) {
    List<ArcReplicas> arcs = new ArrayList<>(map.arcs());
    Collections.rotate(arcs, 1);
    return new RingMap(map.epoch() + 1, map.replication(), map.placement(), arcs, map.nodes());
  }

  @Test
  void shouldRecordTheRingMapAndGiveItBackToAZooKeeperThatLostIt() throws Exception {
    start(0, 1, 2, 3);
    RingMap dealt = recorded();
    assertEquals(1, dealt.epoch());
    try (ClusterDirectory observer = observer()) {
      CuratorFramework curator = observer.curator();
      String ring = observer.paths().ring();
      RingMap second = turned(dealt);
      assertTrue(curator.setData().forPath(ring, sealed(observer, second)).getVersion() > 0);
      await("the newer map to be recorded", () -> recordedIs(second));

      // while the nodes run, from the log alone after all of them were started anew
      curator.delete().forPath(ring);
      assertEquals(second, shown(observer, 1));
      List.copyOf(running.keySet()).forEach(this::stop);
      curator.delete().forPath(ring);
      for (int number = 0; number < 4; number++) {
        Files.delete(settings(number).clusterCopy().path());
      }
      start(0, 1, 2, 3);
      assertEquals(second, shown(observer, 1));

      // a map from before, and one of the same epoch that is another
      curator.setData().forPath(ring, sealed(observer, dealt));
      assertEquals(second, shown(observer, 2));
      curator
          .setData()
          .forPath(
              ring,
              sealed(observer, new RingMap(2, 3, Placement.TURN, dealt.arcs(), dealt.nodes())));
      RingMap third = shown(observer, 3);
      assertEquals(second.arcs(), third.arcs());
      assertEquals(third, recorded());

      MetadataGroup group = observer.metadataGroup().orElseThrow();
      curator.delete().forPath(observer.paths().metadata());
      await(
          "the metadata group's record",
          () -> {
            try {
              String path = observer.paths().metadata();
              byte[] back = observer.records().open(path, curator.getData().forPath(path));
              return ClusterCodec.decodeMetadataGroup(back).equals(group);
            } catch (Exception e) {
              return false;
            }
          });
    }
    assertTrue(failures.isEmpty(), failures::toString);
  }

  @Test
  void shouldLetTheRingFollowNodesThatComeAndNodesThatStayAway() throws Exception {
    nodePatience = "2s";
    start(0, 1, 2, 3);
    RingMap dealt = recorded();
    NodeId newcomer = nodes.get(4).id();
    assertFalse(dealt.members().contains(newcomer));
    start(4);
    try (ClusterDirectory observer = observer()) {
      await("a place for who comes", () -> shown(observer, 1).members().contains(newcomer));
      assertTrue(recorded().members().containsAll(dealt.members()));

      MetadataGroup group = observer.metadataGroup().orElseThrow();
      int away =
          IntStream.range(0, 4)
              .filter(i -> !group.hasMember(nodes.get(i).id()))
              .findFirst()
              .orElseThrow();
      NodeId gone = nodes.get(away).id();
      stop(away);
      await("others in its places", () -> shown(observer, 1).node(gone).isEmpty());
      start(away);
      // it gets a place once no other node is copying
      await("who is back", () -> shown(observer, 1).node(gone).isPresent());
      await("what is recorded", () -> recordedIs(shown(observer, 1)));
    }
    assertTrue(failures.isEmpty(), failures::toString);
  }

  private boolean recordedIs(RingMap map) {
    try {
      return recorded().equals(map);
    } catch (VdfsException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * One write in ZooKeeper once put all members aside, and each later one would have done so again.
   */
  @Test
  void shouldNotRetireForWhatNoNodeWrote() throws Exception {
    start(0, 1, 2, 3);
    make("/a");
    List<Integer> founders = published(0);
    try (ClusterDirectory observer = observer()) {
      String path = observer.paths().metadata();
      MetadataGroup group =
          observer.await(
              "the founders to be published",
              seen -> seen.metadataGroup().filter(shown -> shown.version() > 0),
              LIMIT);
      byte[] before = observer.curator().getData().forPath(path);
      MetadataMember stranger =
          new MetadataMember(new NodeId(new UUID(9, 9)), "stranger.example.org", 9862);
      List<MetadataGroup> hostile =
          List.of(
              new MetadataGroup(UUID.randomUUID(), List.of(stranger), 99, List.of(group.groupId())),
              group.withMembers(List.of(stranger), Long.MAX_VALUE));
      for (MetadataGroup forged : hostile) {
        byte[] record = ClusterCodec.encode(forged);
        assertTrue(observer.curator().setData().forPath(path, record).getVersion() > 0);
        awaitGivenBack(observer, path, record);
      }
      assertArrayEquals(before, observer.curator().getData().forPath(path));
      for (int founder : founders) {
        assertFalse(isRetired(founder));
        assertTrue(running.get(founder).host.member().isPresent());
        assertEquals(Optional.of(group), running.get(founder).cluster.metadataGroup());
      }
    }
    see("/a");
    make("/b");
    assertEquals(List.of(), failures);
  }

  private static void awaitGivenBack(ClusterDirectory observer, String path, byte[] forged) {
    await(
        "the record to be given back: path=" + path,
        () -> {
          try {
            return !Arrays.equals(forged, observer.curator().getData().forPath(path));
          } catch (Exception e) {
            return false;
          }
        });
  }

  @Test
  void shouldBeginNoEmptyNamespaceWhereAllLogsAreGone() throws Exception {
    start(0, 1, 2, 3);
    make("/a");
    List<Integer> founders = published(0);
    try (ClusterDirectory observer = observer()) {
      MetadataGroup led =
          observer.await(
              "the founders to be published",
              seen -> seen.metadataGroup().filter(group -> group.version() > 0),
              LIMIT);
      await("all nodes to know it", () -> knownByAll(led));
      List.copyOf(running.keySet()).forEach(this::stop);
      for (int founder : founders) {
        assertTrue(Files.exists(home(founder)));
        MemberHome.retire(home(founder), 99);
      }
      // as from a backup of ZooKeeper that was made while the group was being founded
      MetadataGroup founding = new MetadataGroup(led.groupId(), led.members());
      byte[] old =
          observer.records().seal(observer.paths().metadata(), ClusterCodec.encode(founding));
      observer.curator().setData().forPath(observer.paths().metadata(), old);
      start(0, 1, 2, 3);
      for (int founder : founders) {
        await(
            "a member that waits for a leader",
            () ->
                running.get(founder).host.member().orElseThrow().status().role()
                    == GroupStatus.Role.WAITING);
        assertEquals(List.of(), configured(founder), "nobody begins by the founders' list");
      }

      // one of them finds its disk again, but two without a log are no majority
      stop(founders.get(0));
      try (Stream<Path> kept = Files.list(home(founders.get(0)).getParent())) {
        Path log =
            kept.filter(p -> p.toString().contains("raft.removed-")).findFirst().orElseThrow();
        MemberHome.retire(home(founders.get(0)), 100);
        Files.move(log, home(founders.get(0)));
      }
      start(founders.get(0));
      await("its old members", () -> configured(founders.get(0)).equals(founders));
      assertFalse(running.get(founders.get(0)).host.member().orElseThrow().isLeader());
    }
  }

  private boolean knownByAll(MetadataGroup group) {
    for (int number = 0; number < 4; number++) {
      try {
        if (settings(number).clusterCopy().read().filter(c -> c.group().equals(group)).isEmpty()) {
          return false;
        }
      } catch (VdfsException e) {
        throw new IllegalStateException(e);
      }
    }
    return true;
  }

  @Test
  void shouldServeWithoutAMemberWhereTheDiskOfTheMetadataFails() throws Exception {
    start(0, 1, 2, 3);
    List<Integer> founders = published(0);
    await(
        "the founders to be published",
        () -> running.get(founders.get(0)).cluster.metadataGroup().orElseThrow().version() > 0);
    int member = founders.get(0);
    int spare = 6 - founders.stream().mapToInt(Integer::intValue).sum();
    stop(member);
    diskProblems.put(member, "no metadata member on this node: the disk is dead");
    start(member);
    assertEquals(Optional.empty(), running.get(member).host.member());
    stop(spare);
    diskProblems.put(spare, "no metadata member on this node: another disk is dead");
    start(spare);
    MetadataGroup group = running.get(spare).cluster.metadataGroup().orElseThrow();
    CompletionException refused =
        assertThrows(
            CompletionException.class,
            () ->
                running
                    .get(spare)
                    .host
                    .invite(group.groupId(), group.version(), levels.newest())
                    .join());
    assertTrue(refused.getMessage().contains("another disk is dead"), refused.getMessage());
    assertFalse(Files.exists(home(spare)));
    make("/without");
    assertEquals(List.of(), failures);
  }
}
