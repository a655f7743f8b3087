package io.vdfs.client.ledger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.model.StreamId;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.NextRunResult;
import io.vdfs.common.wire.proto.StreamRun;
import java.io.IOException;
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
}
