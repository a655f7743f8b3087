package io.vdfs.datanode.meta.raft;

import com.google.protobuf.ByteString;
import io.vdfs.common.cluster.record.MetadataMember;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.security.ClusterKey;
import io.vdfs.common.security.KeyPurposes;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.CallIdProto;
import io.vdfs.common.wire.proto.GetStatusQuery;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.MkdirsOp;
import io.vdfs.datanode.meta.ReplicatedState;
import io.vdfs.datanode.meta.group.GroupCounter;
import io.vdfs.datanode.meta.group.GroupMember;
import io.vdfs.datanode.meta.group.GroupMemberSettings;
import io.vdfs.datanode.meta.group.GroupMemberSettings.Tuning;
import io.vdfs.datanode.meta.group.GroupStatus;
import io.vdfs.datanode.meta.group.Peers;
import io.vdfs.datanode.meta.raft.disk.DiskForce;
import io.vdfs.datanode.meta.raft.disk.MemberDirectory;
import io.vdfs.datanode.meta.raft.disk.MemberHome;
import io.vdfs.datanode.meta.raft.lease.ReadGuards;
import io.vdfs.datanode.meta.service.edge.LeadershipListener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** A metadata group of several members in this process, with toy states unless told otherwise. */
public final class TestGroup implements AutoCloseable {
  static final Duration LIMIT = Duration.ofSeconds(60);

  final List<MetadataMember> members = new ArrayList<>();
  final List<PathsState> states = new ArrayList<>();
  final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
  final Counters<GroupCounter> counters = new Counters<>(GroupCounter.class);
  final ConcurrentLinkedQueue<String> leaderships = new ConcurrentLinkedQueue<>();

  private final List<GroupMember> groups = new CopyOnWriteArrayList<>();
  private final Path directory;
  private final Tuning tuning;
  private final Supplier<? extends ReplicatedState> newState;
  private final AtomicLong calls = new AtomicLong();
  private UUID id = UUID.randomUUID();
  private Optional<ClusterKey> key = Optional.of(ClusterKey.generate(new SecureRandom()));
  private int founders = Integer.MAX_VALUE;
  private int crashes;
  private Optional<TestWires> wires = Optional.empty();
  private Optional<Supplier<ReadGuards>> guards = Optional.empty();
  private DiskForce force = DiskForce.REAL;

  TestGroup(Path directory, int size, Tuning tuning) {
    this(directory, size, tuning, PathsState::new);
  }

  /** With {@link #states} only where these are toys. */
  TestGroup(Path directory, int size, Tuning tuning, Supplier<? extends ReplicatedState> newState) {
    this.directory = directory;
    this.tuning = tuning;
    this.newState = newState;
    for (int i = 0; i < size; i++) {
      members.add(new MetadataMember(NodeId.random(), "localhost", TestPorts.take()));
      states.add(null);
    }
    groups.addAll(Collections.nCopies(size, null));
  }

  static Tuning tuning(Duration min, Duration max, Duration limit, long snapshotEntries) {
    return new Tuning(min, max, limit, 64 << 10, snapshotEntries);
  }

  static Tuning quick() {
    return tuning(Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(5), 1_000_000);
  }

  /** Lets members talk through wires that can be cut; called before they start. */
  TestGroup behindWires() throws IOException {
    wires = Optional.of(new TestWires(members.stream().map(MetadataMember::raftPort).toList()));
    return this;
  }

  TestWires wires() {
    return wires.orElseThrow();
  }

  /** Plants other guards into members that start from now on. */
  TestGroup withGuards(Supplier<ReadGuards> planted) {
    guards = Optional.of(planted);
    return this;
  }

  /** Lets members that start from now on force through another disk. */
  TestGroup forcing(DiskForce other) {
    force = other;
    return this;
  }

  /** Only the first ones found the group; others wait to be taken up. */
  TestGroup foundedBy(int first) {
    founders = first;
    return this;
  }

  /** Members that start from now on belong to another group, which none of them founds. */
  void becomes(UUID other) {
    id = other;
    founders = 0;
  }

  /** The secret of members that start from now on; without one they believe every peer. */
  TestGroup keyed(Optional<ClusterKey> other) {
    key = other;
    return this;
  }

  ClusterKey key() {
    return key.orElseThrow();
  }

  TestGroup startAll() throws VdfsException {
    for (int i = 0; i < members.size(); i++) {
      if (i < founders) {
        start(i);
      } else {
        startInvited(i);
      }
    }
    return this;
  }

  GroupMember start(int member) throws VdfsException {
    int port = members.get(member).raftPort();
    await("the end of the member's connections", () -> TestPorts.isFree(port));
    ReplicatedState state = newState.get();
    GroupMemberSettings settings = settings(member, directoryOf(member));
    GroupMember group =
        RatisGroupMember.start(
            settings,
            state,
            listener(member),
            failures::add,
            counters,
            new Peers(all -> "nobody asked", (asked, node) -> askForStatus(node)),
            guards.map(Supplier::get).orElseGet(() -> ReadGuards.of(settings)),
            force);
    states.set(member, state instanceof PathsState toy ? toy : null);
    groups.set(member, group);
    return group;
  }

  private CompletableFuture<Optional<GroupStatus>> askForStatus(NodeId node) {
    for (int i = 0; i < members.size(); i++) {
      GroupMember asked = groups.get(i);
      if (asked != null && members.get(i).id().equals(node)) {
        return CompletableFuture.completedFuture(Optional.of(asked.status()));
      }
    }
    return CompletableFuture.completedFuture(Optional.empty());
  }

  /** Starts a member that a leader will take up. */
  GroupMember startInvited(int member) throws VdfsException {
    MemberHome.invite(directoryOf(member), id, members.get(member).id(), 0);
    return start(member);
  }

  GroupMemberSettings settings(int member, Path directoryOfMember) {
    return new GroupMemberSettings(
        id,
        member < founders
            ? seenBy(member).subList(0, Math.min(founders, members.size()))
            : List.of(),
        members.get(member),
        directoryOfMember,
        "localhost",
        "vdfs.raft.port",
        key.map(secret -> secret.derive(KeyPurposes.RAFT)),
        tuning);
  }

  private List<MetadataMember> seenBy(int member) {
    List<MetadataMember> seen = new ArrayList<>();
    for (int i = 0; i < members.size(); i++) {
      MetadataMember real = members.get(i);
      int other = i;
      seen.add(
          i == member
              ? real
              : wires
                  .map(all -> all.port(member, other))
                  .map(port -> new MetadataMember(real.id(), real.host(), port))
                  .orElse(real));
    }
    return seen;
  }

  Path directoryOf(int member) {
    return directory.resolve("m" + member);
  }

  private LeadershipListener listener(int member) {
    return new LeadershipListener() {
      @Override
      public void onLeader(long term) {
        leaderships.add(member + "+");
      }

      @Override
      public void onFollower() {
        leaderships.add(member + "-");
      }
    };
  }

  GroupMember member(int member) {
    return groups.get(member);
  }

  void stop(int member) {
    groups.get(member).close();
    groups.set(member, null);
  }

  /** Stops a member so that it leaves what it would leave if it were killed now. */
  void crash(int member) throws IOException {
    Path home = directoryOf(member);
    Path image = home.resolveSibling(home.getFileName() + ".image");
    copy(home, image);
    stop(member);
    Files.move(home, home.resolveSibling(home.getFileName() + ".stopped-" + crashes++));
    Files.move(image, home);
  }

  private static void copy(Path from, Path to) throws IOException {
    List<Path> paths;
    try (Stream<Path> walk = Files.walk(from)) {
      paths = walk.toList();
    }
    for (Path path : paths) {
      Files.copy(path, to.resolve(from.relativize(path).toString()));
    }
  }

  /** Where Ratis keeps a member's files. */
  Path storageOf(int member) {
    return directoryOf(member).resolve(MemberDirectory.DATA).resolve(id.toString());
  }

  /**
   * Asks members that take themselves for the leader, with one call id, until there is an outcome.
   *
   * @param avoided member that is not asked; -1 for none
   */
  MetaResponse ask(MetaRequest request, boolean mutation, Random random, int avoided) {
    long end = System.nanoTime() + LIMIT.toNanos();
    MetaResponse last = MetaResponse.getDefaultInstance();
    while (System.nanoTime() < end) {
      List<Integer> leaders = leaders();
      leaders.remove(Integer.valueOf(avoided));
      GroupMember leader =
          leaders.isEmpty() ? null : groups.get(leaders.get(random.nextInt(leaders.size())));
      if (leader != null) {
        last = askOnce(leader, request, mutation);
        boolean answerIsLost = random.nextInt(50) == 0;
        if (!isUndecided(last) && !answerIsLost) {
          return last;
        }
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
    }
    throw new AssertionError("no outcome within " + LIMIT + ": last=" + last);
  }

  static MetaResponse askOnce(GroupMember member, MetaRequest request, boolean mutation) {
    return (mutation ? member.submit(request) : member.query(request)).join();
  }

  /** Whether the answer says nothing about the request's outcome. */
  static boolean isUndecided(MetaResponse response) {
    ErrorCode code = response.hasError() ? code(response) : null;
    return code == ErrorCode.NOT_LEADER || code == ErrorCode.UNAVAILABLE;
  }

  /** Members that take themselves for the leader; an old one may not know better yet. */
  List<Integer> leaders() {
    List<Integer> leaders = new ArrayList<>();
    for (int i = 0; i < groups.size(); i++) {
      GroupMember group = groups.get(i);
      if (group != null && group.isLeader()) {
        leaders.add(i);
      }
    }
    return leaders;
  }

  /** Waits for a leader other than {@code old}. */
  int leaderBesides(int old) {
    AtomicInteger found = new AtomicInteger();
    await(
        "another leader",
        () ->
            leaders().stream()
                .filter(leader -> leader != old)
                .peek(found::set)
                .findAny()
                .isPresent());
    return found.get();
  }

  /** Waits for a leader. */
  int leader() {
    return leaderBesides(-1);
  }

  /** Makes {@code path} as a client does: tries members until one says it is done. */
  MetaResponse make(String path) {
    MetaRequest request = mkdirs(path);
    long end = System.nanoTime() + LIMIT.toNanos();
    MetaResponse last = MetaResponse.getDefaultInstance();
    for (int i = 0; System.nanoTime() < end; i++) {
      GroupMember group = groups.get(i % groups.size());
      if (group == null) {
        continue;
      }
      last = group.submit(request).join();
      if (!last.hasError()) {
        return last;
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
    }
    throw new AssertionError("not made within " + LIMIT + ": last=" + last);
  }

  MetaRequest mkdirs(String path) {
    return MetaRequest.newBuilder()
        .setCallId(
            CallIdProto.newBuilder()
                .setClientId(ByteString.copyFromUtf8("test"))
                .setCall(calls.incrementAndGet()))
        .setMkdirs(MkdirsOp.newBuilder().setPath(path))
        .build();
  }

  static MetaRequest status(String path) {
    return MetaRequest.newBuilder().setGetStatus(GetStatusQuery.newBuilder().setPath(path)).build();
  }

  static ErrorCode code(MetaResponse response) {
    if (!response.hasError()) {
      throw new AssertionError("no error: " + response);
    }
    return WireIds.errorCode(response.getError());
  }

  /**
   * Waits until each member that runs has an entry in its log: for a candidate that has some Ratis
   * does not count the votes of those that have none.
   */
  void awaitLogs() {
    for (GroupMember member : groups) {
      if (member != null) {
        await("an entry in each log", () -> member.status().last() >= 0);
      }
    }
  }

  /**
   * Waits until each member that runs has all that the leader's log has now: one that lags can't be
   * elected, and while it stands for election it holds the others up.
   */
  void awaitEqualLogs() {
    long last = member(leader()).status().last();
    for (GroupMember member : groups) {
      if (member != null) {
        await("the leader's entries in each log", () -> member.status().last() >= last);
      }
    }
  }

  void awaitEqualStates(List<String> expected) {
    for (int i = 0; i < groups.size(); i++) {
      if (groups.get(i) != null) {
        PathsState state = states.get(i);
        await("member " + i + " to catch up", () -> state.paths().equals(expected));
      }
    }
  }

  /** The smallest index that a member's log files still hold. */
  static long firstIndex(Path directory) {
    try (Stream<Path> files = Files.walk(directory)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.matches("log_(inprogress_)?\\d+(-\\d+)?"))
          .map(name -> name.replace("inprogress_", ""))
          .mapToLong(name -> Long.parseLong(name.replaceAll("log_(\\d+).*", "$1")))
          .min()
          .orElse(-1);
    } catch (IOException | UncheckedIOException e) {
      return -1; // a file went away under the walk
    }
  }

  public static void await(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("waited too long for " + what);
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }

  @Override
  public void close() {
    groups.stream().filter(group -> group != null).parallel().forEach(GroupMember::close);
    wires.ifPresent(TestWires::close);
  }
}
