package io.vdfs.datanode.meta.op;

import static io.vdfs.datanode.meta.MetadataHarness.GROUP;
import static io.vdfs.datanode.meta.MetadataHarness.id;
import static io.vdfs.datanode.meta.MetadataHarness.key;
import static io.vdfs.datanode.meta.MetadataHarness.synced;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.wire.proto.BeginRecoveryOp;
import io.vdfs.common.wire.proto.CallIdProto;
import io.vdfs.common.wire.proto.CallerProto;
import io.vdfs.common.wire.proto.ChangePipelineOp;
import io.vdfs.common.wire.proto.CompleteOp;
import io.vdfs.common.wire.proto.ExclusionProto;
import io.vdfs.common.wire.proto.FileKeyProto;
import io.vdfs.common.wire.proto.FinishRecoveryOp;
import io.vdfs.common.wire.proto.GroupSyncProto;
import io.vdfs.common.wire.proto.LeaseProto;
import io.vdfs.common.wire.proto.LeftOutProto;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.RecordProgressOp;
import io.vdfs.common.wire.proto.StatusProto;
import io.vdfs.common.wire.proto.WriteTicketProto;
import io.vdfs.datanode.meta.MetadataHarness;
import io.vdfs.datanode.meta.state.settings.MetadataLimits;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Append, pipeline changes, completion and lease recovery. */
class WritePathTest {
  private final MetadataHarness meta = new MetadataHarness();

  private MetaRequest.Builder change(
      long file, int holder, int epoch, int group, long length, int... nodes) {
    ChangePipelineOp.Builder op =
        ChangePipelineOp.newBuilder()
            .setFile(key(file))
            .setHolder(id(holder))
            .setWriteEpoch(epoch)
            .setLength(length);
    LeftOutProto.Builder leftOut = op.addLeftOutBuilder().setGroup(group);
    for (int node : nodes) {
      leftOut.addNodes(id(node));
    }
    return meta.request().setChangePipeline(op);
  }

  private MetaRequest.Builder complete(
      long file, int holder, int epoch, long length, GroupSyncProto.Builder... groups) {
    CompleteOp.Builder op =
        CompleteOp.newBuilder()
            .setFile(key(file))
            .setHolder(id(holder))
            .setWriteEpoch(epoch)
            .setLength(length)
            .setRequiredCopies(2);
    List.of(groups).forEach(op::addSynced);
    return meta.request().setComplete(op);
  }

  private MetaRequest.Builder beginRecovery(long file, int epoch) {
    return meta.request()
        .setBeginRecovery(BeginRecoveryOp.newBuilder().setFile(key(file)).setWriteEpoch(epoch));
  }

  private MetaRequest.Builder finishRecovery(
      long file, int epoch, long length, ExclusionProto... exclusions) {
    return meta.request()
        .setFinishRecovery(
            FinishRecoveryOp.newBuilder()
                .setFile(key(file))
                .setWriteEpoch(epoch)
                .setLength(length)
                .addAllExclusions(List.of(exclusions)));
  }

  private static ExclusionProto exclusion(int node, int first, int end, int epoch) {
    return ExclusionProto.newBuilder()
        .setNode(id(node))
        .setFirstGroup(first)
        .setEndGroup(end)
        .setEpoch(epoch)
        .build();
  }

  @Test
  void shouldCloseAFile() {
    long file = meta.open("/f", 1).getFileId();
    meta.at(8_000);
    StatusProto status =
        meta.ok(meta.complete(file, 1, 1, 2 * GROUP + 1)).getComplete().getStatus();
    assertEquals(2 * GROUP + 1, status.getLength());
    assertEquals(8_000, status.getModificationMillis());
    assertEquals(1_000, meta.status("/").getModificationMillis());
    assertFalse(status.getUnderConstruction());
    assertEquals(status, meta.status("/f").toBuilder().clearReadable().clearWritable().build());
    assertEquals(List.of(), meta.leases());
    meta.refuse(ErrorCode.FENCED, meta.complete(file, 1, 1, 2 * GROUP + 1));
  }

  @Test
  void shouldTellWritersOfTheLastDeletionAndLeaveTheProofToTheLeader() {
    long gone = meta.open("/gone", 1).getFileId();
    meta.ok(meta.delete("/gone", false));
    long file = meta.open("/f", 1).getFileId();
    WriteTicketProto first = WriteTicketProto.newBuilder().setLastDeletion(1).build();
    MetaRequest.Builder change =
        change(file, 1, 1, 0, GROUP - 5)
            .setCallId(CallIdProto.newBuilder().setClientId(id(7)).setCall(1));
    assertEquals(first, meta.ok(change).getOpenFile().getTicket());
    meta.open("/gone", 1);
    meta.ok(meta.delete("/gone", false));
    assertEquals(first, meta.ok(change).getOpenFile().getTicket(), "a call that is repeated");
    assertEquals(
        2, meta.ok(change(file, 1, 2, 0, GROUP)).getOpenFile().getTicket().getLastDeletion());
    assertFalse(meta.ok(beginRecovery(file, 3)).getOpenFile().hasTicket(), "recovery is a node's");
    assertTrue(gone < file);
  }

  @Test
  void shouldBeginAnEpochWithoutLeavingANodeOut() {
    long file = meta.open("/f", 1).getFileId();
    StatusProto status = meta.ok(change(file, 1, 1, 0, GROUP - 5)).getOpenFile().getStatus();
    assertEquals(2, status.getWriteEpoch());
    assertEquals(GROUP - 5, status.getLength());
    assertEquals(List.of(), status.getExclusionsList());
    meta.refuse(ErrorCode.FENCED, change(file, 1, 1, 0, GROUP));
  }

  @Test
  void shouldCloseAnEmptyFile() {
    long file = meta.open("/f", 1).getFileId();
    meta.refuse(ErrorCode.INVALID_ARGUMENT, complete(file, 1, 1, 0, synced(0, 1, 2)));
    meta.ok(complete(file, 1, 1, 0));
  }

  @Test
  void shouldRefuseAnythingButTheGroupsWritten() {
    long file = meta.open("/f", 1).getFileId();
    long length = 2 * GROUP;
    ErrorCode code = ErrorCode.INVALID_ARGUMENT;
    meta.refuse(code, complete(file, 1, 1, length));
    meta.refuse(code, complete(file, 1, 1, length, synced(0, 1, 2)));
    meta.refuse(code, complete(file, 1, 1, length, synced(1, 1, 2), synced(0, 1, 2)));
    meta.refuse(code, complete(file, 1, 1, length, synced(0, 1, 2), synced(0, 1, 2)));
    meta.refuse(
        code, complete(file, 1, 1, length, synced(0, 1, 2), synced(1, 1, 2), synced(2, 1, 2)));
    meta.refuse(code, complete(file, 1, 1, length, synced(0, 1, 2), synced(1, 1)));
    meta.refuse(code, complete(file, 1, 1, length, synced(0, 1, 2), synced(1, 1, 1)));
    meta.refuse(code, complete(file, 1, 1, -1, synced(0, 1, 2), synced(1, 1, 2)));
    meta.refuse(code, complete(file, 1, 1, Long.MAX_VALUE, synced(0, 1, 2)));
    meta.ok(complete(file, 1, 1, length, synced(0, 1, 2), synced(1, 2, 3)));
  }

  @Test
  void shouldCloseAFileOfOneCopyWithOne() {
    MetaRequest.Builder create = meta.create("/f", 0644, 1, false);
    create.getCreateBuilder().setReplication(1);
    long file = meta.ok(create).getOpenFile().getFileId();
    meta.refuse(ErrorCode.INVALID_ARGUMENT, complete(file, 1, 1, 10, synced(0)));
    meta.ok(complete(file, 1, 1, 10, synced(0, 1)));
  }

  @Test
  void shouldFenceEveryoneButTheWriter() {
    long file = meta.open("/f", 1).getFileId();
    meta.refuse(ErrorCode.FENCED, complete(file, 2, 1, 0));
    meta.refuse(ErrorCode.FENCED, complete(file, 1, 2, 0));
    meta.refuse(ErrorCode.FENCED, complete(file, 1, 0, 0));
    meta.refuse(ErrorCode.NOT_FOUND, complete(file + 256, 1, 1, 0));
    FileKeyProto other = key(file).toBuilder().setGeneration(2).build();
    meta.refuse(
        ErrorCode.FILE_CHANGED,
        meta.request()
            .setComplete(CompleteOp.newBuilder().setFile(other).setHolder(id(1)).setWriteEpoch(1)));
    meta.refuse(ErrorCode.NOT_FOUND, complete(meta.status("/").getInodeId(), 1, 1, 0));
    meta.refuse(ErrorCode.NOT_FOUND, complete(-1, 1, 1, 0));
  }

  @Test
  void shouldRecordExclusionsAndLengthWithAHigherEpoch() {
    long file = meta.open("/f", 1).getFileId();
    meta.ok(change(file, 1, 1, 1, GROUP + 512, 3));
    StatusProto status = meta.status("/f");
    assertEquals(2, status.getWriteEpoch());
    assertEquals(GROUP + 512, status.getLength());
    assertEquals(List.of(exclusion(3, 1, 2, 2)), status.getExclusionsList());

    meta.refuse(ErrorCode.FENCED, change(file, 1, 1, 1, GROUP + 512, 2));
    meta.refuse(ErrorCode.FENCED, complete(file, 1, 1, GROUP + 512, synced(0, 1, 2)));

    status = meta.ok(change(file, 1, 2, 2, 2 * GROUP, 3, 4)).getOpenFile().getStatus();
    assertEquals(3, status.getWriteEpoch());
    assertEquals(List.of(), status.getExclusionsList());
    status = meta.status("/f");
    assertEquals(List.of(exclusion(3, 1, 3, 3), exclusion(4, 2, 3, 3)), status.getExclusionsList());
  }

  @Test
  void shouldNeverRecordAShorterLength() {
    long file = meta.open("/f", 1).getFileId();
    meta.ok(change(file, 1, 1, 0, 700, 3));
    assertEquals(700, meta.ok(change(file, 1, 2, 0, 512, 4)).getOpenFile().getStatus().getLength());
    meta.refuse(ErrorCode.INVALID_ARGUMENT, complete(file, 1, 3, 699, synced(0, 1, 2)));
    meta.ok(complete(file, 1, 3, 700, synced(0, 1, 2)));
  }

  @Test
  void shouldRefuseBadPipelineChanges() {
    long file = meta.open("/f", 1).getFileId();
    ErrorCode code = ErrorCode.INVALID_ARGUMENT;
    meta.refuse(code, change(file, 1, 1, 2, GROUP - 1, 3));
    meta.refuse(code, change(file, 1, 1, -1, 0, 3));
    meta.refuse(code, change(file, 1, 1, 0, -1, 3));
    meta.refuse(code, change(file, 1, 1, 0, 0, new int[65]));
    MetaRequest.Builder shortId = change(file, 1, 1, 0, 0, 3);
    shortId.getChangePipelineBuilder().getLeftOutBuilder(0).setNodes(0, id(3).substring(1));
    meta.refuse(code, shortId);
  }

  @Test
  void shouldBoundTheExclusionsOfAFile() {
    long file = meta.open("/f", 1).getFileId();
    int epoch = 1;
    int limit = MetadataLimits.DEFAULT.exclusions();
    for (int node = 0; node < limit; node += 64, epoch++) {
      MetaRequest.Builder change = change(file, 1, epoch, 0, 0);
      LeftOutProto.Builder leftOut = change.getChangePipelineBuilder().getLeftOutBuilder(0);
      for (int i = node; i < node + 64; i++) {
        leftOut.addNodes(
            id(1).substring(5).concat(ByteString.copyFromUtf8(String.format("%05d", i))));
      }
      meta.ok(change);
    }
    meta.refuse(ErrorCode.QUOTA_EXCEEDED, change(file, 1, epoch, 0, 0, 1));
  }

  @Test
  void shouldKeepExclusionsBehindTheEndOfAClosedFile() {
    long file = meta.open("/f", 1).getFileId();
    meta.ok(change(file, 1, 1, 1, GROUP, 3));
    meta.ok(change(file, 1, 2, 2, 2 * GROUP, 4));
    meta.refuse(
        ErrorCode.INVALID_ARGUMENT,
        complete(file, 1, 3, 2 * GROUP, synced(0, 1, 3), synced(1, 1, 3)));
    StatusProto status =
        meta.ok(complete(file, 1, 3, 2 * GROUP, synced(0, 1, 3), synced(1, 1, 4)))
            .getComplete()
            .getStatus();
    assertEquals(List.of(exclusion(3, 1, 2, 2), exclusion(4, 2, 3, 3)), status.getExclusionsList());
  }

  @Test
  void shouldTakeOneRangeForANodeThatStaysAway() {
    long file = meta.open("/f", 1).getFileId();
    for (int group = 0; group < 2_000; group++) {
      meta.ok(change(file, 1, group + 1, group, group * GROUP, 3));
    }
    assertEquals(List.of(exclusion(3, 0, 2_000, 2_001)), meta.status("/f").getExclusionsList());
  }

  @Test
  void shouldGoOnAfterAThousandSeparateFailures() {
    long file = meta.open("/f", 1).getFileId();
    for (int change = 0; change < 1_100; change++) {
      int group = 2 * change;
      meta.ok(change(file, 1, change + 1, group, group * GROUP, 3 + change % 3));
    }
    assertEquals(1_100, meta.status("/f").getExclusionsCount());
  }

  @Test
  void shouldMakeOneRangeOfThoseThatMeet() {
    long file = meta.open("/f", 1).getFileId();
    meta.ok(change(file, 1, 1, 0, 3 * GROUP, 3));
    meta.ok(change(file, 1, 2, 2, 3 * GROUP, 3, 4));
    meta.ok(change(file, 1, 3, 2, 3 * GROUP, 3));
    meta.ok(change(file, 1, 4, 1, 3 * GROUP, 3));
    assertEquals(
        List.of(exclusion(3, 0, 3, 5), exclusion(4, 2, 3, 3)),
        meta.status("/f").getExclusionsList());
  }

  @Test
  void shouldAppendUnderANewEpoch() {
    long file = meta.file("/f", GROUP + 10);
    StatusProto status = meta.ok(meta.append("/f", 2)).getOpenFile().getStatus();
    assertEquals(2, status.getWriteEpoch());
    assertTrue(status.getUnderConstruction());
    assertEquals(GROUP + 10, status.getLength());
    meta.refuse(ErrorCode.LEASE_CONFLICT, meta.append("/f", 2));
    meta.refuse(ErrorCode.LEASE_CONFLICT, meta.append("/f", 3));

    ErrorCode code = ErrorCode.INVALID_ARGUMENT;
    meta.refuse(code, complete(file, 2, 2, GROUP + 9, synced(1, 1, 2)));
    meta.refuse(code, complete(file, 2, 2, 2 * GROUP + 1, synced(1, 1, 2)));
    meta.refuse(
        code, complete(file, 2, 2, 2 * GROUP + 1, synced(0, 1, 2), synced(1, 1, 2), synced(2, 1)));
    meta.ok(complete(file, 2, 2, 2 * GROUP + 1, synced(1, 1, 2), synced(2, 1, 2)));
    assertEquals(2 * GROUP + 1, meta.status("/f").getLength());
  }

  @Test
  void shouldSayWhereAndUnderWhichEpochALeaseBegan() {
    StatusProto made = meta.open("/f", 1).getStatus();
    assertLease(0, 1, made);
    long file = made.getInodeId();
    assertLease(0, 1, meta.ok(change(file, 1, 1, 0, 100, 3)).getOpenFile().getStatus());
    meta.ok(complete(file, 1, 2, 200, synced(0, 1, 2)));
    assertLease(0, 0, meta.status("/f"));

    assertLease(200, 3, meta.ok(meta.append("/f", 2)).getOpenFile().getStatus());
    meta.ok(change(file, 2, 3, 0, 300));
    // a recovery goes on with the lease of the writer it takes the file from
    MetaRequest.Builder recovery =
        meta.request()
            .setBeginRecovery(BeginRecoveryOp.newBuilder().setFile(key(file)).setWriteEpoch(4));
    assertLease(200, 3, meta.ok(recovery).getOpenFile().getStatus());
    assertLease(200, 3, meta.status("/f"));
    assertLease(200, 3, MetadataHarness.page(meta.answer(meta.list("/"))).getEntriesList().get(0));
  }

  private static void assertLease(long startLength, int firstEpoch, StatusProto status) {
    assertEquals(startLength, status.getLeaseStartLength());
    assertEquals(firstEpoch, status.getLeaseFirstEpoch());
  }

  @Test
  void shouldAppendNothing() {
    long file = meta.file("/f", GROUP);
    meta.ok(meta.append("/f", 2));
    meta.refuse(ErrorCode.INVALID_ARGUMENT, complete(file, 2, 2, GROUP, synced(1, 1, 2)));
    meta.ok(complete(file, 2, 2, GROUP));
    meta.ok(meta.append("/f", 2));
    meta.ok(complete(file, 2, 3, GROUP, synced(0, 1, 2)));
    meta.ok(meta.append("/f", 2));
    meta.ok(complete(file, 2, 4, GROUP + 1, synced(1, 1, 2)));
  }

  @Test
  void shouldNotCountAnExcludedNodeOfAnEarlierWriterInItsGroup() {
    long file = meta.open("/f", 1).getFileId();
    meta.ok(change(file, 1, 1, 0, 100, 3));
    meta.ok(complete(file, 1, 2, 200, synced(0, 1, 2)));
    meta.ok(meta.append("/f", 2));
    meta.refuse(
        ErrorCode.INVALID_ARGUMENT,
        complete(file, 2, 3, 2 * GROUP, synced(0, 1, 3), synced(1, 1, 3)));
    meta.ok(complete(file, 2, 3, 2 * GROUP, synced(0, 1, 2), synced(1, 1, 3)));
  }

  @Test
  void shouldRefuseToAppendToWhatIsNoFile() {
    meta.mkdir("/d");
    meta.refuse(ErrorCode.IS_A_DIRECTORY, meta.append("/d", 1));
    meta.refuse(ErrorCode.NOT_FOUND, meta.append("/x", 1));
  }

  @Test
  void shouldRecoverALease() {
    long file = meta.open("/f", 1).getFileId();
    meta.ok(change(file, 1, 1, 1, GROUP + 5, 3));
    meta.refuse(ErrorCode.FENCED, beginRecovery(file, 1));
    meta.refuse(ErrorCode.FENCED, finishRecovery(file, 2, GROUP + 5));

    assertEquals(3, meta.ok(beginRecovery(file, 2)).getOpenFile().getStatus().getWriteEpoch());
    LeaseProto lease = meta.leases().get(0);
    assertTrue(lease.getRecovering());
    assertTrue(lease.getHolder().isEmpty());
    assertEquals(GROUP + 5, lease.getLength());
    meta.refuse(ErrorCode.FENCED, complete(file, 1, 2, GROUP + 5, synced(0, 1, 2)));
    meta.refuse(ErrorCode.FENCED, complete(file, 1, 3, GROUP + 5, synced(0, 1, 2)));
    meta.refuse(ErrorCode.LEASE_CONFLICT, meta.create("/f", 0644, 1, false));

    meta.refuse(ErrorCode.INVALID_ARGUMENT, finishRecovery(file, 3, GROUP + 4));
    meta.refuse(
        ErrorCode.INVALID_ARGUMENT, finishRecovery(file, 3, GROUP + 5, exclusion(2, 0, 3, 0)));
    meta.refuse(
        ErrorCode.INVALID_ARGUMENT, finishRecovery(file, 3, GROUP + 5, exclusion(2, 2, 1, 0)));
    meta.at(6_000);
    StatusProto status =
        meta.ok(finishRecovery(file, 3, GROUP + 9, exclusion(2, 1, 2, 0)))
            .getComplete()
            .getStatus();
    assertEquals(GROUP + 9, status.getLength());
    assertEquals(6_000, status.getModificationMillis());
    assertFalse(status.getUnderConstruction());
    assertEquals(List.of(exclusion(3, 1, 2, 2), exclusion(2, 1, 2, 3)), status.getExclusionsList());
    meta.refuse(ErrorCode.FENCED, finishRecovery(file, 3, GROUP + 9));
    meta.refuse(ErrorCode.FENCED, beginRecovery(file, 3));
  }

  @Test
  void shouldGiveUpBytesOfTheLeaseAlone() {
    long file = meta.open("/f", 1).getFileId();
    meta.ok(complete(file, 1, 1, 50, synced(0, 1, 2)));
    int epoch = meta.ok(meta.append("/f", 1)).getOpenFile().getStatus().getWriteEpoch();
    meta.ok(change(file, 1, epoch, 0, 80, 3));
    int recovered =
        meta.ok(beginRecovery(file, epoch + 1)).getOpenFile().getStatus().getWriteEpoch();
    meta.refuse(ErrorCode.INVALID_ARGUMENT, finishRecovery(file, recovered, 60));
    meta.refuse(ErrorCode.INVALID_ARGUMENT, givingUp(finishRecovery(file, recovered, 49)));
    StatusProto closed =
        meta.ok(givingUp(finishRecovery(file, recovered, 60))).getComplete().getStatus();
    assertEquals(60, closed.getLength());
    assertFalse(closed.getUnderConstruction());
  }

  private static MetaRequest.Builder givingUp(MetaRequest.Builder finish) {
    finish.getFinishRecoveryBuilder().setGivenUp(true);
    return finish;
  }

  @Test
  void shouldLetANewLeaderTakeARecoveryOver() {
    long file = meta.open("/f", 1).getFileId();
    meta.ok(beginRecovery(file, 1));
    meta.ok(beginRecovery(file, 2));
    meta.refuse(ErrorCode.FENCED, finishRecovery(file, 2, 0));
    meta.ok(finishRecovery(file, 3, 0));
  }

  @Test
  void shouldKeepRecoveryToTheDaemons() {
    long file = meta.open("/f", 1).getFileId();
    meta.as(MetadataHarness.ALICE);
    meta.refuse(ErrorCode.PERMISSION_DENIED, beginRecovery(file, 1));
    meta.refuse(ErrorCode.PERMISSION_DENIED, finishRecovery(file, 1, 0));
  }

  @Test
  void shouldNotFindADeletedFile() {
    meta.mkdir("/d/e");
    long file = meta.open("/d/e/f", 1).getFileId();
    meta.ok(meta.delete("/d", true));
    meta.refuse(ErrorCode.NOT_FOUND, complete(file, 1, 1, 0));
    meta.refuse(ErrorCode.NOT_FOUND, change(file, 1, 1, 0, 0, 3));
    meta.refuse(ErrorCode.NOT_FOUND, beginRecovery(file, 1));
    assertEquals(List.of(), meta.leases());
  }

  @Test
  void shouldKeepTheLeaseWhenTheFileMoves() {
    long file = meta.open("/f", 1).getFileId();
    meta.ok(meta.rename("/f", "/g", false));
    meta.ok(complete(file, 1, 1, 10, synced(0, 1, 2)));
    assertEquals(10, meta.status("/g").getLength());
  }

  /** A holder's id stands in the log; a user who has read it there is not the holder's user. */
  @Test
  void shouldLetOnlyItsUserActAsAHolder() {
    meta.mkdir("/d");
    meta.ok(meta.chmod("/d", 0777));
    meta.as(MetadataHarness.ALICE);
    long file = meta.open("/d/f", 1).getFileId();
    for (CallerProto other : List.of(MetadataHarness.BOB, MetadataHarness.ROOT)) {
      meta.as(other);
      meta.refuse(ErrorCode.FENCED, complete(file, 1, 1, 0));
      meta.refuse(ErrorCode.FENCED, change(file, 1, 1, 0, 0));
      meta.refuse(
          ErrorCode.FENCED,
          meta.request()
              .setRecordProgress(
                  RecordProgressOp.newBuilder()
                      .setFile(key(file))
                      .setHolder(id(1))
                      .setWriteEpoch(1)));
    }
    meta.as(MetadataHarness.ALICE);
    meta.ok(complete(file, 1, 1, 0));
    meta.ok(meta.append("/d/f", 2));
    meta.as(MetadataHarness.BOB);
    meta.refuse(ErrorCode.FENCED, complete(file, 2, 2, 0));
  }
}
