package io.vdfs.datanode.meta.op.names;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.model.InodeIds;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MkdirsOp;
import io.vdfs.common.wire.proto.StatusProto;
import io.vdfs.datanode.meta.MetadataHarness;
import org.junit.jupiter.api.Test;

class MkdirsOperationTest {
  private final MetadataHarness meta = new MetadataHarness();

  private MetaRequest.Builder mkdir(String path) {
    return meta.request().setMkdirs(MkdirsOp.newBuilder().setPath(path).setMode(0755));
  }

  @Test
  void shouldBeginWithARootOfTheSuperuser() {
    StatusProto root = meta.status("/");
    assertTrue(root.getDirectory());
    assertEquals("vdfs:supergroup", root.getOwner() + ":" + root.getGroup());
    assertEquals(0755, root.getMode());
    assertFalse(meta.ok(mkdir("/")).getMkdirs().getCreated());
  }

  @Test
  void shouldMakeParentsThatTheirOwnerCanWrite() {
    meta.at(5_000);
    assertTrue(meta.ok(meta.mkdirs("/a/b/c", 01050)).getMkdirs().getCreated());
    assertEquals(0350, meta.status("/a").getMode());
    assertEquals(0350, meta.status("/a/b").getMode());
    assertEquals(01050, meta.status("/a/b/c").getMode());
    assertEquals(5_000, meta.status("/a/b/c").getModificationMillis());
    assertEquals(0, meta.status("/a/b/c").getAccessMillis());
    assertEquals(5_000, meta.status("/").getModificationMillis());
  }

  @Test
  void shouldTakeOwnerFromCallerAndGroupFromParent() {
    meta.mkdir("/home");
    meta.ok(meta.chown("/home", "alice", "team"));
    meta.as(MetadataHarness.ALICE).mkdir("/home/x/y");
    StatusProto made = meta.status("/home/x/y");
    assertEquals("alice:team", made.getOwner() + ":" + made.getGroup());
  }

  @Test
  void shouldBeContentWithADirectoryThatExists() {
    meta.mkdir("/a");
    meta.at(9_000);
    assertFalse(meta.ok(meta.mkdirs("/a", 0700)).getMkdirs().getCreated());
    assertEquals(0755, meta.status("/a").getMode());
    assertEquals(1_000, meta.status("/").getModificationMillis());
  }

  @Test
  void shouldRefuseMissingParentsUnlessAsked() {
    meta.refuse(ErrorCode.NOT_FOUND, mkdir("/a/b"));
    meta.mkdir("/a");
    meta.ok(mkdir("/a/b"));
  }

  @Test
  void shouldRefuseAFileInTheWay() {
    meta.file("/f", 0);
    meta.refuse(ErrorCode.ALREADY_EXISTS, meta.mkdirs("/f", 0755));
    meta.refuse(ErrorCode.NOT_A_DIRECTORY, meta.mkdirs("/f/a", 0755));
    meta.refuse(ErrorCode.NOT_A_DIRECTORY, meta.mkdirs("/f/a/b", 0755));
  }

  @Test
  void shouldRefuseBadArguments() {
    meta.refuse(ErrorCode.INVALID_ARGUMENT, meta.mkdirs("a", 0755));
    meta.refuse(ErrorCode.INVALID_ARGUMENT, meta.mkdirs("/a", 02000));
    meta.refuse(ErrorCode.INVALID_ARGUMENT, meta.mkdirs("/a", -1));
    meta.refuse(ErrorCode.INVALID_ARGUMENT, meta.mkdirs("/a/.snapshot/b", 0755));
  }

  @Test
  void shouldSpreadDirectoriesNearTheRootOverPartitions() {
    meta.mkdir("/a/b/c/d");
    int second = InodeIds.partition(meta.status("/a/b").getInodeId());
    assertNotEquals(InodeIds.partition(meta.status("/a").getInodeId()), second);
    assertEquals(second, InodeIds.partition(meta.status("/a/b/c/d").getInodeId()));
    assertEquals(second, InodeIds.partition(meta.file("/a/b/c/f", 0)));
    meta.mkdir("/x/a");
    assertEquals(
        InodeIds.partition(meta.status("/a").getInodeId()),
        InodeIds.partition(meta.status("/x/a").getInodeId()));
  }
}
