package io.vdfs.datanode.meta.op;

import static io.vdfs.datanode.meta.MetadataHarness.GROUP;
import static io.vdfs.datanode.meta.MetadataHarness.id;
import static io.vdfs.datanode.meta.MetadataHarness.key;
import static io.vdfs.datanode.meta.MetadataHarness.synced;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.wire.proto.AppendOp;
import io.vdfs.common.wire.proto.BeginRecoveryOp;
import io.vdfs.common.wire.proto.CompleteOp;
import io.vdfs.common.wire.proto.GroupSyncProto;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.RecordProgressOp;
import io.vdfs.datanode.meta.MetadataHarness;
import java.util.List;
import org.junit.jupiter.api.Test;

class RecordProgressTest {
  private final MetadataHarness meta = new MetadataHarness();

  private MetaRequest.Builder record(long file, long flushed, GroupSyncProto.Builder... groups) {
    RecordProgressOp.Builder op =
        RecordProgressOp.newBuilder()
            .setFile(key(file))
            .setHolder(id(1))
            .setWriteEpoch(1)
            .setFlushedLength(flushed)
            .setRequiredCopies(2);
    List.of(groups).forEach(op::addSynced);
    return meta.request().setRecordProgress(op);
  }

  private MetaRequest.Builder complete(long file, long length, GroupSyncProto.Builder... groups) {
    CompleteOp.Builder op =
        CompleteOp.newBuilder()
            .setFile(key(file))
            .setHolder(id(1))
            .setWriteEpoch(1)
            .setLength(length)
            .setRequiredCopies(2);
    List.of(groups).forEach(op::addSynced);
    return meta.request().setComplete(op);
  }

  @Test
  void shouldShowWhatIsFlushedAndPromiseNothing() {
    long file = meta.open("/f", 1).getFileId();
    meta.ok(record(file, 700));
    assertEquals(700, meta.status("/f").getFlushedLength());
    assertEquals(0, meta.status("/f").getLength());

    meta.ok(record(file, 300));
    assertEquals(700, meta.status("/f").getFlushedLength());
    meta.ok(complete(file, 300, synced(0, 1, 2)));
    assertEquals(300, meta.status("/f").getLength());
    assertEquals(0, meta.status("/f").getFlushedLength());
  }

  @Test
  void shouldRaiseTheLengthThatRecoveryBeginsWithByWholeGroups() {
    long file = meta.open("/f", 1).getFileId();
    meta.ok(record(file, 0, synced(0, 1, 2), synced(1, 2, 3)));

    meta.ok(
        meta.request()
            .setBeginRecovery(BeginRecoveryOp.newBuilder().setFile(key(file)).setWriteEpoch(1)));

    assertEquals(2 * GROUP, meta.leases().get(0).getLength());
  }

  @Test
  void shouldNotAskForRecordedGroupsWhenTheFileIsClosed() {
    long file = meta.open("/f", 1).getFileId();
    meta.ok(record(file, 0, synced(0, 1, 2), synced(1, 1, 2)));
    long length = 3 * GROUP + 1;
    ErrorCode code = ErrorCode.INVALID_ARGUMENT;

    meta.refuse(code, complete(file, length, synced(3, 1, 2)));
    meta.refuse(code, complete(file, length, synced(2, 1, 2)));
    meta.refuse(code, complete(file, 2 * GROUP - 1, synced(1, 1, 2)));
    meta.ok(complete(file, length, synced(2, 1, 2), synced(3, 1, 2)));

    assertEquals(length, meta.status("/f").getLength());
  }

  @Test
  void shouldTakeRecordedGroupsOnceMore() {
    long file = meta.open("/f", 1).getFileId();
    meta.ok(record(file, 0, synced(0, 1, 2)));
    meta.ok(record(file, 0, synced(0, 1, 2), synced(1, 1, 2)));
    meta.ok(record(file, 0, synced(0, 1, 2)));
    meta.ok(complete(file, 2 * GROUP));
  }

  @Test
  void shouldRefuseGroupsThatAreNotProven() {
    long file = meta.open("/f", 1).getFileId();
    ErrorCode code = ErrorCode.INVALID_ARGUMENT;

    meta.refuse(code, record(file, 0, synced(1, 1, 2)));
    meta.refuse(code, record(file, 0, synced(0, 1)));
    meta.refuse(code, record(file, 0, synced(0, 1, 1)));
    meta.refuse(code, record(file, 0, synced(0, 1, 2), synced(2, 1, 2)));
    meta.refuse(code, record(file, 0, synced(-1, 1, 2)));
    meta.refuse(code, record(file, Long.MAX_VALUE));
    meta.refuse(code, record(file, -1));

    assertEquals(0, meta.status("/f").getLength());
    assertEquals(0, meta.status("/f").getFlushedLength());
  }

  @Test
  void shouldBeginAnAppendWithNothingRecorded() {
    long file = meta.open("/f", 1).getFileId();
    meta.ok(record(file, GROUP, synced(0, 1, 2)));
    meta.ok(complete(file, GROUP + 5, synced(1, 1, 2)));
    meta.ok(meta.request().setAppend(AppendOp.newBuilder().setPath("/f").setHolder(id(1))));

    MetaRequest.Builder early = record(file, 0, synced(0, 1, 2));
    early.getRecordProgressBuilder().setWriteEpoch(2);
    meta.refuse(ErrorCode.INVALID_ARGUMENT, early);
    MetaRequest.Builder right = record(file, 0, synced(1, 1, 2));
    right.getRecordProgressBuilder().setWriteEpoch(2);
    meta.ok(right);

    assertEquals(2 * GROUP, meta.status("/f").getLength());
  }

  /** What a writer of any length says at its end fits into an entry of the log. */
  @Test
  void shouldCloseAFileOfTwentyThousandGroups() {
    long file = meta.open("/f", 1).getFileId();
    int groups = 20_000;
    for (int group = 0; group < groups; group++) {
      meta.ok(record(file, 0, synced(group, 1, 2)));
    }
    MetaRequest.Builder last = complete(file, groups * GROUP + 1, synced(groups, 1, 2));
    assertTrue(last.build().getSerializedSize() < 1_000);
    meta.ok(last);
    assertEquals(groups * GROUP + 1, meta.status("/f").getLength());
  }
}
