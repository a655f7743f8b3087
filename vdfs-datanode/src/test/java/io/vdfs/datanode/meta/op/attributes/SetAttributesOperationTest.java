package io.vdfs.datanode.meta.op.attributes;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.wire.proto.ContentSummaryQuery;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.SetAttributesOp;
import io.vdfs.common.wire.proto.StatusProto;
import io.vdfs.common.wire.proto.SurplusQuery;
import io.vdfs.datanode.meta.MetadataHarness;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SetAttributesOperationTest {
  private final MetadataHarness meta = new MetadataHarness();

  @BeforeEach
  void makeFile() {
    meta.mkdir("/d");
    meta.ok(meta.chown("/d", "alice", "users"));
    meta.as(MetadataHarness.ALICE).file("/d/f", 100);
  }

  private MetaRequest.Builder set(SetAttributesOp.Builder op) {
    return meta.request().setSetAttributes(op.setPath("/d/f"));
  }

  private static SetAttributesOp.Builder op() {
    return SetAttributesOp.newBuilder();
  }

  @Test
  void shouldLetTheOwnerChangeTheMode() {
    meta.at(9_000).ok(meta.chmod("/d/f", 01600));
    StatusProto status = meta.status("/d/f");
    assertEquals(01600, status.getMode());
    assertEquals(1_000, status.getModificationMillis());
    meta.as(MetadataHarness.BOB).refuse(ErrorCode.PERMISSION_DENIED, meta.chmod("/d/f", 0666));
  }

  @Test
  void shouldLetOnlyTheSuperuserGiveFilesAway() {
    meta.refuse(ErrorCode.PERMISSION_DENIED, set(op().setOwner("bob")));
    meta.ok(set(op().setOwner("alice").setGroup("staff")));
    meta.refuse(ErrorCode.PERMISSION_DENIED, set(op().setGroup("others")));
    meta.as(MetadataHarness.BOB).refuse(ErrorCode.PERMISSION_DENIED, set(op().setGroup("users")));
    meta.as(MetadataHarness.ROOT).ok(set(op().setOwner("bob").setGroup("others")));
    StatusProto status = meta.status("/d/f");
    assertEquals("bob:others", status.getOwner() + ":" + status.getGroup());
  }

  @Test
  void shouldSetTimesForUsersWhoMayWrite() {
    meta.ok(set(op().setModificationMillis(77)));
    meta.ok(set(op().setAccessMillis(88)));
    assertEquals(77, meta.status("/d/f").getModificationMillis());
    assertEquals(88, meta.status("/d/f").getAccessMillis());
    meta.refuse(ErrorCode.INVALID_ARGUMENT, set(op().setAccessMillis(-1)));
    meta.as(MetadataHarness.BOB)
        .refuse(ErrorCode.PERMISSION_DENIED, set(op().setModificationMillis(1)));
  }

  @Test
  void shouldNotLowerTheTimeOfADirectoryWhenAChildComes() {
    meta.ok(meta.request().setSetAttributes(op().setPath("/d").setModificationMillis(1_000_000)));
    meta.file("/d/g", 1);
    assertEquals(1_000_000, meta.status("/d").getModificationMillis());
  }

  @Test
  void shouldSetReplicationOfFiles() {
    meta.ok(set(op().setReplication(10).setRingCopies(3)));
    assertEquals(10, meta.status("/d/f").getReplication());
    assertEquals(3, meta.status("/d/f").getCountedCopies());
    meta.refuse(ErrorCode.INVALID_ARGUMENT, set(op().setReplication(0)));
    MetaRequest.Builder directory =
        meta.request().setSetAttributes(op().setPath("/d").setReplication(2));
    meta.refuse(ErrorCode.IS_A_DIRECTORY, directory);
  }

  @Test
  void shouldCountALoweredReplicationAtOnceAndARaisedOneToo() {
    meta.file("/d/g", 100);
    meta.ok(replicate(2));
    assertEquals(200, space("/d/g"));
    assertEquals(100, surplus());
    meta.ok(replicate(1));
    assertEquals(100, space("/d/g"));
    assertEquals(200, surplus());

    meta.ok(replicate(2));
    assertEquals(200, space("/d/g"));
    assertEquals(100, surplus());
    meta.ok(replicate(10));
    assertEquals(10, meta.status("/d/g").getReplication());
    assertEquals(300, space("/d/g"));
    assertEquals(0, surplus());

    meta.ok(replicate(1));
    meta.ok(meta.delete("/d/g", false));
    assertEquals(0, surplus());
  }

  @Test
  void shouldRaiseTheReplicationOfAFileThatWasNeverWritten() {
    long file = meta.open("/d/g", 1).getFileId();
    meta.ok(replicate(1));
    // its writer goes on with the replication that it was told
    meta.refuse(ErrorCode.UNSUPPORTED, replicate(3));
    meta.ok(meta.complete(file, 1, 1, 0));
    meta.ok(replicate(3));
    assertEquals(3, meta.status("/d/g").getCountedCopies());
  }

  private MetaRequest.Builder replicate(int replication) {
    return meta.request()
        .setSetAttributes(op().setPath("/d/g").setReplication(replication).setRingCopies(3));
  }

  private long space(String path) {
    return meta.answer(
            meta.request().setContentSummary(ContentSummaryQuery.newBuilder().setPath(path)))
        .getContentSummary()
        .getSpaceConsumed();
  }

  private long surplus() {
    return meta.answer(meta.request().setSurplus(SurplusQuery.getDefaultInstance()))
        .getSurplus()
        .getBytes();
  }

  @Test
  void shouldChangeAllOrNothing() {
    meta.refuse(ErrorCode.INVALID_ARGUMENT, set(op().setMode(0600).setReplication(-5)));
    meta.refuse(ErrorCode.PERMISSION_DENIED, set(op().setMode(0600).setOwner("bob")));
    meta.refuse(ErrorCode.INVALID_ARGUMENT, set(op()));
    meta.refuse(ErrorCode.NOT_FOUND, meta.chmod("/d/x", 0600));
    meta.as(MetadataHarness.ROOT);
    meta.refuse(ErrorCode.INVALID_ARGUMENT, set(op().setOwner("")));
    meta.refuse(ErrorCode.INVALID_ARGUMENT, set(op().setGroup("a\nb")));
    meta.refuse(ErrorCode.INVALID_ARGUMENT, set(op().setGroup("a".repeat(256))));
  }
}
