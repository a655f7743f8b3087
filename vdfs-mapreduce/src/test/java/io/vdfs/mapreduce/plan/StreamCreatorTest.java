package io.vdfs.mapreduce.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class StreamCreatorTest {
  private static final long MOST = SplitPlanner.MOST_TASKS;

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
