package io.vdfs.mapreduce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.mapreduce.plan.LogicalSplit;
import io.vdfs.mapreduce.plan.LogicalSplits;
import io.vdfs.mapreduce.plan.TaskRun;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;

class PlannedShareTest {
  private static final Path A = new Path("vdfs://c/a");
  private static final Path B = new Path("vdfs://c/b");

  private static InputRuns open(LogicalSplit split) {
    return PlannedShare.open(split, new Configuration(false), (counter, amount) -> {});
  }

  @Test
  void shouldEndWithTheShare() throws IOException {
    TaskRun first = new TaskRun(A, 3, 5);
    TaskRun second = new TaskRun(B, 0, 15);
    InputRuns runs = open(LogicalSplits.planned(List.of(first, second)));

    assertEquals(Optional.of(first), runs.next());
    assertEquals(0.25f, runs.progress());
    assertEquals(Optional.of(second), runs.next());
    assertEquals(Optional.empty(), runs.next());
    assertEquals(1, runs.progress());
  }

  @Test
  void shouldReadNoFurtherAfterAnError() throws IOException {
    InputRuns runs =
        open(LogicalSplits.planned(List.of(new TaskRun(A, 0, 5), new TaskRun(B, 0, 5))));
    assertTrue(runs.next().isPresent());
    IOException cause = new IOException("unreadable");
    runs.onBroken(cause);

    assertEquals(cause, assertThrows(IOException.class, runs::next).getCause());
  }

  @Test
  void shouldRefuseASplitThatWasSent() {
    assertThrows(IllegalArgumentException.class, () -> open(new LogicalSplit()));
  }
}
