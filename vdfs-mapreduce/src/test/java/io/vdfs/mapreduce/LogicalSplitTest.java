package io.vdfs.mapreduce;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.mapred.JobConf;
import org.junit.jupiter.api.Test;

class LogicalSplitTest {
  private static final byte[] ID = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

  @Test
  void shouldTravelUnchanged() throws IOException {
    LogicalSplit split =
        new LogicalSplit(
            ID, 7, 1L << 40, new Path("vdfs://c/in/a b"), new String[] {"h1"}, List.of());
    LogicalSplit copy = copy(split);
    assertArrayEquals(ID, copy.streamId());
    assertEquals(7, copy.ordinal());
    assertEquals(1L << 40, copy.getLength());
    assertEquals(new Path("vdfs://c/in/a b"), copy.getPath());
    assertArrayEquals(new String[] {"h1"}, copy.getLocations());
  }

  @Test
  void shouldShowTheRunBeingRead() {
    LogicalSplit split =
        new LogicalSplit(ID, 0, 10, new Path("vdfs://c/a"), new String[0], List.of());
    JobConf task = new JobConf(false);
    split.showRun(new TaskRun(new Path("vdfs://c/b"), 16, 8), task);
    assertEquals(new Path("vdfs://c/b"), split.getPath());
    assertEquals(16, split.getStart());
    assertEquals(8, split.getLength());
    assertEquals("vdfs://c/b", task.get("map.input.file"));
    assertEquals("vdfs://c/b", task.get("mapreduce.map.input.file"));
    assertEquals(16, task.getLong("mapreduce.map.input.start", 0));
    assertEquals(8, task.getLong("mapreduce.map.input.length", 0));
  }

  @Test
  void shouldRefuseASplitOfAnotherRelease() throws IOException {
    DataOutputBuffer out = new DataOutputBuffer();
    new LogicalSplit(ID, 0, 10, new Path("vdfs://c/a"), new String[0], List.of()).write(out);
    byte[] bytes = out.getData();
    bytes[0] = 9;
    DataInputBuffer in = new DataInputBuffer();
    in.reset(bytes, out.getLength());
    assertThrows(IOException.class, () -> new LogicalSplit().readFields(in));
  }

  private static LogicalSplit copy(LogicalSplit split) throws IOException {
    DataOutputBuffer out = new DataOutputBuffer();
    split.write(out);
    DataInputBuffer in = new DataInputBuffer();
    in.reset(out.getData(), out.getLength());
    LogicalSplit copy = new LogicalSplit();
    copy.readFields(in);
    return copy;
  }
}
