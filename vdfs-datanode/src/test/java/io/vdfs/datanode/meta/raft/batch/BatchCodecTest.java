package io.vdfs.datanode.meta.raft.batch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Descriptors.FieldDescriptor;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.LedgerRequest;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MkdirsOp;
import io.vdfs.datanode.meta.level.FeatureLevels;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BatchCodecTest {
  private static final int FIRST = FeatureLevels.FIRST;
  private static final MetaRequest MKDIRS =
      MetaRequest.newBuilder().setMkdirs(MkdirsOp.newBuilder().setPath("/a")).build();

  private final FeatureLevels levels = FeatureLevels.ofThisRelease();

  @Test
  void shouldReadWhatItWrote() throws Exception {
    byte[] entry = BatchCodec.encode(FIRST, List.of(MKDIRS, MKDIRS));
    assertEquals(BatchCodec.HEADER_BYTES + 2 * BatchCodec.size(MKDIRS), entry.length);
    assertEquals(List.of(MKDIRS, MKDIRS), BatchCodec.decode(ByteBuffer.wrap(entry), levels));
  }

  @Test
  void shouldNameBothLevelsAndTheCureOfAnEntryAboveItsOwn() {
    // what follows the level may be of any form
    int above = levels.newest() + 1;
    byte[] entry = BatchCodec.encode(above, List.of());
    byte[] withMore = ByteBuffer.allocate(entry.length + 3).put(entry).array();
    VdfsException refusal = refusal(withMore, levels);
    assertEquals(ErrorCode.UNSUPPORTED, refusal.code());
    assertTrue(
        refusal
            .getMessage()
            .contains("needed=" + above + ", newest=" + levels.newest() + "; install"),
        refusal::getMessage);
  }

  @Test
  void shouldRefuseAnEntryBelowTheFirstLevel() {
    VdfsException refusal = refusal(BatchCodec.encode(FIRST - 1, List.of(MKDIRS)), levels);
    assertEquals(ErrorCode.UNSUPPORTED, refusal.code());
    assertTrue(
        refusal.getMessage().contains("level=" + (FIRST - 1) + ", oldest=" + FIRST + ";"),
        refusal::getMessage);
  }

  @Test
  void shouldRefuseAnOperationAboveTheLevelOfItsEntry() {
    Map<FieldDescriptor, Integer> raised = new HashMap<>(levels.operations());
    raised.replaceAll((operation, level) -> FIRST + 1);
    FeatureLevels later = new FeatureLevels(FIRST + 1, raised, Map.of());
    VdfsException refusal = refusal(BatchCodec.encode(FIRST, List.of(MKDIRS)), later);
    assertEquals(ErrorCode.CORRUPT, refusal.code());
    assertTrue(
        refusal.getMessage().contains("op=MKDIRS, level=" + (FIRST + 1) + ", entryLevel=" + FIRST),
        refusal::getMessage);
  }

  /** Answering it with a refusal would be an outcome of its own. */
  @Test
  void shouldRefuseAnEntryWithAnOperationThatItDoesNotKnow() {
    assertEquals(
        ErrorCode.UNSUPPORTED,
        refusal(BatchCodec.encode(FIRST, List.of(MetaRequest.getDefaultInstance())), levels)
            .code());
    MetaRequest ledger =
        MetaRequest.newBuilder().setLedger(LedgerRequest.getDefaultInstance()).build();
    assertEquals(
        ErrorCode.UNSUPPORTED, refusal(BatchCodec.encode(FIRST, List.of(ledger)), levels).code());
  }

  @Test
  void shouldRefuseEntriesOfAnotherFormat() {
    byte[] entry = BatchCodec.encode(FIRST, List.of(MKDIRS));
    entry[0] = 1;
    VdfsException refusal = refusal(entry, levels);
    assertEquals(ErrorCode.CORRUPT, refusal.code());
    assertTrue(refusal.getMessage().contains("version=1, known=2"), refusal::getMessage);
    assertEquals(ErrorCode.CORRUPT, refusal(new byte[] {2, 0, 0}, levels).code());
  }

  private static VdfsException refusal(byte[] entry, FeatureLevels levels) {
    return assertThrows(
        VdfsException.class, () -> BatchCodec.decode(ByteBuffer.wrap(entry), levels));
  }
}
