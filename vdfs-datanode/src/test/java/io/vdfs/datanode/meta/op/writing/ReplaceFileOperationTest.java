package io.vdfs.datanode.meta.op.writing;

import static io.vdfs.datanode.meta.MetadataHarness.ALICE;
import static io.vdfs.datanode.meta.MetadataHarness.BOB;
import static io.vdfs.datanode.meta.MetadataHarness.ROOT;
import static io.vdfs.datanode.meta.MetadataHarness.key;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.PinnedFileProto;
import io.vdfs.common.wire.proto.PollDeletionsQuery;
import io.vdfs.common.wire.proto.ReplaceFileOp;
import io.vdfs.common.wire.proto.SetAttributesOp;
import io.vdfs.common.wire.proto.SetXAttrOp;
import io.vdfs.common.wire.proto.StatusProto;
import io.vdfs.datanode.meta.MetadataHarness;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReplaceFileOperationTest {
  private final MetadataHarness meta = new MetadataHarness();

  private PinnedFileProto pin(String path) {
    StatusProto status = meta.status(path);
    return PinnedFileProto.newBuilder()
        .setPath(path)
        .setFile(key(status.getInodeId()))
        .setLength(status.getLength())
        .build();
  }

  private MetaRequest.Builder replace(
      PinnedFileProto target, String replacement, PinnedFileProto... sources) {
    return meta.request()
        .setReplaceFile(
            ReplaceFileOp.newBuilder()
                .setTarget(target)
                .setReplacement(replacement)
                .addAllSources(List.of(sources)));
  }

  private List<Long> deleted() {
    return meta
        .answer(meta.as(ROOT).request().setPollDeletions(PollDeletionsQuery.getDefaultInstance()))
        .getDeletions()
        .getDeletionsList()
        .stream()
        .map(deletion -> deletion.getFile().getFileId())
        .sorted()
        .toList();
  }

  @Test
  void shouldKeepAllOfTheTargetButItsBytes() {
    meta.mkdir("/d");
    long target = meta.file("/d/t", 10);
    long source = meta.file("/d/s", 5);
    meta.ok(meta.chown("/d/t", "alice", "staff"));
    meta.ok(meta.chmod("/d/t", 0640));
    meta.ok(
        meta.request()
            .setSetXattr(
                SetXAttrOp.newBuilder()
                    .setPath("/d/t")
                    .setName("user.a")
                    .setValue(MetadataHarness.id(1))));
    long fresh = meta.file("/d/x", 15);
    meta.at(9_000).ok(replace(pin("/d/t"), "/d/x", pin("/d/s")));

    StatusProto status = meta.status("/d/t");
    assertEquals(fresh, status.getInodeId());
    assertEquals(15, status.getLength());
    assertEquals("alice", status.getOwner());
    assertEquals("staff", status.getGroup());
    assertEquals(0640, status.getMode());
    assertEquals(9_000, status.getModificationMillis());
    assertEquals(9_000, meta.status("/d").getModificationMillis());
    assertEquals(List.of("t"), meta.names("/d"));
    assertEquals(List.of(target, source), deleted());
  }

  @Test
  void shouldRefuseFilesThatChangedMeanwhile() {
    meta.file("/t", 10);
    meta.file("/x", 10);
    meta.file("/s", 1);
    PinnedFileProto target = pin("/t");
    PinnedFileProto source = pin("/s");
    meta.ok(meta.create("/s", 0644, 1, true));
    meta.refuse(ErrorCode.LEASE_CONFLICT, replace(target, "/x", source));
    meta.ok(meta.complete(meta.status("/s").getInodeId(), 1, 1, 1));
    meta.refuse(ErrorCode.FILE_CHANGED, replace(target, "/x", source));
    meta.refuse(ErrorCode.FILE_CHANGED, replace(target.toBuilder().setLength(9).build(), "/x"));
    meta.ok(meta.append("/x", 1));
    meta.refuse(ErrorCode.LEASE_CONFLICT, replace(target, "/x"));
    meta.refuse(ErrorCode.NOT_FOUND, replace(target, "/none"));
  }

  @Test
  void shouldRefuseAReplacementWithFewerCopiesThanTheTargetAsksFor() {
    meta.file("/t", 10);
    meta.file("/x", 10);
    MetaRequest.Builder replace = replace(pin("/t"), "/x");
    int more = meta.status("/x").getReplication() + 1;
    SetAttributesOp raised =
        SetAttributesOp.newBuilder().setPath("/t").setReplication(more).setRingCopies(more).build();
    meta.ok(meta.request().setSetAttributes(raised));
    MetaRequest.Builder checked = replace.clone();
    checked.getReplaceFileBuilder().setChecksCopies(true);
    meta.refuse(ErrorCode.FILE_CHANGED, checked);
    assertEquals(List.of("t", "x"), meta.names("/"));
    // as in logs from before
    meta.ok(replace);
    assertEquals(more, meta.status("/t").getReplication());
  }

  @Test
  void shouldRefuseAFileNamedTwice() {
    meta.file("/t", 10);
    meta.file("/s", 10);
    meta.file("/x", 10);
    meta.refuse(ErrorCode.INVALID_ARGUMENT, replace(pin("/t"), "/t"));
    meta.refuse(ErrorCode.INVALID_ARGUMENT, replace(pin("/t"), "/x", pin("/t")));
    meta.refuse(ErrorCode.INVALID_ARGUMENT, replace(pin("/t"), "/x", pin("/s"), pin("/s")));
    meta.refuse(ErrorCode.INVALID_ARGUMENT, replace(pin("/t"), "/x", pin("/x")));
  }

  @Test
  void shouldNeedTheRightsOfAllItDoes() {
    meta.ok(meta.mkdirs("/d", 0777));
    meta.as(ALICE).file("/d/t", 1);
    meta.file("/d/s", 1);
    meta.as(BOB).file("/d/x", 1);
    meta.refuse(ErrorCode.PERMISSION_DENIED, replace(pin("/d/t"), "/d/x"));
    meta.as(ROOT).ok(meta.chmod("/d/t", 0666));
    meta.as(ALICE).refuse(ErrorCode.PERMISSION_DENIED, replace(pin("/d/t"), "/d/x"));
    meta.as(ROOT).ok(meta.chmod("/d/s", 0600));
    meta.as(BOB).refuse(ErrorCode.PERMISSION_DENIED, replace(pin("/d/t"), "/d/x", pin("/d/s")));
    meta.as(ROOT).ok(meta.chmod("/d/s", 0644));
    meta.ok(meta.chmod("/d", 01777));
    meta.as(BOB).refuse(ErrorCode.PERMISSION_DENIED, replace(pin("/d/t"), "/d/x", pin("/d/s")));
    meta.as(ROOT).ok(meta.chmod("/d", 0777));
    meta.as(BOB).ok(replace(pin("/d/t"), "/d/x", pin("/d/s")));
    assertEquals("alice", meta.status("/d/t").getOwner());
    assertFalse(meta.exists("/d/s"));
  }
}
