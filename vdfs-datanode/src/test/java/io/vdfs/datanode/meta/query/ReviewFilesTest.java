package io.vdfs.datanode.meta.query;

import static io.vdfs.datanode.repair.RepairRings.node;
import static io.vdfs.datanode.repair.RepairRings.ring;
import static io.vdfs.datanode.repair.RepairRings.serving;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.model.InodeIds;
import io.vdfs.common.wire.proto.AcceptLossOp;
import io.vdfs.common.wire.proto.FileKeyProto;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.ReviewFilesQuery;
import io.vdfs.common.wire.proto.ReviewFilesResult;
import io.vdfs.common.wire.proto.SkipSequencesOp;
import io.vdfs.datanode.meta.MetadataHarness;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReviewFilesTest {
  private final MetadataHarness meta = new MetadataHarness();

  @BeforeEach
  void record() {
    meta.recordRing(
        0, ring(5, 3, MetadataHarness.GEOMETRY.arcs(), serving(node(1), node(2), node(3))));
  }

  private static MetaRequest.Builder review(MetadataHarness meta, List<FileKeyProto> files) {
    return meta.request()
        .setReviewFiles(ReviewFilesQuery.newBuilder().addAllFiles(files).setKnownRingEpoch(5))
        .setCaller(MetadataHarness.ROOT);
  }

  private ReviewFilesResult review(FileKeyProto... files) {
    return meta.answer(review(meta, List.of(files))).getReviewFiles();
  }

  private FileKeyProto file(String path) {
    return MetadataHarness.key(meta.file(path, 100));
  }

  private static FileKeyProto numbered(long number) {
    return FileKeyProto.newBuilder().setFileId(InodeIds.file(number, 0)).setGeneration(1).build();
  }

  @Test
  void shouldTellWhatIsThereFromWhatIsGoneAndWhatWasNeverThere() {
    FileKeyProto there = file("/there");
    FileKeyProto gone = file("/gone");
    meta.ok(meta.delete("/gone", false));
    FileKeyProto directory = numbered(1).toBuilder().setFileId(InodeIds.directory(1, 0)).build();
    FileKeyProto later = there.toBuilder().setGeneration(there.getGeneration() + 1).build();
    ReviewFilesResult found = review(there, gone, numbered(100), directory, later);
    assertEquals(List.of(gone), found.getGoneList());
    assertEquals(1, found.getFilesCount());
    assertEquals(there, found.getFiles(0).getFile());
    assertEquals(100, found.getFiles(0).getLength());
    assertFalse(found.hasRing(), "the node has it");
    assertTrue(
        meta.answer(
                review(meta, List.of())
                    .setReviewFiles(ReviewFilesQuery.newBuilder().setKnownRingEpoch(4)))
            .getReviewFiles()
            .hasRing());
  }

  @Test
  void shouldTakeNothingForGoneAfterALossUntilItIsAccepted() throws IOException {
    FileKeyProto gone = file("/gone");
    meta.ok(meta.delete("/gone", false));
    meta.ok(meta.request().setSkipSequences(SkipSequencesOp.newBuilder().setInodes(1000)));
    MetadataHarness reloaded = meta.reloaded();
    for (MetadataHarness harness : List.of(meta, reloaded)) {
      ReviewFilesResult found =
          harness.answer(review(harness, List.of(gone, numbered(50)))).getReviewFiles();
      assertTrue(found.getLossOpen());
      assertEquals(List.of(), found.getGoneList());
    }

    meta.ok(accept());
    assertEquals(List.of(gone, numbered(50)), review(gone, numbered(50)).getGoneList());
    assertFalse(meta.reloaded().answer(review(meta, List.of())).getReviewFiles().getLossOpen());
    meta.ok(accept());
    meta.ok(meta.request().setSkipSequences(SkipSequencesOp.newBuilder().setInodes(1)));
    assertTrue(review().getLossOpen(), "that was another one");
  }

  private MetaRequest.Builder accept() {
    return meta.request().setAcceptLoss(AcceptLossOp.getDefaultInstance());
  }

  @Test
  void shouldRefuseOthersThanSuperusersAndTooManyFilesAtOnce() {
    meta.refuse(ErrorCode.PERMISSION_DENIED, accept().setCaller(MetadataHarness.ALICE));
    meta.refuseQuery(
        ErrorCode.PERMISSION_DENIED, review(meta, List.of()).setCaller(MetadataHarness.ALICE));
    meta.refuseQuery(
        ErrorCode.INVALID_ARGUMENT, review(meta, Collections.nCopies(1001, numbered(1))));
  }
}
