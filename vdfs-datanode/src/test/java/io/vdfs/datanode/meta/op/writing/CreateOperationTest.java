package io.vdfs.datanode.meta.op.writing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.wire.proto.CreateOp;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.OpenFileResult;
import io.vdfs.common.wire.proto.PollDeletionsQuery;
import io.vdfs.common.wire.proto.StatusProto;
import io.vdfs.datanode.meta.MetadataHarness;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CreateOperationTest {
  private final MetadataHarness meta = new MetadataHarness();

  private MetaRequest.Builder with(CreateOp.Builder op) {
    return meta.request().setCreate(op.setHolder(MetadataHarness.id(1)));
  }

  private long deletedFile() {
    MetaRequest.Builder poll =
        meta.request().setPollDeletions(PollDeletionsQuery.getDefaultInstance());
    return meta.answer(poll).getDeletions().getDeletions(0).getFile().getFileId();
  }

  @Test
  void shouldMakeAnOpenFileWithDefaults() {
    meta.mkdir("/d");
    meta.at(7_000);
    OpenFileResult opened = meta.open("/d/f", 1);
    StatusProto status = opened.getStatus();
    assertEquals(opened.getFileId(), status.getInodeId());
    assertTrue(status.getUnderConstruction());
    assertFalse(status.getDirectory());
    assertEquals(1, status.getWriteEpoch());
    assertEquals(1, status.getGeneration());
    assertEquals(3, status.getReplication());
    assertEquals(128 << 20, status.getBlockSize());
    assertEquals(0, status.getLength());
    assertEquals(7_000, status.getModificationMillis());
    assertEquals(7_000, status.getAccessMillis());
    assertEquals(7_000, meta.status("/d").getModificationMillis());
    assertEquals(status, meta.status("/d/f").toBuilder().clearReadable().clearWritable().build());
    assertEquals(MetadataHarness.id(1), meta.leases().get(0).getHolder());
  }

  @Test
  void shouldGiveMissingParentsTheModeOfTheirDirectory() {
    meta.ok(meta.mkdirs("/d", 01555));
    meta.refuse(ErrorCode.NOT_FOUND, meta.create("/d/a/b/f", 0644, 1, false));
    meta.ok(with(CreateOp.newBuilder().setPath("/d/a/b/f").setCreateParents(true)));
    assertEquals(0755, meta.status("/d/a").getMode());
    assertEquals(0755, meta.status("/d/a/b").getMode());
  }

  @Test
  void shouldRefuseWhatExistsUnlessOverwriting() {
    long old = meta.file("/f", 100);
    meta.refuse(ErrorCode.ALREADY_EXISTS, meta.create("/f", 0644, 1, false));
    long replaced = meta.ok(meta.create("/f", 0600, 1, true)).getOpenFile().getFileId();
    assertNotEquals(old, replaced);
    assertEquals(old, deletedFile());
    assertEquals(0, meta.status("/f").getLength());
  }

  @Test
  void shouldNotOverwriteADirectory() {
    meta.mkdir("/d");
    meta.refuse(ErrorCode.ALREADY_EXISTS, meta.create("/d", 0644, 1, false));
    meta.refuse(ErrorCode.IS_A_DIRECTORY, meta.create("/d", 0644, 1, true));
    meta.refuse(ErrorCode.ALREADY_EXISTS, meta.create("/", 0644, 1, false));
    meta.refuse(ErrorCode.IS_A_DIRECTORY, meta.create("/", 0644, 1, true));
  }

  @Test
  void shouldRefuseAFileThatIsBeingWritten() {
    OpenFileResult first = meta.open("/f", 1);
    meta.refuse(ErrorCode.LEASE_CONFLICT, meta.create("/f", 0644, 2, false));
    meta.refuse(ErrorCode.LEASE_CONFLICT, meta.create("/f", 0644, 1, false));
    meta.ok(meta.complete(first.getFileId(), 1, 1, 0));
    meta.refuse(ErrorCode.ALREADY_EXISTS, meta.create("/f", 0644, 1, false));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void shouldReplaceAFileThatIsBeingWritten(int holder) {
    OpenFileResult first = meta.open("/f", 1);
    long second = meta.ok(meta.create("/f", 0644, holder, true)).getOpenFile().getFileId();
    assertEquals(first.getFileId(), deletedFile());
    meta.refuse(ErrorCode.NOT_FOUND, meta.complete(first.getFileId(), 1, 1, 0));
    assertEquals(1, meta.leases().size());
    meta.ok(meta.complete(second, holder, 1, 0));
  }

  @Test
  void shouldRefuseAFileInTheWay() {
    meta.file("/f", 0);
    meta.refuse(ErrorCode.NOT_A_DIRECTORY, meta.create("/f/g", 0644, 1, true));
    meta.refuse(
        ErrorCode.NOT_A_DIRECTORY,
        with(CreateOp.newBuilder().setPath("/f/g/h").setCreateParents(true)));
  }

  @Test
  void shouldRefuseBadArguments() {
    meta.refuse(ErrorCode.INVALID_ARGUMENT, meta.create("/f", 010000, 1, false));
    meta.refuse(
        ErrorCode.INVALID_ARGUMENT, with(CreateOp.newBuilder().setPath("/f").setReplication(513)));
    meta.refuse(
        ErrorCode.INVALID_ARGUMENT, with(CreateOp.newBuilder().setPath("/f").setReplication(-1)));
    meta.refuse(
        ErrorCode.INVALID_ARGUMENT, with(CreateOp.newBuilder().setPath("/f").setBlockSize(-1)));
    meta.refuse(
        ErrorCode.INVALID_ARGUMENT,
        meta.request()
            .setCreate(
                CreateOp.newBuilder().setPath("/f").setHolder(ByteString.copyFromUtf8("x"))));
  }

  @Test
  void shouldNeverUseAnIdAgain() throws Exception {
    long first = meta.file("/f", 0);
    meta.ok(meta.delete("/f", false));
    long second = meta.reloaded().file("/f", 0);
    assertTrue(second >>> 8 > first >>> 8);
  }
}
