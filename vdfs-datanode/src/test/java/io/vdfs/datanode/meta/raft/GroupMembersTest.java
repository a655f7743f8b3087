package io.vdfs.datanode.meta.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.cluster.record.MetadataMember;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.datanode.InMemory;
import io.vdfs.datanode.meta.group.GroupCounter;
import io.vdfs.datanode.meta.group.GroupMemberSettings;
import io.vdfs.datanode.meta.group.GroupStatus;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Members that come and go, and a group that lost its majority. */
@Timeout(180)
class GroupMembersTest {
  @TempDir(factory = InMemory.class)
  Path directory;

  /** So that a new member needs a snapshot and the log after it. */
  private static GroupMemberSettings.Tuning snapshotsOften() {
    return TestGroup.tuning(
        Duration.ofSeconds(1), Duration.ofSeconds(2), Duration.ofSeconds(10), 20);
  }

  private static List<MetadataMember> members(TestGroup group, Integer... numbers) {
    return List.of(numbers).stream().map(group.members::get).toList();
  }

  private static List<NodeId> ids(List<MetadataMember> members) {
    return members.stream().map(MetadataMember::id).sorted().toList();
  }

  private static List<NodeId> configured(TestGroup group, int member) {
    return ids(group.member(member).status().configuration().members());
  }

  private static void fill(TestGroup group, String prefix, int count, List<String> expected) {
    for (int i = 0; i < count; i++) {
      group.make(prefix + i);
      expected.add(prefix + i);
    }
  }

  @Test
  void shouldReplaceADeadMemberAndThenServeWithoutAnotherFounder() throws Exception {
    List<String> expected = new ArrayList<>();
    try (TestGroup group = new TestGroup(directory, 4, snapshotsOften()).foundedBy(3)) {
      for (int i = 0; i < 3; i++) {
        group.start(i);
      }
      group.leader();
      fill(group, "/a", 60, expected);
      TestGroup.await("a snapshot", () -> group.counters.get(GroupCounter.SNAPSHOTS) >= 1);
      int dead = (group.leader() + 1) % 3;
      int other = 3 - group.leader() - dead;
      group.stop(dead);
      group.startInvited(3);
      assertEquals(GroupStatus.Role.WAITING, group.member(3).status().role());
      int leader = group.leader();
      group.member(leader).change(members(group, leader, other, 3)).join();
      assertEquals(1, group.counters.get(GroupCounter.MEMBER_CHANGES));
      TestGroup.await(
          "the new member to know it",
          () -> configured(group, 3).equals(ids(members(group, leader, other, 3))));
      assertTrue(group.member(leader).status().isSettled());
      fill(group, "/b", 30, expected);
      group.awaitEqualStates(expected);
      assertTrue(group.states.get(3).loads() > 0, "the new member was not given a snapshot");

      group.stop(leader);
      fill(group, "/c", 10, expected);
      group.awaitEqualStates(expected);
      assertTrue(group.leader() == 3 || group.leader() == other);

      // the dead one comes back and neither disturbs nor counts
      long term = group.member(group.leader()).term();
      int serving = group.leader();
      group.start(dead);
      // it can't be told to end where the leader is one that it does not know
      TestGroup.await(
          "the removed member to look for votes or to end",
          () ->
              group.member(dead).status().role() == GroupStatus.Role.CANDIDATE
                  || group.member(dead).status().role() == GroupStatus.Role.ENDED);
      assertEquals(term, group.member(serving).term());
      fill(group, "/d", 1, expected);
      assertEquals(serving, group.leader());
      assertFalse(group.states.get(dead).paths().contains("/d0"));
      group.stop(dead);
      assertTrue(group.failures.isEmpty(), group.failures::toString);
    }
  }

  @Test
  void shouldReplaceTheLeader() throws Exception {
    List<String> expected = new ArrayList<>();
    try (TestGroup group = new TestGroup(directory, 4, TestGroup.quick()).foundedBy(3)) {
      group.startAll();
      int leader = group.leader();
      int one = (leader + 1) % 3;
      int two = (leader + 2) % 3;
      fill(group, "/a", 5, expected);
      group.member(leader).change(members(group, one, two, 3)).join();
      TestGroup.await(
          "the old leader to end",
          () -> group.member(leader).status().role() == GroupStatus.Role.ENDED);
      assertFalse(group.member(leader).isLeader());
      fill(group, "/b", 5, expected);
      assertTrue(group.leaderships.contains(leader + "-"), group.leaderships::toString);
      group.stop(leader);
      group.awaitEqualStates(expected);
      assertTrue(group.failures.isEmpty(), group.failures::toString);
    }
  }

  /** A member that forgot its votes must not help to elect a leader before it has caught up. */
  @Test
  void shouldNotVoteWithAnEmptyDirectory() throws Exception {
    List<String> expected = new ArrayList<>();
    try (TestGroup group = new TestGroup(directory, 3, TestGroup.quick()).startAll()) {
      group.leader();
      fill(group, "/a", 5, expected);
      group.awaitEqualStates(expected);
      for (int i = 0; i < 3; i++) {
        group.stop(i);
      }
      for (int emptied : List.of(1, 2)) {
        Files.move(group.directoryOf(emptied), directory.resolve("lost" + emptied));
      }
      group.foundedBy(0);
      group.start(1);
      group.start(2);
      assertEquals(GroupStatus.Role.WAITING, group.member(1).status().role());
      group.start(0);
      TestGroup.await(
          "the survivor to look for votes",
          () -> group.member(0).status().role() == GroupStatus.Role.CANDIDATE);
      TestGroup.await(
          "the loss to be told",
          () ->
              group
                  .member(0)
                  .submit(group.mkdirs("/x"))
                  .join()
                  .getError()
                  .getMessage()
                  .contains("majority"));
      assertTrue(group.leaders().isEmpty(), "members without a memory elected a leader");

      // with one more member that remembers there is a leader, from which the other one learns all
      group.stop(1);
      Files.move(group.directoryOf(1), directory.resolve("never-used"));
      Files.move(directory.resolve("lost1"), group.directoryOf(1));
      group.start(1);
      fill(group, "/b", 2, expected);
      group.awaitEqualStates(expected);
      assertEquals(GroupStatus.Role.FOLLOWER, group.member(2).status().role());
    }
  }

  @Test
  void shouldServeAloneAfterARecoveryAndGrowAgain() throws Exception {
    List<String> expected = new ArrayList<>();
    try (TestGroup group = new TestGroup(directory, 5, snapshotsOften()).foundedBy(3)) {
      for (int i = 0; i < 3; i++) {
        group.start(i);
      }
      group.leader();
      fill(group, "/a", 45, expected);
      group.awaitEqualStates(expected);
      for (int i = 0; i < 3; i++) {
        group.stop(i);
      }
      Path home = group.directoryOf(0);
      MetadataMember own = group.members.get(0);
      UUID next;
      try (MemberRecovery recovery = MemberRecovery.open(home, own.id())) {
        MemberRecovery.Findings found = recovery.findings();
        assertEquals(ids(members(group, 0, 1, 2)), ids(found.members().members()));
        assertTrue(found.last() >= 45, found::toString);
        VdfsException inUse =
            assertThrows(VdfsException.class, () -> MemberRecovery.open(home, own.id()));
        assertTrue(inUse.getMessage().contains("in use"), inUse::getMessage);
        next = recovery.begin();
        recovery.takeOver(next, own);
      }
      VdfsException unfinished = assertThrows(VdfsException.class, () -> group.start(0));
      assertTrue(unfinished.getMessage().contains("metadata-recover"), unfinished::getMessage);
      try (MemberRecovery again = MemberRecovery.open(home, own.id())) {
        assertEquals(next, again.begin());
        assertEquals(List.of(own), again.findings().members().members());
        long version = again.takeOver(next, own);
        assertEquals(again.findings().members().version(), version);
        again.end(next);
      }
      group.becomes(next);
      group.start(0);
      assertEquals(0, group.leader());
      fill(group, "/b", 3, expected);
      group.awaitEqualStates(expected);
      assertEquals(ids(members(group, 0)), configured(group, 0));

      group.startInvited(3);
      group.member(0).change(members(group, 0, 3)).join();
      group.startInvited(4);
      group.member(0).change(members(group, 0, 3, 4)).join();
      fill(group, "/c", 3, expected);
      group.awaitEqualStates(expected);
      assertEquals(2, group.counters.get(GroupCounter.MEMBER_CHANGES));
      VdfsException foreign = assertThrows(VdfsException.class, () -> group.start(1));
      assertTrue(foreign.getMessage().contains("belongs to another"), foreign::getMessage);
      assertTrue(group.failures.isEmpty(), group.failures::toString);
    }
  }
}
