package io.vdfs.datanode.meta.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.model.NodeId;
import io.vdfs.common.wire.proto.CallerProto;
import io.vdfs.common.wire.proto.CreateOp;
import io.vdfs.common.wire.proto.DeleteOp;
import io.vdfs.common.wire.proto.DeletionProto;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.PollDeletionsQuery;
import io.vdfs.datanode.InMemory;
import io.vdfs.datanode.meta.LedgerAdapter;
import io.vdfs.datanode.meta.MetadataHarness;
import io.vdfs.datanode.meta.MetadataState;
import io.vdfs.datanode.meta.state.settings.MetadataSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Numbers that lost members gave away must not be given away again. */
@Timeout(180)
class MetadataRecoveryTest {
  @TempDir(factory = InMemory.class)
  Path directory;

  private static MetadataState state() {
    return new MetadataState(
        MetadataSettings.of(MetadataHarness.GEOMETRY, "vdfs"), new LedgerAdapter());
  }

  private static MetaRequest.Builder request() {
    return MetaRequest.newBuilder()
        .setCaller(CallerProto.newBuilder().setUser("vdfs").setSuperuser(true))
        .setTimeMillis(1_000);
  }

  private static MetaResponse ask(TestGroup group, MetaRequest request, boolean mutation) {
    MetaResponse[] last = new MetaResponse[1];
    TestGroup.await(
        "an answer to " + request.getOpCase(),
        () -> {
          last[0] = TestGroup.askOnce(group.member(group.leader()), request, mutation);
          return !TestGroup.isUndecided(last[0]);
        });
    assertFalse(last[0].hasError(), last[0]::toString);
    return last[0];
  }

  private static long create(TestGroup group, String path) {
    CreateOp.Builder create =
        CreateOp.newBuilder().setPath(path).setMode(0644).setHolder(MetadataHarness.id(1));
    return ask(group, request().setCreate(create).build(), true).getOpenFile().getFileId();
  }

  private static void delete(TestGroup group, String path) {
    ask(group, request().setDelete(DeleteOp.newBuilder().setPath(path)).build(), true);
  }

  private static List<DeletionProto> deletions(TestGroup group) {
    PollDeletionsQuery poll =
        PollDeletionsQuery.newBuilder().setNode(MetadataHarness.id(1)).setLimit(100).build();
    return ask(group, request().setPollDeletions(poll).build(), false)
        .getDeletions()
        .getDeletionsList();
  }

  @Test
  void shouldNotGiveAwayIdsAndSequencesThatTheLostMembersGaveAway() throws Exception {
    try (TestGroup group =
        new TestGroup(directory, 3, TestGroup.quick(), MetadataRecoveryTest::state).startAll()) {
      create(group, "/kept");
      int survivor = (group.leader() + 1) % 3;
      long known = group.member(group.leader()).status().applied();
      TestGroup.await(
          "the survivor to know of it", () -> group.member(survivor).status().applied() >= known);
      group.stop(survivor);
      long lostFile = create(group, "/lost");
      create(group, "/gone");
      delete(group, "/gone");
      long lostSequence = deletions(group).get(0).getSequence();
      group.stop((survivor + 1) % 3);
      group.stop((survivor + 2) % 3);

      UUID next = recover(group, survivor);
      // interrupted at its end, and done again
      assertEquals(next, recover(group, survivor));
      try (MemberRecovery recovery =
          MemberRecovery.open(group.directoryOf(survivor), group.members.get(survivor).id())) {
        recovery.end(next);
      }
      group.becomes(next);
      group.start(survivor);

      long newFile = create(group, "/new");
      assertTrue(newFile >>> 8 > (lostFile >>> 8) + (1L << 31), "file=" + newFile);
      delete(group, "/kept");
      long newSequence = deletions(group).get(0).getSequence();
      assertTrue(newSequence > lostSequence + (1L << 31), "sequence=" + newSequence);
      assertTrue(group.failures.isEmpty(), group.failures::toString);
    }
  }

  private static UUID recover(TestGroup group, int survivor) throws Exception {
    NodeId self = group.members.get(survivor).id();
    try (MemberRecovery recovery = MemberRecovery.open(group.directoryOf(survivor), self)) {
      UUID next = recovery.begin();
      recovery.takeOver(next, group.members.get(survivor));
      return next;
    }
  }
}
