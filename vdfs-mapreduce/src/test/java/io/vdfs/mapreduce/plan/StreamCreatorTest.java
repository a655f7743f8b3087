package io.vdfs.mapreduce.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.vdfs.common.model.StreamId;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

class StreamCreatorTest {
  private static final long MOST = SplitPlanner.MOST_TASKS;

  /** Spark would start no task for it. */
  @Test
  void shouldGiveSurplusSplitsALength() {
    List<LogicalSplit> splits =
        StreamCreator.splits(
            new StreamId(1, 2),
            List.of("a", "b"),
            1,
            100,
            new Path("vdfs://c/f"),
            Collections.nCopies(3, List.of()));

    assertEquals(List.of(50L, 50L, 1L), splits.stream().map(LogicalSplit::getLength).toList());
  }

  @Test
  void shouldRefuseTasksThatTakeSoLittleThatTheLedgerHasNoRoomForThem() throws IOException {
    StreamCreator.requireFewTasks(Long.MAX_VALUE, 1);
    StreamCreator.requireFewTasks(10, 10 * MOST);

    IOException refused =
        assertThrows(IOException.class, () -> StreamCreator.requireFewTasks(10, 10 * MOST + 1));

    assertEquals(
        "vdfs.mapreduce.task.bytes=10 makes too many tasks: tasks=100001, most=100000,"
            + " input bytes=1000001; set it to at least 11",
        refused.getMessage());
    StreamCreator.requireFewTasks(11, 10 * MOST + 1);
    assertThrows(IOException.class, () -> StreamCreator.requireFewTasks(1, Long.MAX_VALUE));
  }
}
