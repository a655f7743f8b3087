package io.vdfs.mapreduce.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShareCutterTest {
  private static final Path A = new Path("vdfs://c/a");
  private static final Path B = new Path("vdfs://c/b");

  private static FileStatus file(Path path, long length) {
    return new FileStatus(length, false, 3, 1, 0, path);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 7, 30, 1000})
  void shouldCutTheWholeInputIntoEqualParts(int parts) {
    List<List<TaskRun>> shares = ShareCutter.cut(List.of(file(A, 100), file(B, 57)), parts);

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
    List<List<TaskRun>> shares = ShareCutter.cut(List.of(file(A, length)), 100_000);

    TaskRun last = shares.get(99_999).get(0);
    assertEquals(length, last.offset() + last.bytes());
  }
}
