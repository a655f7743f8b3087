package io.vdfs.client.ledger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.model.StreamId;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ListedStream;
import io.vdfs.common.wire.proto.NextRunResult;
import io.vdfs.common.wire.proto.StreamNodeStatus;
import io.vdfs.common.wire.proto.StreamRun;
import io.vdfs.common.wire.proto.StreamStatusResult;
import io.vdfs.common.wire.proto.StreamTaskStatus;
import io.vdfs.common.wire.proto.StreamTotals;
import java.io.IOException;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class LedgerMessagesTest {
  private static final StreamTask TASK = new StreamTask(new StreamId(1, 2), 3);

  @Test
  void shouldReadBackAStoppedTask() throws IOException {
    StoppedTask stopped = new StoppedTask(TASK, 4, new BlockTotals(5, 600, -7));
    assertEquals(stopped, StoppedTaskCodec.decode(StoppedTaskCodec.encode(stopped)));
  }

  @Test
  void shouldRefuseWhatIsNoStoppedTask() {
    for (byte[] bytes : new byte[][] {{}, {1, 2, 3}, LedgerMessages.close(TASK).toByteArray()}) {
      VdfsException refused =
          assertThrows(VdfsException.class, () -> StoppedTaskCodec.decode(bytes));
      assertEquals(ErrorCode.INVALID_ARGUMENT, refused.code());
    }
  }

  @Test
  void shouldRefuseAnAnswerThatCannotBe() {
    StreamRun.Builder withoutBlocks =
        StreamRun.newBuilder()
            .setFile(WireIds.encode(new FileKey(9, 1)))
            .setOwner(WireIds.encode(new NodeId(new UUID(7, 7))));
    NextRunResult withoutOutcome = NextRunResult.getDefaultInstance();
    for (NextRunResult answer :
        new NextRunResult[] {
          withoutOutcome, NextRunResult.newBuilder().setRun(withoutBlocks).build()
        }) {
      VdfsException refused =
          assertThrows(VdfsException.class, () -> LedgerMessages.answer(answer));
      assertEquals(ErrorCode.INTERNAL, refused.code());
    }
  }

  @Test
  void shouldReadAStreamOfAList() throws IOException {
    NodeId node = new NodeId(new UUID(7, 7));
    StreamTotals totals =
        StreamTotals.newBuilder().setBlocks(5).setBytes(600).setDigest(-7).build();
    ListedStream listed =
        ListedStream.newBuilder()
            .setStreamId(LedgerMessages.encode(TASK.stream()))
            .setTasks(8)
            .setDrawingTasks(2)
            .setEndedTasks(3)
            .setFirstPath("/in/a")
            .setStatus(
                StreamStatusResult.newBuilder()
                    .setOwner("eve")
                    .setSealed(true)
                    .setFiles(4)
                    .setTotals(totals)
                    .setRemainingBlocks(1)
                    .setExpiresMillis(9)
                    .addNodes(
                        StreamNodeStatus.newBuilder()
                            .setNode(WireIds.encode(node))
                            .setRemainingBlocks(10)
                            .setLocalBlocks(11)
                            .setLostBlocks(12)
                            .setStolenBlocks(13)
                            .setDrawingTasks(14))
                    .addTasks(
                        StreamTaskStatus.newBuilder()
                            .setRuns(20)
                            .setTotals(totals)
                            .setStolenBlocks(21)
                            .setYielded(true)))
            .build();
    BlockTotals read = new BlockTotals(5, 600, -7);
    StreamStatus status =
        new StreamStatus(
            "eve",
            true,
            4,
            read,
            1,
            9,
            List.of(new NodeDraws(node, 10, 11, 12, 13, 14)),
            List.of(new TaskDraws(20, read, 21, false, false, false, true)));
    assertEquals(
        new StreamOverview(TASK.stream(), status, 8, 2, 3, "/in/a"),
        LedgerMessages.overview(listed));
  }

  @Test
  void shouldRefuseAStreamWithoutAnId() {
    VdfsException refused =
        assertThrows(
            VdfsException.class, () -> LedgerMessages.overview(ListedStream.getDefaultInstance()));
    assertEquals(ErrorCode.INTERNAL, refused.code());
  }
}
