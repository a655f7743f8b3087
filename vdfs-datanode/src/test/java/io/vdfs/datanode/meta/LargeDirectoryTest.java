package io.vdfs.datanode.meta;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.wire.proto.ListQuery;
import io.vdfs.common.wire.proto.ListResult;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.PollDeletionsQuery;
import io.vdfs.common.wire.proto.ReclaimOp;
import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** One directory of very many files: every operation on it goes in small steps. */
class LargeDirectoryTest {
  private static final int FILES = 20_000;
  private static final int STEP = 1_000;
  private static final int PAGE_BYTES = 1 << 20;

  private final MetadataHarness meta = new MetadataHarness();

  @BeforeEach
  void makeFiles() {
    meta.mkdir("/d");
    for (int i = 0; i < FILES; i++) {
      meta.file("/d/part-" + i, 0);
    }
  }

  @Test
  void shouldListInPagesOfBoundedSize() {
    int entries = 0;
    String after = "";
    boolean more = true;
    while (more) {
      ListQuery query = ListQuery.newBuilder().setPath("/d").setStartAfter(after).build();
      MetaResponse response = meta.answer(meta.request().setList(query));
      assertTrue(response.getSerializedSize() < 2 * PAGE_BYTES);
      ListResult page = MetadataHarness.page(response);
      assertTrue(page.getEntriesCount() <= STEP);
      entries += page.getEntriesCount();
      after = page.getEntries(page.getEntriesCount() - 1).getName();
      more = page.getMore();
    }
    assertEquals(FILES, entries);
  }

  private int deletions(int reached) {
    PollDeletionsQuery query =
        PollDeletionsQuery.newBuilder().setAfter(reached).setLimit(2 * STEP).build();
    return meta.answer(meta.request().setPollDeletions(query)).getDeletions().getDeletionsCount();
  }

  @Test
  void shouldBeGoneAtOnceAndTakenApartInSteps() throws IOException {
    ReplicatedState.Image before = meta.state().image();
    ByteString expected = meta.saved();

    assertTrue(meta.ok(meta.delete("/d", true)).getDelete().getDeleted());
    meta.refuseQuery(ErrorCode.NOT_FOUND, meta.getStatus("/d/part-1"));
    assertEquals(0, deletions(0), "deleting did the work of taking apart");

    int steps = 0;
    int reached = 0;
    long pending = 1;
    while (pending > 0) {
      ReclaimOp step = ReclaimOp.newBuilder().setLimit(STEP).build();
      pending = meta.ok(meta.request().setReclaim(step)).getReclaim().getPending();
      int added = deletions(reached);
      assertTrue(added <= STEP, () -> "added=" + added);
      reached += added;
      meta.file("/meanwhile-" + steps, 0);
      steps++;
    }
    assertEquals(FILES, reached);
    assertEquals(FILES / STEP + 1, steps);
    assertFalse(meta.exists("/d"));

    ByteString.Output out = ByteString.newOutput();
    before.write(out);
    assertEquals(expected, out.toByteString(), "the image went on with the state");
  }
}
