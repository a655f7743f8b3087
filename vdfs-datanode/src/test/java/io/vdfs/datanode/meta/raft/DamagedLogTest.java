package io.vdfs.datanode.meta.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.datanode.InMemory;
import io.vdfs.datanode.meta.group.GroupCounter;
import io.vdfs.datanode.meta.group.GroupMemberSettings;
import io.vdfs.datanode.meta.group.GroupStatus;
import io.vdfs.datanode.meta.group.LogDoubt;
import io.vdfs.datanode.meta.raft.disk.LogCheck;
import io.vdfs.datanode.meta.raft.disk.LogRepair;
import io.vdfs.datanode.meta.raft.disk.MemberDirectory;
import io.vdfs.datanode.meta.raft.disk.SegmentScan;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Real members of which some were killed and find their log damaged. */
@Timeout(180)
class DamagedLogTest {
  private static final int PAGE = 4_096;

  @TempDir(factory = InMemory.class)
  Path directory;

  private final List<String> expected = new ArrayList<>();

  /** What happens to the end of a log file whose entries were all acknowledged. */
  enum Rot {
    LAST_64_BYTES {
      @Override
      void strike(Path file) throws IOException {
        overwrite(file, end(file) - 64, garbage(64));
      }
    },
    ZEROES_FROM_WITHIN_AN_ENTRY {
      @Override
      void strike(Path file) throws IOException {
        overwrite(file, end(file) - 20, new byte[PAGE]);
      }
    },
    GARBAGE_FROM_WITHIN_AN_ENTRY {
      @Override
      void strike(Path file) throws IOException {
        overwrite(file, end(file) - 20, garbage(PAGE));
      }
    },
    CUT_WITHIN_AN_ENTRY {
      @Override
      void strike(Path file) throws IOException {
        truncate(file, end(file) - 3);
      }
    },
    SEVERAL_ENTRIES_BEFORE_THE_LAST {
      @Override
      void strike(Path file) throws IOException {
        overwrite(file, end(file) - 400, garbage(100));
      }
    };

    abstract void strike(Path file) throws IOException;
  }

  private static byte[] garbage(int size) {
    byte[] bytes = new byte[size];
    new Random(size).nextBytes(bytes);
    return bytes;
  }

  /** Of the entries, before the room made in advance. */
  private static long end(Path file) throws IOException {
    SegmentScan scan = SegmentScan.of(Files.readAllBytes(file), first(file));
    assertFalse(scan.damaged(), "damaged before: " + file);
    return scan.soundBytes();
  }

  private static void overwrite(Path file, long at, byte[] bytes) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(bytes), at);
    }
  }

  private static void truncate(Path file, long size) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(size);
    }
  }

  private static long first(Path file) {
    return Long.parseLong(file.getFileName().toString().replaceAll(".*_", ""));
  }

  private static Path openFile(TestGroup group, int member) throws IOException {
    try (Stream<Path> files = Files.list(group.storageOf(member).resolve("current"))) {
      return files
          .filter(file -> file.getFileName().toString().startsWith("log_inprogress_"))
          .max(Comparator.comparingLong(DamagedLogTest::first))
          .orElseThrow();
    }
  }

  private void fill(TestGroup group, String prefix, int count) {
    for (int i = 0; i < count; i++) {
      group.make(prefix + i);
      expected.add(prefix + i);
    }
  }

  private static List<Path> aside(TestGroup group, int member) throws IOException {
    Path aside = group.directoryOf(member).resolve(LogRepair.ASIDE);
    if (!Files.exists(aside)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(aside)) {
      return files.toList();
    }
  }

  private static Optional<LogDoubt> doubt(TestGroup group, int member) {
    return group.member(member).status().doubt();
  }

  private static void awaitCertain(TestGroup group, int... members) {
    for (int member : members) {
      TestGroup.await("member " + member + " to be certain", () -> doubt(group, member).isEmpty());
      assertFalse(Files.exists(group.directoryOf(member).resolve(MemberDirectory.DOUBT)));
    }
  }

  private static void awaitNoMajority(TestGroup group, int asked) {
    TestGroup.await(
        "the loss to be told",
        () -> {
          assertTrue(group.leaders().isEmpty(), "a leader was elected");
          return group
              .member(asked)
              .submit(group.mkdirs("/lost"))
              .join()
              .getError()
              .getMessage()
              .contains("majority");
        });
    assertTrue(group.leaders().isEmpty(), "a leader was elected");
  }

  /** Numbers of the leader, of one that has all, and of one that lags. */
  private record Roles(int leader, int follower, int lagging) {}

  /** A name that only the leader and one follower have. */
  private Roles acknowledgeWhileOneLags(TestGroup group) throws Exception {
    int leader = group.leader();
    fill(group, "/a", 10);
    group.awaitEqualStates(expected);
    int follower = (leader + 1) % 3;
    int lagging = (leader + 2) % 3;
    group.crash(lagging);
    fill(group, "/x", 1);
    group.awaitEqualStates(expected);
    group.crash(leader);
    group.crash(follower);
    return new Roles(leader, follower, lagging);
  }

  @ParameterizedTest
  @EnumSource(Rot.class)
  void shouldLoseNothingWhenAnAcknowledgedLastEntryRotsWhileAnotherMemberLags(Rot rot)
      throws Exception {
    try (TestGroup group = new TestGroup(directory, 3, TestGroup.quick()).startAll()) {
      Roles roles = acknowledgeWhileOneLags(group);
      byte[] before = Files.readAllBytes(openFile(group, roles.follower()));
      rot.strike(openFile(group, roles.follower()));
      byte[] struck = Files.readAllBytes(openFile(group, roles.follower()));
      assertTrue(!Arrays.equals(before, struck), "nothing was damaged");

      group.start(roles.follower());
      assertEquals(1, group.counters.get(GroupCounter.TORN_LOGS));
      assertEquals(Optional.of(LogDoubt.TORN), doubt(group, roles.follower()));
      assertEquals(1, aside(group, roles.follower()).size(), "what was cut off is kept");
      group.start(roles.lagging());
      awaitNoMajority(group, roles.lagging());
      assertEquals(Optional.of(LogDoubt.TORN), doubt(group, roles.follower()));

      group.start(roles.leader());
      group.awaitEqualStates(expected);
      awaitCertain(group, roles.follower());
      fill(group, "/b", 3);
      group.awaitEqualStates(expected);
      assertEquals(1, group.counters.get(GroupCounter.DOUBTS_SETTLED));
      assertTrue(group.failures.isEmpty(), group.failures::toString);
    }
  }

  /**
   * The same log cut off in the same way, but without a note of it: the test above would find that.
   */
  @Test
  void shouldLoseAnAcknowledgedEntryIfACutWereForgotten() throws Exception {
    try (TestGroup group = new TestGroup(directory, 3, TestGroup.quick()).startAll()) {
      Roles roles = acknowledgeWhileOneLags(group);
      Rot.LAST_64_BYTES.strike(openFile(group, roles.follower()));
      GroupMemberSettings settings =
          group.settings(roles.follower(), group.directoryOf(roles.follower()));
      try (MemberDirectory home =
          MemberDirectory.open(settings.directory(), settings.groupId(), settings.self())) {
        assertTrue(
            new LogRepair(home, settings.groupId(), group.counters).prepare(true).isPresent());
        home.settleDoubt();
      }
      group.start(roles.follower());
      group.start(roles.lagging());
      int elected = group.leader();
      assertFalse(group.states.get(elected).paths().contains("/x0"), "/x0 was acknowledged");
    }
  }

  /** Ratis' leader would take it at its former word and never send again what it lost. */
  @Test
  void shouldCatchUpFromALeaderThatKnewItBefore() throws Exception {
    try (TestGroup group = new TestGroup(directory, 3, TestGroup.quick()).startAll()) {
      int leader = group.leader();
      fill(group, "/a", 10);
      group.awaitEqualStates(expected);
      int torn = (leader + 1) % 3;
      group.crash(torn);
      Rot.SEVERAL_ENTRIES_BEFORE_THE_LAST.strike(openFile(group, torn));
      group.start(torn);
      assertEquals(1, group.counters.get(GroupCounter.TORN_LOGS));
      group.awaitEqualStates(expected);
      awaitCertain(group, torn);
      assertEquals(leader, group.leader());
      fill(group, "/b", 3);
      group.awaitEqualStates(expected);
      assertTrue(group.failures.isEmpty(), group.failures::toString);
    }
  }

  /** What was acknowledged was forced, so that only what came behind it is torn. */
  @Test
  void shouldStartByThemselvesWhenAllMembersAreTorn() throws Exception {
    try (TestGroup group = new TestGroup(directory, 3, TestGroup.quick()).startAll()) {
      group.leader();
      fill(group, "/a", 20);
      group.awaitEqualStates(expected);
      for (int i = 0; i < 3; i++) {
        group.crash(i);
      }
      Path full = openFile(group, 0);
      long end = end(full);
      byte[] entry = new byte[30];
      ByteBuffer.wrap(Files.readAllBytes(full)).get((int) end - 60, entry);
      overwrite(openFile(group, 0), end(openFile(group, 0)), entry);
      overwrite(openFile(group, 1), end(openFile(group, 1)) + PAGE, garbage(PAGE));
      overwrite(openFile(group, 2), end(openFile(group, 2)), garbage(100));
      group.startAll();
      assertEquals(3, group.counters.get(GroupCounter.TORN_LOGS));
      group.leader();
      group.awaitEqualStates(expected);
      awaitCertain(group, 0, 1, 2);
      assertEquals(3, group.counters.get(GroupCounter.DOUBTS_SETTLED));
      fill(group, "/b", 3);
      group.awaitEqualStates(expected);
      assertTrue(group.failures.isEmpty(), group.failures::toString);
    }
  }

  /** Two of three logs were torn; the third one has most and was not. */
  @Test
  void shouldFollowTheMemberThatHasMostWhenTheOthersAreTorn() throws Exception {
    try (TestGroup group = new TestGroup(directory, 3, TestGroup.quick()).startAll()) {
      Roles roles = acknowledgeWhileOneLags(group);
      Rot.LAST_64_BYTES.strike(openFile(group, roles.follower()));
      Rot.CUT_WITHIN_AN_ENTRY.strike(openFile(group, roles.lagging()));
      group.startAll();
      assertEquals(roles.leader(), group.leader());
      group.awaitEqualStates(expected);
      awaitCertain(group, 0, 1, 2);
      assertEquals(2, group.counters.get(GroupCounter.DOUBTS_SETTLED));
      assertTrue(group.failures.isEmpty(), group.failures::toString);
    }
  }

  @Test
  void shouldStartOverWhenTheLogIsDamagedBeforeItsEnd() throws Exception {
    try (TestGroup group = new TestGroup(directory, 3, TestGroup.quick()).startAll()) {
      int leader = group.leader();
      fill(group, "/a", 200);
      group.awaitEqualStates(expected);
      int damaged = (leader + 1) % 3;
      group.crash(damaged);
      overwrite(openFile(group, damaged), 900, garbage(50));
      byte[] log = Files.readAllBytes(openFile(group, damaged));
      group.start(damaged);
      assertEquals(1, group.counters.get(GroupCounter.DAMAGED_LOGS));
      assertEquals(List.of(group.storageOf(damaged).getFileName()), names(aside(group, damaged)));
      Path kept = aside(group, damaged).get(0).resolve("current");
      try (Stream<Path> files = Files.list(kept)) {
        Path file = files.filter(f -> f.toString().contains("log_in")).findAny().orElseThrow();
        assertTrue(Arrays.equals(log, Files.readAllBytes(file)), "not as it was");
      }
      group.awaitEqualStates(expected);
      awaitCertain(group, damaged);
      fill(group, "/b", 3);
      group.awaitEqualStates(expected);

      // and has a vote again
      group.stop(leader);
      fill(group, "/c", 3);
      group.awaitEqualStates(expected);
      assertTrue(group.failures.isEmpty(), group.failures::toString);
    }
  }

  private static List<Path> names(List<Path> paths) {
    return paths.stream().map(Path::getFileName).toList();
  }

  /** Its term is not forgotten with the log, or it would follow a leader of the past. */
  @Test
  void shouldNotVoteAgainInATermWhenItsLogIsPutAside() throws Exception {
    try (TestGroup group = new TestGroup(directory, 3, TestGroup.quick()).startAll()) {
      int leader = group.leader();
      fill(group, "/a", 200);
      group.awaitEqualStates(expected);
      int damaged = (leader + 1) % 3;
      group.crash(damaged);
      group.crash(leader);
      group.crash((leader + 2) % 3);
      String vote = Files.readString(group.storageOf(damaged).resolve("current/raft-meta"));
      overwrite(openFile(group, damaged), 900, garbage(50));
      group.start(damaged);
      LogCheck.Vote kept =
          LogCheck.vote(group.storageOf(damaged).resolve("current/raft-meta")).orElseThrow();
      assertTrue(vote.contains("term=" + kept.term()), vote);
      assertTrue(kept.term() > 0);
      assertEquals(kept.term(), group.member(damaged).term());
      assertEquals(GroupStatus.Role.WAITING, group.member(damaged).status().role());
      assertEquals(Optional.of(LogDoubt.EMPTIED), doubt(group, damaged));
    }
  }

  @Test
  void shouldStartOverWhenTheSnapshotIsDamaged() throws Exception {
    try (TestGroup group = snapshotsOften()) {
      int leader = group.leader();
      fill(group, "/a", 60);
      group.awaitEqualStates(expected);
      int damaged = (leader + 1) % 3;
      group.stop(damaged);
      overwrite(newestSnapshot(group, damaged), 30, garbage(5));
      group.start(damaged);
      assertEquals(1, group.counters.get(GroupCounter.DAMAGED_LOGS));
      group.awaitEqualStates(expected);
      awaitCertain(group, damaged);
      assertTrue(group.failures.isEmpty(), group.failures::toString);
    }
  }

  /** As if it had been killed when a leader's snapshot was in place, with its own entries there. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldGoOnFromASnapshotThatItsLogDoesNotReach(boolean torn) throws Exception {
    try (TestGroup group = snapshotsOften()) {
      int overtaken = overtake(group);
      if (torn) {
        Rot.LAST_64_BYTES.strike(openFile(group, overtaken));
      }
      group.start(overtaken);
      assertEquals(1, group.counters.get(GroupCounter.OVERTAKEN_LOGS));
      assertEquals(torn ? 1 : 0, group.counters.get(GroupCounter.TORN_LOGS));
      fill(group, "/c", 5);
      group.awaitEqualStates(expected);
      awaitCertain(group, overtaken);
      assertEquals(torn ? 1 : 0, aside(group, overtaken).size());

      group.stop(overtaken);
      group.start(overtaken);
      assertEquals(1, group.counters.get(GroupCounter.OVERTAKEN_LOGS));
      fill(group, "/d", 5);
      group.awaitEqualStates(expected);
      assertTrue(group.failures.isEmpty(), group.failures::toString);
    }
  }

  @Test
  void shouldRecoverFromASnapshotThatItsLogDoesNotReach() throws Exception {
    try (TestGroup group = snapshotsOften()) {
      int overtaken = overtake(group);
      for (int i = 0; i < 3; i++) {
        if (i != overtaken) {
          group.stop(i);
        }
      }
      UUID next;
      try (MemberRecovery recovery = recovery(group, overtaken)) {
        next = recovery.begin();
        recovery.takeOver(next, group.members.get(overtaken));
        recovery.end(next);
      }
      group.becomes(next);
      group.start(overtaken);
      group.make("/c");
      List<String> paths = group.states.get(overtaken).paths();
      assertTrue(paths.containsAll(expected.subList(0, 60)), paths::toString);
      assertTrue(paths.contains("/c"), paths::toString);
      assertTrue(group.failures.isEmpty(), group.failures::toString);
    }
  }

  private TestGroup snapshotsOften() throws VdfsException {
    return new TestGroup(
            directory,
            3,
            TestGroup.tuning(
                Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(10), 20))
        .startAll();
  }

  /** Stops a member whose open log file ends before the snapshot that it gets from the leader. */
  private int overtake(TestGroup group) throws Exception {
    int leader = group.leader();
    fill(group, "/a", 10);
    group.awaitEqualStates(expected);
    int overtaken = (leader + 1) % 3;
    group.crash(overtaken);
    fill(group, "/b", 60);
    group.awaitEqualStates(expected);
    int source = (leader + 2) % 3;
    group.stop(source);
    Path snapshot = newestSnapshot(group, source);
    assertTrue(first(snapshot) >= 30, snapshot::toString);
    Path target = Files.createDirectories(group.storageOf(overtaken).resolve("sm"));
    for (String name : List.of(snapshot.getFileName() + ".md5", "" + snapshot.getFileName())) {
      Files.copy(snapshot.resolveSibling(name), target.resolve(name));
    }
    group.start(source);
    return overtaken;
  }

  private static Path newestSnapshot(TestGroup group, int member) throws IOException {
    try (Stream<Path> files = Files.list(group.storageOf(member).resolve("sm"))) {
      return files
          .filter(file -> file.getFileName().toString().matches("snapshot\\.\\d+_\\d+"))
          .max(Comparator.comparingLong(DamagedLogTest::first))
          .orElseThrow();
    }
  }

  @Test
  void shouldServeAloneWithoutATornLastEntry() throws Exception {
    try (TestGroup group = new TestGroup(directory, 1, TestGroup.quick()).startAll()) {
      group.leader();
      fill(group, "/a", 20);
      group.crash(0);
      Rot.LAST_64_BYTES.strike(openFile(group, 0));
      group.start(0);
      group.leader();
      awaitCertain(group, 0);
      List<String> left = group.states.get(0).paths();
      assertEquals(expected.subList(0, left.size()), left);
      assertTrue(left.size() >= 18, left::toString);
      assertEquals(1, aside(group, 0).size());
      group.make("/b");
    }
  }

  @Test
  void shouldKeepTheDamagedLogOfTheOnlyMember() throws Exception {
    try (TestGroup group = new TestGroup(directory, 1, TestGroup.quick()).startAll()) {
      group.leader();
      fill(group, "/a", 200);
      group.crash(0);
      Path file = openFile(group, 0);
      overwrite(file, 900, garbage(50));
      byte[] log = Files.readAllBytes(file);
      VdfsException refusal = assertThrows(VdfsException.class, () -> group.start(0));
      assertEquals(ErrorCode.CORRUPT, refusal.code());
      assertTrue(refusal.getMessage().contains(file.toString()), refusal::getMessage);
      assertTrue(Arrays.equals(log, Files.readAllBytes(file)), "changed");
      assertEquals(List.of(), aside(group, 0));
    }
  }

  @Test
  void shouldRecoverFromATornLogButNotFromOneThatIsGone() throws Exception {
    try (TestGroup group = new TestGroup(directory, 3, TestGroup.quick()).startAll()) {
      int leader = group.leader();
      fill(group, "/a", 200);
      group.awaitEqualStates(expected);
      int gone = (leader + 1) % 3;
      group.crash(gone);
      group.crash(leader);
      group.crash((leader + 2) % 3);
      overwrite(openFile(group, gone), 900, garbage(50));
      try (MemberRecovery recovery = recovery(group, gone)) {
        VdfsException damaged = assertThrows(VdfsException.class, recovery::findings);
        assertTrue(damaged.getMessage().contains("log is damaged"), damaged::getMessage);
      }
      group.start(gone);
      group.stop(gone);
      try (MemberRecovery recovery = recovery(group, gone)) {
        VdfsException lost = assertThrows(VdfsException.class, recovery::findings);
        assertTrue(lost.getMessage().contains("on another member"), lost::getMessage);
      }

      Rot.LAST_64_BYTES.strike(openFile(group, leader));
      UUID next;
      try (MemberRecovery recovery = recovery(group, leader)) {
        long last = recovery.findings().last();
        assertTrue(last >= 197 && last <= 201, "last=" + last);
        next = recovery.begin();
        recovery.takeOver(next, group.members.get(leader));
        recovery.end(next);
      }
      assertEquals(1, aside(group, leader).size());
      group.becomes(next);
      group.start(leader);
      assertEquals(leader, group.leader());
      assertEquals(Optional.empty(), doubt(group, leader));
      group.make("/b");
      assertTrue(group.states.get(leader).paths().containsAll(expected.subList(0, 190)));
    }
  }

  private static MemberRecovery recovery(TestGroup group, int member) throws VdfsException {
    return MemberRecovery.open(group.directoryOf(member), group.members.get(member).id());
  }

  /** A member that lost everything can't say what it had; its word settles nothing. */
  @Test
  void shouldElectNobodyWhileAnEmptiedAndATornMemberMayLackTheSame() throws Exception {
    try (TestGroup group = new TestGroup(directory, 3, TestGroup.quick()).startAll()) {
      group.leader();
      fill(group, "/b", 200);
      Roles roles = acknowledgeWhileOneLags(group);
      Rot.LAST_64_BYTES.strike(openFile(group, roles.follower()));
      overwrite(openFile(group, roles.leader()), 900, garbage(50));
      group.startAll();
      assertEquals(1, group.counters.get(GroupCounter.TORN_LOGS));
      assertEquals(1, group.counters.get(GroupCounter.DAMAGED_LOGS));
      awaitNoMajority(group, roles.lagging());
      assertEquals(
          2,
          IntStream.range(0, 3).filter(member -> doubt(group, member).isPresent()).count(),
          "settled by itself");
    }
  }
}
