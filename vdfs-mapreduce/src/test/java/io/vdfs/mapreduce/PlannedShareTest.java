package io.vdfs.mapreduce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PlannedShareTest {
  private static final Path A = new Path("vdfs://c/a");
  private static final Path B = new Path("vdfs://c/b");

  private static FileStatus file(Path path, long length) {
    return new FileStatus(length, false, 3, 1, 0, path);
  }

  private static LogicalSplit split(List<TaskRun> share) {
    return new LogicalSplit(new byte[16], 0, 10, A, new String[0], share);
  }

  private static InputRuns open(LogicalSplit split) {
    return PlannedShare.open(split, new Configuration(false), (counter, amount) -> {});
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 7, 30, 1000})
  void shouldCutTheWholeInputIntoEqualParts(int parts) {
    List<List<TaskRun>> shares = PlannedShare.cut(List.of(file(A, 100), file(B, 57)), parts);

    assertEquals(parts, shares.size());
    List<TaskRun> all = new ArrayList<>();
    for (List<TaskRun> share : shares) {
      long bytes = share.stream().mapToLong(TaskRun::bytes).sum();
      assertTrue(Math.abs(bytes - 157.0 / parts) < 1, "bytes=" + bytes);
      all.addAll(share);
    }
    assertFollow(all, A, 100);
    assertFollow(all, B, 57);
  }

  private static void assertFollow(List<TaskRun> runs, Path file, long length) {
    long end = 0;
    for (TaskRun run : runs) {
      if (run.path().equals(file)) {
        assertEquals(end, run.offset());
        end += run.bytes();
      }
    }
    assertEquals(length, end);
  }

  @Test
  void shouldNotOverflowOnLargeInput() {
    long length = 1L << 60;
    List<List<TaskRun>> shares = PlannedShare.cut(List.of(file(A, length)), 100_000);

    TaskRun last = shares.get(99_999).get(0);
    assertEquals(length, last.offset() + last.bytes());
  }

  @Test
  void shouldEndWithTheShare() throws IOException {
    TaskRun first = new TaskRun(A, 3, 5);
    TaskRun second = new TaskRun(B, 0, 15);
    InputRuns runs = open(split(List.of(first, second)));

    assertEquals(Optional.of(first), runs.next());
    assertEquals(0.25f, runs.progress());
    assertEquals(Optional.of(second), runs.next());
    assertEquals(Optional.empty(), runs.next());
    assertEquals(1, runs.progress());
  }

  @Test
  void shouldReadNoFurtherAfterAnError() throws IOException {
    InputRuns runs = open(split(List.of(new TaskRun(A, 0, 5), new TaskRun(B, 0, 5))));
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
