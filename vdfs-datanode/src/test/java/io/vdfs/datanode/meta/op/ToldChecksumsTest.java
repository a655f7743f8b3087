package io.vdfs.datanode.meta.op;

import static io.vdfs.datanode.meta.MetadataHarness.GEOMETRY;
import static io.vdfs.datanode.meta.MetadataHarness.GROUP;
import static io.vdfs.datanode.meta.MetadataHarness.id;
import static io.vdfs.datanode.meta.MetadataHarness.key;
import static io.vdfs.datanode.meta.MetadataHarness.synced;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.ArcReplicas;
import io.vdfs.common.ring.Placement;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.BeginRecoveryOp;
import io.vdfs.common.wire.proto.ChangePipelineOp;
import io.vdfs.common.wire.proto.CompleteOp;
import io.vdfs.common.wire.proto.FinishRecoveryOp;
import io.vdfs.common.wire.proto.GroupSyncProto;
import io.vdfs.common.wire.proto.RecordProgressOp;
import io.vdfs.common.wire.proto.ReviewFilesQuery;
import io.vdfs.datanode.meta.MetadataHarness;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The checksums of groups that writers tell, and nodes are told. */
class ToldChecksumsTest {
  private final MetadataHarness meta = new MetadataHarness();
  private long file;

  @BeforeEach
  void open() throws Exception {
    NodeId node = WireIds.nodeId(id(1));
    meta.recordRing(
        0,
        new RingMap(
            1,
            3,
            Placement.TURN,
            Collections.nCopies(GEOMETRY.arcs(), new ArcReplicas(List.of(node), List.of())),
            Map.of(node, new RingNode(node, "host", 1, 2, 3, 0, "/rack", 1, 1.0))));
    file = meta.open("/f", 1).getFileId();
  }

  private static GroupSyncProto.Builder group(int group, int checksum) {
    return synced(group, 1, 2).setChecksum(checksum);
  }

  private void record(int epoch, GroupSyncProto.Builder... groups) {
    RecordProgressOp.Builder op =
        RecordProgressOp.newBuilder().setFile(key(file)).setHolder(id(1)).setWriteEpoch(epoch);
    List.of(groups).forEach(op::addSynced);
    meta.ok(meta.request().setRecordProgress(op));
  }

  private void close(int epoch, long length, GroupSyncProto.Builder... groups) {
    CompleteOp.Builder op =
        CompleteOp.newBuilder()
            .setFile(key(file))
            .setHolder(id(1))
            .setWriteEpoch(epoch)
            .setLength(length);
    List.of(groups).forEach(op::addSynced);
    meta.ok(meta.request().setComplete(op));
  }

  /** What a writer is told that goes on with the file. */
  private int append() {
    return meta.ok(meta.append("/f", 1)).getOpenFile().getStatus().getLeaseStartChecksum();
  }

  private void recover(int epoch, long length, boolean givenUp) {
    meta.ok(
        meta.request()
            .setBeginRecovery(
                BeginRecoveryOp.newBuilder().setFile(key(file)).setWriteEpoch(epoch)));
    meta.ok(
        meta.request()
            .setFinishRecovery(
                FinishRecoveryOp.newBuilder()
                    .setFile(key(file))
                    .setWriteEpoch(epoch + 1)
                    .setLength(length)
                    .setGivenUp(givenUp)));
  }

  private List<Integer> told() {
    return meta.answer(
            meta.request().setReviewFiles(ReviewFilesQuery.newBuilder().addFiles(key(file))))
        .getReviewFiles()
        .getFiles(0)
        .getGroupChecksumsList();
  }

  @Test
  void shouldTellNodesWhatWritersToldOfEachGroup() throws IOException {
    record(1, group(0, 7), group(1, 0));
    assertEquals(List.of(7), told());
    close(1, 2 * GROUP + 5, group(2, 9));
    assertEquals(List.of(7, 0, 9), told());
    MetadataHarness reloaded = meta.reloaded();
    assertEquals(meta.saved(), reloaded.saved());
  }

  @Test
  void shouldGoOnWithAGroupThatAnAppendBeginsIn() {
    close(1, GROUP + 5, group(0, 7), group(1, 9));
    assertEquals(9, append());
    close(2, GROUP + 8, group(1, 11));
    assertEquals(List.of(7, 11), told());
    assertEquals(11, append());
    close(3, GROUP + 8);
    assertEquals(List.of(7, 11), told());
    append();
    close(4, 2 * GROUP, group(1, 0));
    assertEquals(List.of(7), told(), "its writer did not know");
    assertEquals(0, append(), "it begins a group");
  }

  /** The length of an open file may be raised beyond a group before that is recorded as whole. */
  @Test
  void shouldTellNothingOfTheGroupThatAnOpenAppendBeganInUntilItIsWhole() {
    close(1, GROUP + 5, group(0, 7), group(1, 9));
    append();
    meta.ok(
        meta.request()
            .setChangePipeline(
                ChangePipelineOp.newBuilder()
                    .setFile(key(file))
                    .setHolder(id(1))
                    .setWriteEpoch(2)
                    .setLength(2 * GROUP + 1)));
    assertEquals(List.of(7), told());
    record(3, group(1, 11));
    assertEquals(List.of(7, 11), told());
  }

  @Test
  void shouldNotBelieveWhatARecoveryMayHaveChanged() {
    close(1, GROUP + 5, group(0, 7), group(1, 9));
    append();
    recover(2, GROUP + 5, false);
    assertEquals(List.of(7, 9), told(), "no byte was added");
    append();
    recover(4, GROUP + 6, false);
    assertEquals(List.of(7), told());
    assertEquals(0, append());
    record(6, group(1, 13));
    recover(6, 3 * GROUP, false);
    assertEquals(List.of(7, 13), told(), "of the last group nobody said anything");
    append();
    record(8, group(3, 17), group(4, 19));
    recover(8, 4 * GROUP + 1, true);
    assertEquals(List.of(7, 13, 0, 17), told());
  }
}
