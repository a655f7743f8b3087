package io.vdfs.datanode.meta.op.names;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.RenameOp;
import io.vdfs.datanode.meta.MetadataHarness;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RenameOperationTest {
  private final MetadataHarness meta = new MetadataHarness();

  @BeforeEach
  void makeTree() {
    meta.mkdir("/a/b/c");
    meta.mkdir("/empty");
    meta.mkdir("/full");
    meta.file("/full/x", 1);
    meta.file("/a/f", 10);
    meta.file("/g", 20);
  }

  private void refuse(ErrorCode code, String source, String target) {
    meta.refuse(code, meta.rename(source, target, false));
    meta.refuse(code, meta.rename(source, target, true));
  }

  @Test
  void shouldMoveAWholeTree() {
    long directory = meta.status("/a").getInodeId();
    meta.at(5_000);
    meta.ok(meta.rename("/a", "/full/z", false));
    assertEquals(directory, meta.status("/full/z").getInodeId());
    assertEquals(10, meta.status("/full/z/f").getLength());
    assertTrue(meta.exists("/full/z/b/c"));
    assertFalse(meta.exists("/a"));
    assertEquals(List.of("empty", "full", "g"), meta.names("/"));
    assertEquals(5_000, meta.status("/").getModificationMillis());
    assertEquals(5_000, meta.status("/full").getModificationMillis());
    assertEquals(1_000, meta.status("/full/z").getModificationMillis());
    assertEquals(1_000, meta.status("/full/z/f").getModificationMillis());
  }

  private MetaRequest.Builder renameInto(String source, String target) {
    return meta.request()
        .setRename(
            RenameOp.newBuilder().setSource(source).setTarget(target).setIntoDirectory(true));
  }

  private void into(boolean moved, String source, String target) {
    ByteString before = meta.saved();
    assertEquals(moved, meta.ok(renameInto(source, target)).getRename().getMoved());
    if (!moved) {
      assertEquals(before, meta.saved());
    }
  }

  @Test
  void shouldMoveIntoTheTargetWhereThatIsADirectory() {
    into(true, "/g", "/empty");
    assertEquals(20, meta.status("/empty/g").getLength());
    into(true, "/empty/g", "/");
    assertTrue(meta.exists("/g"));
    into(true, "/g", "/h");
    assertTrue(meta.exists("/h"));
    into(true, "/a", "/full");
    assertEquals(10, meta.status("/full/a/f").getLength());
  }

  @Test
  void shouldLeaveWhatIsWhereItShallBe() {
    ByteString before = meta.saved();
    into(true, "/a/f", "/a/f");
    into(true, "/a/f", "/a");
    assertEquals(before, meta.saved());
    into(false, "/none", "/none");
    into(false, "/a", "/a");
  }

  @Test
  void shouldAnswerByFalseWhatHdfsAnswersSo() {
    meta.mkdir("/full/g/sub");
    into(false, "/g", "/full/x");
    into(false, "/g", "/full");
    into(false, "/a", "/g");
    into(false, "/none", "/empty");
    into(false, "/g", "/none/x");
    into(false, "/a", "/a/b");
    into(false, "/a", "/a/x");
    into(false, "/", "/empty");
    into(false, "/g", "/.reserved");
    into(false, "/g", "/a/.snapshot");
    into(false, "/g/x", "/full/x");
    into(false, "no path", "/empty");
  }

  @Test
  void shouldFailToMoveIntoWhatCannotBe() {
    meta.refuse(ErrorCode.NOT_A_DIRECTORY, renameInto("/a", "/g/x"));
    meta.refuse(ErrorCode.NOT_A_DIRECTORY, renameInto("/g/x", "/empty"));
    meta.refuse(ErrorCode.INVALID_ARGUMENT, renameInto("/a", "/" + "x".repeat(300)));
    MetaRequest.Builder both = renameInto("/g", "/full/x");
    both.getRenameBuilder().setOverwrite(true);
    meta.refuse(ErrorCode.INVALID_ARGUMENT, both);
    meta.as(MetadataHarness.ALICE).refuse(ErrorCode.PERMISSION_DENIED, renameInto("/g", "/empty"));
    // an inode that stays where it is needs no right
    into(true, "/a/f", "/a");
  }

  @Test
  void shouldRenameWithinOneDirectory() {
    meta.ok(meta.rename("/a/f", "/a/e", false));
    assertEquals(List.of("b", "e"), meta.names("/a"));
  }

  @Test
  void shouldRefuseTheRoot() {
    refuse(ErrorCode.INVALID_ARGUMENT, "/", "/x");
    refuse(ErrorCode.INVALID_ARGUMENT, "/a", "/");
    refuse(ErrorCode.INVALID_ARGUMENT, "/", "/");
  }

  @Test
  void shouldRefuseToMoveADirectoryBelowItself() {
    refuse(ErrorCode.INVALID_ARGUMENT, "/a", "/a/x");
    refuse(ErrorCode.INVALID_ARGUMENT, "/a", "/a/b/c");
    refuse(ErrorCode.INVALID_ARGUMENT, "/a", "/a/x/y/z");
    meta.ok(meta.rename("/a", "/ab", false));
  }

  @Test
  void shouldRefuseTheSamePath() {
    refuse(ErrorCode.ALREADY_EXISTS, "/a", "/a");
    refuse(ErrorCode.ALREADY_EXISTS, "/g", "/g");
    refuse(ErrorCode.NOT_FOUND, "/none", "/none");
  }

  @Test
  void shouldRefuseAMissingSourceOrTargetParent() {
    refuse(ErrorCode.NOT_FOUND, "/none", "/x");
    refuse(ErrorCode.NOT_FOUND, "/a", "/none/x");
    refuse(ErrorCode.NOT_A_DIRECTORY, "/a", "/g/x");
    refuse(ErrorCode.NOT_A_DIRECTORY, "/g/x", "/y");
  }

  @Test
  void shouldRefuseBadPaths() {
    refuse(ErrorCode.INVALID_ARGUMENT, "a", "/x");
    refuse(ErrorCode.INVALID_ARGUMENT, "/a", "/x/");
    refuse(ErrorCode.INVALID_ARGUMENT, "/a", "/full/.snapshot");
  }

  @Test
  void shouldOverwriteAFileByAFile() {
    meta.refuse(ErrorCode.ALREADY_EXISTS, meta.rename("/a/f", "/g", false));
    meta.ok(meta.rename("/a/f", "/g", true));
    assertEquals(10, meta.status("/g").getLength());
    assertFalse(meta.exists("/a/f"));
  }

  @Test
  void shouldOverwriteAnEmptyDirectoryByADirectory() {
    meta.refuse(ErrorCode.ALREADY_EXISTS, meta.rename("/a", "/empty", false));
    meta.ok(meta.rename("/a", "/empty", true));
    assertEquals(List.of("b", "f"), meta.names("/empty"));
  }

  @Test
  void shouldRefuseToOverwriteAFullDirectoryOrTheParent() {
    meta.refuse(ErrorCode.DIRECTORY_NOT_EMPTY, meta.rename("/a", "/full", true));
    meta.refuse(ErrorCode.DIRECTORY_NOT_EMPTY, meta.rename("/a/b/c", "/a/b", true));
  }

  @Test
  void shouldRefuseToMixFilesAndDirectories() {
    refuse(ErrorCode.NOT_A_DIRECTORY, "/a", "/g");
    refuse(ErrorCode.IS_A_DIRECTORY, "/g", "/empty");
  }
}
