package io.vdfs.datanode.meta.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.UnknownFieldSet;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.wire.proto.CallerProto;
import io.vdfs.common.wire.proto.LedgerRequest;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.MkdirsOp;
import io.vdfs.common.wire.proto.RaiseLevelOp;
import io.vdfs.common.wire.proto.SetQuotaOp;
import io.vdfs.datanode.InMemory;
import io.vdfs.datanode.meta.LedgerAdapter;
import io.vdfs.datanode.meta.MetadataHarness;
import io.vdfs.datanode.meta.MetadataState;
import io.vdfs.datanode.meta.group.GroupCounter;
import io.vdfs.datanode.meta.group.GroupMember;
import io.vdfs.datanode.meta.group.GroupMemberSettings.Tuning;
import io.vdfs.datanode.meta.group.GroupStatus;
import io.vdfs.datanode.meta.group.LevelRaiser;
import io.vdfs.datanode.meta.level.FeatureLevels;
import io.vdfs.datanode.meta.state.FlushedLengths;
import io.vdfs.datanode.meta.state.settings.MetadataSettings;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Members of two releases in one group: one release knows only the first level, the other has
 * setting a quota from the second level on.
 */
@Timeout(180)
class MetadataLevelTest {
  private static final int FIRST = FeatureLevels.FIRST;
  private static final int SECOND = FIRST + 1;
  private static final Tuning TUNING = TestGroup.quick();

  @TempDir(factory = InMemory.class)
  Path directory;

  private final List<MetadataState> states = new ArrayList<>();
  private FeatureLevels release = earlier();

  private static FeatureLevels earlier() {
    Map<FieldDescriptor, Integer> operations =
        new HashMap<>(FeatureLevels.ofThisRelease().operations());
    operations.remove(quota());
    return new FeatureLevels(FIRST, operations, Map.of());
  }

  private static FeatureLevels later() {
    Map<FieldDescriptor, Integer> operations =
        new HashMap<>(FeatureLevels.ofThisRelease().operations());
    operations.put(quota(), SECOND);
    return new FeatureLevels(SECOND, operations, Map.of());
  }

  private static FieldDescriptor quota() {
    return MetaRequest.getDescriptor().findFieldByNumber(MetaRequest.SET_QUOTA_FIELD_NUMBER);
  }

  private TestGroup group(Tuning tuning) throws Exception {
    return new TestGroup(
        directory,
        3,
        tuning,
        () -> {
          MetadataState state =
              new MetadataState(
                  MetadataSettings.of(MetadataHarness.GEOMETRY, "vdfs"),
                  release,
                  new LedgerAdapter(),
                  new FlushedLengths(),
                  () -> {});
          states.add(state);
          return state;
        });
  }

  private GroupMember start(TestGroup group, int member, FeatureLevels levels) throws Exception {
    release = levels;
    return group.start(member);
  }

  private static MetaRequest.Builder request() {
    return MetaRequest.newBuilder()
        .setCaller(CallerProto.newBuilder().setUser("vdfs").setSuperuser(true))
        .setTimeMillis(1_000);
  }

  private static MetaRequest mkdirs(String path) {
    return request().setMkdirs(MkdirsOp.newBuilder().setPath(path).setMode(0755)).build();
  }

  private static MetaRequest setQuota() {
    return request().setSetQuota(SetQuotaOp.newBuilder().setPath("/").setInodeLimit(100)).build();
  }

  /** Until a leader says whether it did it. */
  private static MetaResponse submit(TestGroup group, MetaRequest request) {
    MetaResponse[] last = new MetaResponse[1];
    TestGroup.await(
        "an answer to " + request.getOpCase(),
        () -> {
          last[0] = group.member(group.leader()).submit(request).join();
          return !TestGroup.isUndecided(last[0]);
        });
    return last[0];
  }

  private static void make(TestGroup group, String path) {
    MetaResponse made = submit(group, mkdirs(path));
    assertFalse(made.hasError(), made::toString);
  }

  private static LevelRaiser raiser(Map<NodeId, Integer> newest) {
    return new LevelRaiser(
        member ->
            newest.containsKey(member) ? OptionalInt.of(newest.get(member)) : OptionalInt.empty(),
        request().getCaller(),
        Clock.systemUTC());
  }

  /** What each member says of itself. */
  private static Map<NodeId, Integer> answers(TestGroup group) {
    Map<NodeId, Integer> answers = new HashMap<>();
    for (int i = 0; i < 3; i++) {
      if (group.member(i) != null) {
        answers.put(group.members.get(i).id(), group.member(i).newestLevel());
      }
    }
    return answers;
  }

  /** As if members that could carry it out went back to the earlier release. */
  private static void raiseAsIfAllCould(TestGroup group, int level) {
    Map<NodeId, Integer> answers = new HashMap<>();
    group.members.forEach(member -> answers.put(member.id(), level));
    raiseUntil(group, raiser(answers), level);
  }

  private static void raiseUntil(TestGroup group, LevelRaiser raiser, int level) {
    TestGroup.await(
        "level " + level,
        () -> {
          GroupMember leader = group.member(group.leader());
          raiser.look(leader);
          return leader.level() == level;
        });
  }

  private static long applied(TestGroup group, int member) {
    return group.member(member).status().applied();
  }

  @Test
  void shouldRefuseBeforeLoggingWhatNoMemberCanCarryOut() throws Exception {
    try (TestGroup group = group(TUNING).startAll()) {
      make(group, "/a");
      long logged = group.counters.get(GroupCounter.ENTRIES);
      UnknownFieldSet later =
          UnknownFieldSet.newBuilder()
              .addField(99, UnknownFieldSet.Field.newBuilder().addVarint(1).build())
              .build();
      for (MetaRequest refused :
          List.of(
              request().build(),
              request().setLedger(LedgerRequest.getDefaultInstance()).build(),
              request()
                  .setMkdirs(MkdirsOp.newBuilder().setPath("/b").setUnknownFields(later))
                  .build(),
              setQuota(),
              request().setRaiseLevel(RaiseLevelOp.newBuilder().setLevel(SECOND)).build(),
              TestGroup.status("/a"))) {
        assertEquals(
            ErrorCode.UNSUPPORTED, TestGroup.code(submit(group, refused)), refused::toString);
      }
      assertEquals(logged, group.counters.get(GroupCounter.ENTRIES));
      make(group, "/b");
    }
  }

  @Test
  void shouldRaiseTheLevelOnceAllMembersCan() throws Exception {
    try (TestGroup group = group(TUNING)) {
      start(group, 0, later());
      start(group, 1, later());
      start(group, 2, earlier());
      // the member that cannot must not lead: it has nothing to raise
      TestGroup.await("a leader of the later release", () -> leaves(group, 2));
      make(group, "/a");
      MetaResponse early = submit(group, setQuota());
      assertEquals(ErrorCode.UNSUPPORTED, TestGroup.code(early));
      assertTrue(
          early.getError().getMessage().contains("level=" + SECOND + ", inForce=" + FIRST),
          early.getError()::getMessage);
      assertTrue(raiser(answers(group)).look(group.member(group.leader())));
      assertEquals(FIRST, group.member(group.leader()).level());

      group.stop(2);
      assertTrue(raiser(answers(group)).look(group.member(group.leader())), "one does not answer");
      assertEquals(FIRST, group.member(group.leader()).level());

      start(group, 2, later());
      raiseUntil(group, raiser(answers(group)), SECOND);
      assertFalse(raiser(answers(group)).look(group.member(group.leader())));
      MetaResponse set = submit(group, setQuota());
      assertFalse(set.hasError(), set::toString);
      for (int i = 0; i < 3; i++) {
        GroupMember member = group.member(i);
        TestGroup.await("second level on member " + i, () -> member.level() == SECOND);
      }
      assertTrue(group.failures.isEmpty(), group.failures::toString);
    }
  }

  /** Stops the given member while it leads, and starts it again. */
  private boolean leaves(TestGroup group, int member) {
    if (group.leader() != member) {
      return true;
    }
    group.stop(member);
    group.leader();
    try {
      start(group, member, earlier());
    } catch (Exception e) {
      throw new AssertionError(e);
    }
    return false;
  }

  @Test
  void shouldStopBeforeAnEntryAboveItsLevelAndStayThere() throws Exception {
    try (TestGroup group = group(TUNING)) {
      for (int i = 0; i < 3; i++) {
        start(group, i, later());
      }
      make(group, "/a");
      int old = (group.leader() + 1) % 3;
      group.stop(old);
      start(group, old, earlier());
      make(group, "/b");
      long leaderApplied = applied(group, group.leader());
      TestGroup.await("the old member", () -> applied(group, old) >= leaderApplied);
      long before = applied(group, old);

      raiseAsIfAllCould(group, SECOND);
      assertFalse(submit(group, setQuota()).hasError());
      make(group, "/c");
      assertStopped(group);
      MetadataState stopped = states.get(states.size() - 1);
      TestGroup.await(
          "the end of the member",
          () -> group.member(old).status().role() == GroupStatus.Role.ENDED);
      assertEquals(FIRST, group.member(old).level());
      assertTrue(exists(stopped, "/b"));
      assertFalse(exists(stopped, "/c"), "an entry behind the one that can't be read was applied");
      assertTrue(before > 0);

      // the same again from disk, and again
      for (int i = 0; i < 2; i++) {
        group.stop(old);
        group.failures.clear();
        start(group, old, earlier());
        assertStopped(group);
        MetadataState again = states.get(states.size() - 1);
        TestGroup.await(
            "the end of the member",
            () -> group.member(old).status().role() == GroupStatus.Role.ENDED);
        assertFalse(exists(again, "/c"));
      }

      group.stop(old);
      group.failures.clear();
      start(group, old, later());
      long last = applied(group, group.leader());
      TestGroup.await("the cured member", () -> applied(group, old) >= last);
      MetadataState cured = states.get(states.size() - 1);
      assertEquals(SECOND, group.member(old).level());
      group.stop(old);
      assertTrue(exists(cured, "/c"));
      assertTrue(group.failures.isEmpty(), group.failures::toString);
    }
  }

  private static void assertStopped(TestGroup group) {
    TestGroup.await("the member to stop", () -> !group.failures.isEmpty());
    assertEquals(1, group.failures.size(), group.failures::toString);
    VdfsException failure = (VdfsException) group.failures.peek();
    assertEquals(ErrorCode.UNSUPPORTED, failure.code());
    assertFalse(failure.getMessage().contains("\n"));
    for (String part : List.of("needed=" + SECOND, "newest=" + FIRST, "install the release")) {
      assertTrue(failure.getMessage().contains(part), failure::getMessage);
    }
  }

  /** Of a state that nothing touches any more. */
  private static boolean exists(MetadataState state, String path) {
    return new MetadataHarness(state).exists(path);
  }

  @Test
  void shouldStopBeforeASnapshotAboveItsLevel() throws Exception {
    Tuning tuning =
        TestGroup.tuning(Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(5), 20);
    try (TestGroup group = group(tuning)) {
      for (int i = 0; i < 3; i++) {
        start(group, i, later());
      }
      make(group, "/a");
      int old = (group.leader() + 1) % 3;
      group.stop(old);
      raiseAsIfAllCould(group, SECOND);
      for (int i = 0; i < 150; i++) {
        make(group, "/s" + i + "x".repeat(200));
      }
      TestGroup.await("snapshots", () -> group.counters.get(GroupCounter.SNAPSHOTS) > 1);
      awaitPurge(group);

      start(group, old, earlier());
      assertStopped(group);
      assertTrue(group.failures.peek().getMessage().contains("snapshot"), group.failures::toString);
      TestGroup.await(
          "the end of the member",
          () -> group.member(old).status().role() == GroupStatus.Role.ENDED);
      assertEquals(FIRST, group.member(old).level());

      group.stop(old);
      // it has the snapshot on its disk by now
      release = earlier();
      VdfsException refused = assertThrows(VdfsException.class, () -> group.start(old));
      assertEquals(ErrorCode.UNSUPPORTED, refused.code());
      assertTrue(
          refused.getMessage().contains("needed=" + SECOND + ", newest=" + FIRST),
          refused::getMessage);
      assertTrue(
          refused.getMessage().contains(group.directoryOf(old).toString()), refused::getMessage);

      start(group, old, later());
      long last = applied(group, group.leader());
      TestGroup.await("the cured member", () -> applied(group, old) >= last);
      assertEquals(SECOND, group.member(old).level());
    }
  }

  /** Until the leader's log no longer begins with the first entry. */
  private static void awaitPurge(TestGroup group) {
    TestGroup.await(
        "a purged log",
        () -> {
          String deep = ("/" + "x".repeat(200)).repeat(30);
          MetaRequest.Builder large = mkdirs("/p" + System.nanoTime() + deep).toBuilder();
          large.getMkdirsBuilder().setCreateParents(true);
          MetaResponse made = submit(group, large.build());
          assertFalse(made.hasError(), made::toString);
          return TestGroup.firstIndex(group.directoryOf(group.leader())) > 40;
        });
  }

  @Test
  void shouldSaveTheLevelWithTheState() throws Exception {
    release = later();
    MetadataState state =
        new MetadataState(
            MetadataSettings.of(MetadataHarness.GEOMETRY, "vdfs"),
            later(),
            new LedgerAdapter(),
            new FlushedLengths(),
            () -> {});
    assertEquals(FIRST, state.level());
    ByteString atFirst = MetadataHarness.saved(state);
    state.apply(request().setRaiseLevel(RaiseLevelOp.newBuilder().setLevel(SECOND)).build());
    assertEquals(SECOND, state.level());
    state.apply(request().setRaiseLevel(RaiseLevelOp.newBuilder().setLevel(FIRST)).build());
    assertEquals(SECOND, state.level(), "a level fell");
    ByteString raised = MetadataHarness.saved(state);
    state.load(atFirst.newInput());
    assertEquals(FIRST, state.level());
    state.load(raised.newInput());
    assertEquals(SECOND, state.level());
    MetadataState old =
        new MetadataState(
            MetadataSettings.of(MetadataHarness.GEOMETRY, "vdfs"),
            earlier(),
            new LedgerAdapter(),
            new FlushedLengths(),
            () -> {});
    VdfsException refused = assertThrows(VdfsException.class, () -> old.load(raised.newInput()));
    assertEquals(ErrorCode.UNSUPPORTED, refused.code());
    MetaResponse byUser =
        state.apply(
            request()
                .setCaller(MetadataHarness.ALICE)
                .setRaiseLevel(RaiseLevelOp.newBuilder().setLevel(SECOND + 1))
                .build());
    assertEquals(ErrorCode.PERMISSION_DENIED, TestGroup.code(byUser));
  }
}
