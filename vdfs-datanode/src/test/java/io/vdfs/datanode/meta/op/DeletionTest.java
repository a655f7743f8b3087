package io.vdfs.datanode.meta.op;

import static io.vdfs.datanode.meta.MetadataHarness.id;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.wire.proto.AckDeletionsOp;
import io.vdfs.common.wire.proto.DeletionProgressQuery;
import io.vdfs.common.wire.proto.DeletionProgressResult;
import io.vdfs.common.wire.proto.DeletionProto;
import io.vdfs.common.wire.proto.FileExistsQuery;
import io.vdfs.common.wire.proto.FileKeyProto;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.NodeDeletionsProto;
import io.vdfs.common.wire.proto.PollDeletionsQuery;
import io.vdfs.common.wire.proto.ReclaimOp;
import io.vdfs.common.wire.proto.ReclaimStatusQuery;
import io.vdfs.datanode.meta.MetadataHarness;
import io.vdfs.datanode.meta.state.settings.MetadataSettings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Delete, reclaim, and the deletion queue. */
class DeletionTest {
  private MetadataHarness meta = new MetadataHarness();

  private boolean delete(String path, boolean recursive) {
    return meta.ok(meta.delete(path, recursive)).getDelete().getDeleted();
  }

  private List<DeletionProto> poll(long after, int limit) {
    return meta.answer(
            meta.request()
                .setPollDeletions(PollDeletionsQuery.newBuilder().setAfter(after).setLimit(limit)))
        .getDeletions()
        .getDeletionsList();
  }

  private List<Long> deleted() {
    return poll(0, 0).stream().map(deletion -> deletion.getFile().getFileId()).toList();
  }

  private MetaRequest.Builder ack(int node, long sequence, int... ring) {
    AckDeletionsOp.Builder op = AckDeletionsOp.newBuilder().setNode(id(node)).setSequence(sequence);
    for (int member : ring) {
      op.addNodes(id(member));
    }
    return meta.request().setAckDeletions(op);
  }

  private long reclaim(int limit) {
    return meta.ok(meta.request().setReclaim(ReclaimOp.newBuilder().setLimit(limit)))
        .getReclaim()
        .getPending();
  }

  private long reclaimable() {
    return meta.answer(meta.request().setReclaimStatus(ReclaimStatusQuery.getDefaultInstance()))
        .getReclaim()
        .getPending();
  }

  @Test
  void shouldDeleteAFile() {
    meta.mkdir("/d");
    long file = meta.file("/d/f", 1);
    meta.at(5_000);
    assertTrue(delete("/d/f", false));
    assertFalse(meta.exists("/d/f"));
    assertEquals(5_000, meta.status("/d").getModificationMillis());
    assertEquals(List.of(file), deleted());
    assertFalse(delete("/d/f", false));
    assertFalse(delete("/none/f", true));
  }

  @Test
  void shouldKeepTheRoot() {
    assertFalse(delete("/", false));
    meta.mkdir("/a");
    meta.refuse(ErrorCode.DIRECTORY_NOT_EMPTY, meta.delete("/", false));
    assertFalse(delete("/", true));
    assertTrue(meta.exists("/a"));
  }

  @Test
  void shouldRefuseAFullDirectoryUnlessRecursive() {
    meta.mkdir("/a/b");
    meta.refuse(ErrorCode.DIRECTORY_NOT_EMPTY, meta.delete("/a", false));
    assertTrue(delete("/a/b", false));
    assertTrue(delete("/a", false));
    assertEquals(0, reclaimable());
  }

  @Test
  void shouldRefuseAFileInTheWay() {
    meta.file("/f", 1);
    meta.refuse(ErrorCode.NOT_A_DIRECTORY, meta.delete("/f/x", true));
  }

  @Test
  void shouldReclaimADetachedTreeInBoundedSteps() {
    Set<Long> files = new TreeSet<>();
    for (int i = 0; i < 5; i++) {
      meta.mkdir("/t/d" + i + "/e");
      for (int j = 0; j < 4; j++) {
        files.add(meta.file("/t/d" + i + "/f" + j, 1));
        files.add(meta.file("/t/d" + i + "/e/f" + j, 1));
      }
    }
    assertTrue(delete("/t", true));
    assertEquals(List.of(), deleted());
    assertEquals(1, reclaimable());
    int steps = 0;
    while (reclaim(3) > 0) {
      steps++;
      assertTrue(steps < 100, "reclaiming does not end");
    }
    assertTrue(steps > 10);
    assertEquals(0, reclaimable());
    assertEquals(files, new TreeSet<>(deleted()));
    assertEquals(files.size(), deleted().size());
    meta.mkdir("/t");
    assertEquals(List.of(), meta.names("/t"));
  }

  @Test
  void shouldReclaimOneAtATime() {
    meta.mkdir("/a/b/c");
    assertTrue(delete("/a", true));
    List<Long> pending = new ArrayList<>();
    for (long left = 1; left > 0; ) {
      left = reclaim(1);
      pending.add(left);
    }
    assertEquals(List.of(2L, 1L, 2L, 1L, 0L), pending);
  }

  @Test
  void shouldHandOutDeletionsInOrder() {
    List<Long> files = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      files.add(meta.file("/f" + i, 1));
      delete("/f" + i, false);
    }
    assertEquals(files, deleted());
    assertEquals(List.of(3L, 4L), poll(2, 2).stream().map(DeletionProto::getSequence).toList());
    assertEquals(List.of(), poll(5, 0));
    MetaRequest.Builder bad =
        meta.request().setPollDeletions(PollDeletionsQuery.newBuilder().setAfter(-1));
    meta.refuseQuery(ErrorCode.INVALID_ARGUMENT, bad);
  }

  @Test
  void shouldDropWhatAllNodesDeleted() throws Exception {
    for (int i = 0; i < 3; i++) {
      meta.file("/f" + i, 1);
      delete("/f" + i, false);
    }
    meta.ok(ack(1, 3, 1, 2, 3));
    meta.ok(ack(2, 2, 1, 2, 3));
    assertEquals(3, deleted().size());
    meta.ok(ack(3, 1, 1, 2, 3));
    assertEquals(2, deleted().size());
    meta.ok(ack(3, 0, 1, 2, 3));
    meta.ok(ack(3, 3, 1, 2, 3));
    assertEquals(1, deleted().size());
    meta.ok(ack(1, 3, 1, 3));
    assertEquals(0, deleted().size());
    MetadataHarness copy = meta.reloaded();
    copy.file("/g", 1);
    copy.ok(copy.delete("/g", false));
    assertEquals(
        4,
        copy.answer(copy.request().setPollDeletions(PollDeletionsQuery.getDefaultInstance()))
            .getDeletions()
            .getDeletions(0)
            .getSequence());
  }

  @Test
  void shouldNotWaitForANodeThatIsSevenDaysBehind() {
    long week = Duration.ofDays(7).toMillis();
    meta.at(1_000);
    deleteFiles("a", 3);
    meta.ok(ack(3, 1, 1, 2, 3));
    meta.ok(ack(1, 3, 1, 2, 3));
    meta.at(1_000 + week);
    meta.ok(ack(2, 3, 1, 2, 3));
    assertEquals(2, deleted().size());
    meta.at(1_001 + week);
    deleteFiles("b", 1);
    meta.ok(ack(1, 4, 1, 2, 3));
    assertEquals(List.of(4L), sequences());
  }

  private static MetadataHarness bounded(int entries) {
    MetadataSettings all = MetadataSettings.of(MetadataHarness.GEOMETRY, "vdfs");
    return new MetadataHarness(
        new MetadataSettings(
            all.geometry(),
            all.defaults(),
            all.limits().withDeletions(entries, Duration.ofDays(7).toMillis())));
  }

  private DeletionProgressResult deletionProgress() {
    return meta.answer(
            meta.request().setDeletionProgress(DeletionProgressQuery.getDefaultInstance()))
        .getDeletionProgress();
  }

  private List<NodeDeletionsProto> progress() {
    return deletionProgress().getNodesList();
  }

  private static NodeDeletionsProto node(int node, long sequence, boolean behind, long missed) {
    return NodeDeletionsProto.newBuilder()
        .setNode(id(node))
        .setSequence(sequence)
        .setBehind(behind)
        .setMissed(missed)
        .build();
  }

  @Test
  void shouldCountWhatANodeMissesThatIsTooFarBehindUntilItHasCaughtUp() throws Exception {
    meta = bounded(10);
    meta.at(1_000);
    deleteFiles("a", 4);
    meta.ok(ack(3, 2, 1, 2, 3));
    deleteFiles("b", 6);
    meta.ok(ack(1, 10, 1, 2, 3));
    meta.ok(ack(2, 10, 1, 2, 3));
    assertEquals(8, sequences().size());
    deleteFiles("c", 3);
    assertEquals(10, sequences().size());
    assertEquals(
        List.of(node(1, 10, false, 0), node(2, 10, false, 0), node(3, 2, true, 1)), progress());
    assertEquals(1, missedBy(3));
    assertEquals(0, missedBy(1));

    // recent entries stay for a node that lives, though it is not waited for
    meta.ok(ack(1, 13, 1, 2, 3));
    meta.ok(ack(2, 13, 1, 2, 3));
    assertEquals(10, sequences().size());
    meta.at(100_000);
    meta = meta.reloaded(bounded(10));
    meta.at(100_000);
    meta.ok(ack(2, 13, 1, 2, 3));
    assertEquals(List.of(), sequences());
    assertEquals(node(3, 2, true, 11), progress().get(2));

    // it is waited for again once it is back, and what it missed stays counted
    deleteFiles("d", 1);
    meta.ok(ack(3, 14, 1, 2, 3));
    assertEquals(node(3, 14, false, 11), progress().get(2));
    assertEquals(11, missedBy(3));

    // until it has looked for all of it
    assertEquals(13, deletionProgress().getDropped());
    meta.ok(lookedThrough(3, 12));
    assertEquals(node(3, 14, false, 11), progress().get(2));
    meta.ok(lookedThrough(3, 13));
    assertEquals(node(3, 14, false, 0), progress().get(2));
    meta = meta.reloaded(bounded(10));
    meta.at(100_000);
    assertEquals(node(3, 14, false, 0), progress().get(2));
    deleteFiles("e", 1);
    meta.ok(ack(1, 15, 1, 2, 3));
    meta.ok(ack(2, 15, 1, 2, 3));
    meta.at(200_000);
    meta.ok(ack(2, 15, 1, 2, 3));
    assertEquals(List.of(15L), sequences());
  }

  @Test
  void shouldWaitAgainForANodeThatLookedThroughAllThatItHolds() {
    meta = bounded(10);
    meta.at(1_000);
    deleteFiles("a", 2);
    meta.ok(ack(2, 0, 1, 2));
    deleteFiles("b", 11);
    meta.ok(ack(1, 13, 1, 2));
    assertEquals(node(2, 0, true, 3), progress().get(1));
    meta.ok(lookedThrough(2, 3));
    assertEquals(List.of(node(1, 13, false, 3), node(2, 3, false, 0)), progress());
    meta.at(100_000);
    meta.ok(ack(1, 13, 1, 2));
    assertEquals(10, sequences().size());
  }

  private MetaRequest.Builder lookedThrough(int node, long sequence) {
    return meta.request()
        .setAckDeletions(AckDeletionsOp.newBuilder().setNode(id(node)).setLookedThrough(sequence));
  }

  private long missedBy(int node) {
    return meta.answer(
            meta.request().setPollDeletions(PollDeletionsQuery.newBuilder().setNode(id(node))))
        .getDeletions()
        .getMissed();
  }

  @Test
  void shouldBoundTheQueueAlsoWhileNoNodeAcknowledges() {
    meta = bounded(10);
    deleteFiles("a", 35);
    assertEquals(10, sequences().size());
    assertEquals(35L, sequences().get(9));
  }

  @Test
  void shouldNotCountForANewNodeWhatWasDroppedBefore() {
    meta = bounded(10);
    deleteFiles("a", 5);
    meta.ok(ack(1, 5, 1));
    assertEquals(List.of(), sequences());
    deleteFiles("b", 1);
    meta.ok(ack(1, 6, 1, 2));
    assertEquals(List.of(6L), sequences());
    assertEquals(node(2, 5, false, 0), progress().get(1));
  }

  @Test
  void shouldTellWhetherAFileExists() {
    long file = meta.file("/f", 1);
    assertTrue(exists(file, 1));
    assertFalse(exists(file, 2));
    assertFalse(exists(file + 1, 1));
    meta.mkdir("/t");
    long below = meta.file("/t/f", 1);
    assertTrue(delete("/t", true));
    assertTrue(exists(below, 1), "its own deletion is still to come");
    while (reclaim(10) > 0) {
      assertTrue(reclaimable() > 0);
    }
    assertFalse(exists(below, 1));
    assertTrue(delete("/f", false));
    assertFalse(exists(file, 1));
    meta.as(MetadataHarness.ALICE).refuseQuery(ErrorCode.PERMISSION_DENIED, existence(file, 1));
  }

  private MetaRequest.Builder existence(long file, int generation) {
    return meta.request()
        .setFileExists(
            FileExistsQuery.newBuilder()
                .setFile(FileKeyProto.newBuilder().setFileId(file).setGeneration(generation)));
  }

  private boolean exists(long file, int generation) {
    return meta.answer(existence(file, generation)).getFileExists().getExists();
  }

  private void deleteFiles(String prefix, int count) {
    for (int i = 0; i < count; i++) {
      meta.file("/" + prefix + i, 1);
      assertTrue(delete("/" + prefix + i, false));
    }
  }

  private List<Long> sequences() {
    return poll(0, 0).stream().map(DeletionProto::getSequence).toList();
  }

  @Test
  void shouldDropNothingWithoutARing() {
    meta.file("/f", 1);
    delete("/f", false);
    meta.ok(ack(1, 1));
    assertEquals(1, deleted().size());
  }

  @Test
  void shouldRefuseBadAcknowledgements() {
    meta.refuse(ErrorCode.INVALID_ARGUMENT, ack(1, 1));
    meta.refuse(ErrorCode.INVALID_ARGUMENT, ack(1, -1));
    meta.refuse(ErrorCode.INVALID_ARGUMENT, lookedThrough(1, 1));
    meta.refuse(ErrorCode.INVALID_ARGUMENT, lookedThrough(1, -1));
    MetaRequest.Builder noNode =
        meta.request().setAckDeletions(AckDeletionsOp.getDefaultInstance());
    meta.refuse(ErrorCode.INVALID_ARGUMENT, noNode);
  }

  @Test
  void shouldKeepReclaimingToTheDaemons() {
    meta.as(MetadataHarness.ALICE);
    meta.refuse(
        ErrorCode.PERMISSION_DENIED, meta.request().setReclaim(ReclaimOp.getDefaultInstance()));
    meta.refuse(ErrorCode.PERMISSION_DENIED, ack(1, 0));
    MetaRequest.Builder poll =
        meta.request().setPollDeletions(PollDeletionsQuery.getDefaultInstance());
    meta.refuseQuery(ErrorCode.PERMISSION_DENIED, poll);
  }
}
