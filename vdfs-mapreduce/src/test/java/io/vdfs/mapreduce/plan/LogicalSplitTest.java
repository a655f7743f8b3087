package io.vdfs.mapreduce.plan;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
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

  /** before: a length of 2 GiB in a few bytes took all memory of the container. */
  @Test
  void shouldRefuseWhatIsNoSplitWithoutTakingMemoryForIt() throws IOException {
    DataOutputBuffer sound = new DataOutputBuffer();
    new LogicalSplit(ID, 7, 10, new Path("vdfs://c/a"), new String[] {"h1", "h2"}, List.of())
        .write(sound);
    byte[] bytes = Arrays.copyOf(sound.getData(), sound.getLength());
    byte[] many = bytes.clone();
    many[bytes.length - 10] = 0x7f;
    assertThrows(IOException.class, () -> read(many));
    Random random = new Random(1);
    int refused = 0;
    for (int n = 0; n < 20_000; n++) {
      byte[] changed = Arrays.copyOf(bytes, random.nextInt(8) == 0 ? random.nextInt(60) : 60);
      for (int change = random.nextInt(4); change >= 0 && changed.length > 0; change--) {
        changed[random.nextInt(changed.length)] = (byte) random.nextInt();
      }
      try {
        read(changed);
      } catch (IOException e) {
        refused++;
      }
    }
    assertTrue(refused > 1_000 && refused < 20_000, "refused=" + refused);
  }

  private static LogicalSplit read(byte[] bytes) throws IOException {
    DataInputBuffer in = new DataInputBuffer();
    in.reset(bytes, bytes.length);
    LogicalSplit split = new LogicalSplit();
    split.readFields(in);
    return split;
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
