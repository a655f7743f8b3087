package io.vdfs.datanode.meta.op;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.model.InodeIds;
import io.vdfs.common.wire.proto.SkipSequencesOp;
import io.vdfs.datanode.meta.MetadataHarness;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Files and directories count apart, and no number is given twice. */
class InodeNumbersTest {
  private final MetadataHarness meta = new MetadataHarness();

  private static long number(MetadataHarness meta, String path) {
    return InodeIds.number(meta.status(path).getInodeId());
  }

  @Test
  void shouldCountFilesAndDirectoriesApart() {
    assertEquals(InodeIds.directory(0, 0), meta.status("/").getInodeId());
    for (int i = 1; i <= 5; i++) {
      meta.mkdir("/d" + i);
      long file = meta.file("/d" + i + "/f", 0);
      assertFalse(InodeIds.isDirectory(file));
      assertTrue(InodeIds.isDirectory(meta.status("/d" + i).getInodeId()));
      assertEquals(i, InodeIds.number(file));
      assertEquals(i, number(meta, "/d" + i));
    }
  }

  @Test
  void shouldGoOnAfterASnapshotWhereTheLastOnesAreGone() throws IOException {
    meta.mkdir("/d");
    meta.mkdir("/e");
    meta.file("/f", 0);
    meta.ok(meta.delete("/e", true));
    meta.ok(meta.delete("/f", true));
    MetadataHarness reloaded = meta.reloaded();
    reloaded.file("/g", 0);
    reloaded.mkdir("/h");
    assertEquals(2, number(reloaded, "/g"));
    assertEquals(3, number(reloaded, "/h"));
  }

  @Test
  void shouldSkipInBothAndKeepThatInSnapshots() throws IOException {
    meta.ok(
        meta.request()
            .setSkipSequences(SkipSequencesOp.newBuilder().setInodes(1000).setDeletions(5)));
    MetadataHarness reloaded = meta.reloaded();
    assertEquals(meta.saved(), reloaded.saved());
    for (MetadataHarness harness : new MetadataHarness[] {meta, reloaded}) {
      harness.mkdir("/d");
      harness.file("/f", 0);
      assertEquals(1001, number(harness, "/d"));
      assertEquals(1001, number(harness, "/f"));
    }
    meta.refuse(
        ErrorCode.INVALID_ARGUMENT,
        meta.request().setSkipSequences(SkipSequencesOp.newBuilder().setInodes(-1)));
  }
}
