package io.vdfs.mapreduce.plan;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;

/**
 * A share of a job's input without a fixed range: the ledger of the stream that it names decides at
 * run time which blocks it consists of.
 *
 * <p>It is a {@link FileSplit} so that a mapper that asks for its file sees the one it is reading
 * now; before the first record it names the first input file. Confined to the task's thread.
 */
public final class LogicalSplit extends FileSplit {
  private static final int VERSION = 2;
  private static final int STREAM_ID_BYTES = 16;
  private static final int MOST_PATH_BYTES = 64 << 10;
  private static final int MOST_HOSTS = 100;
  private static final int MOST_HOST_BYTES = 1_000;

  private byte[] streamId = new byte[STREAM_ID_BYTES];
  private int ordinal;
  private long expectedLength;
  private String[] hosts = new String[0];
  private Path path;
  private long start;
  private long length;

  /** Known where the split was planned, but not where it was sent. */
  private Optional<List<TaskRun>> share = Optional.empty();

  /** For deserialisation. */
  public LogicalSplit() {}

  /**
   * @param streamId 16 bytes naming the ledger
   * @param ordinal of the split in its job, from 0
   * @param expectedLength bytes the split would get if all tasks were equally fast
   * @param firstFile a file of the input; also says which filesystem holds the ledger
   * @param hosts where the split's task should run
   * @param share what the split would be if it were static
   */
  LogicalSplit(
      byte[] streamId,
      int ordinal,
      long expectedLength,
      Path firstFile,
      String[] hosts,
      List<TaskRun> share) {
    if (streamId.length != STREAM_ID_BYTES) {
      throw new IllegalArgumentException("a stream id has 16 bytes: length=" + streamId.length);
    }
    this.streamId = streamId.clone();
    this.ordinal = ordinal;
    this.expectedLength = expectedLength;
    this.path = firstFile;
    this.length = expectedLength;
    this.hosts = hosts.clone();
    this.share = Optional.of(List.copyOf(share));
  }

  /** What the split would be if it were static; empty where the split was sent. */
  public Optional<List<TaskRun>> share() {
    return share;
  }

  /** 16 bytes naming the ledger. */
  public byte[] streamId() {
    return streamId.clone();
  }

  /** Ordinal of the split: the task's number in the ledger. */
  public int ordinal() {
    return ordinal;
  }

  /**
   * From now on the split stands for this range, and so do the keys of the task's configuration
   * that mappers of the old API and scripts read.
   */
  public void showRun(TaskRun run, Configuration task) {
    this.path = run.path();
    this.start = run.offset();
    this.length = run.bytes();
    task.set(JobContext.MAP_INPUT_FILE, path.toString());
    task.setLong(JobContext.MAP_INPUT_START, start);
    task.setLong(JobContext.MAP_INPUT_PATH, length);
  }

  @Override
  public Path getPath() {
    return path;
  }

  @Override
  public long getStart() {
    return start;
  }

  @Override
  public long getLength() {
    return length;
  }

  @Override
  public String[] getLocations() {
    return hosts.clone();
  }

  @Override
  public void write(DataOutput out) throws IOException {
    out.writeByte(VERSION);
    out.write(streamId);
    out.writeInt(ordinal);
    out.writeLong(expectedLength);
    Text.writeString(out, path.toString(), MOST_PATH_BYTES);
    out.writeInt(hosts.length);
    for (String host : hosts) {
      Text.writeString(out, host, MOST_HOST_BYTES);
    }
  }

  @Override
  public void readFields(DataInput in) throws IOException {
    int version = in.readByte();
    if (version != VERSION) {
      throw new IOException(
          "logical split of another release: version=" + version + ", expected=" + VERSION);
    }
    streamId = new byte[STREAM_ID_BYTES];
    in.readFully(streamId);
    ordinal = in.readInt();
    expectedLength = in.readLong();
    path = path(Text.readString(in, MOST_PATH_BYTES));
    start = 0;
    length = expectedLength;
    hosts = readHosts(in);
  }

  private static Path path(String text) throws IOException {
    try {
      return new Path(text);
    } catch (IllegalArgumentException e) {
      throw new IOException("logical split with a path that is none: path=" + text, e);
    }
  }

  private static String[] readHosts(DataInput in) throws IOException {
    int count = in.readInt();
    if (count < 0 || count > MOST_HOSTS) {
      throw new IOException(
          "logical split with too many hosts: hosts=" + count + ", limit=" + MOST_HOSTS);
    }
    String[] read = new String[count];
    for (int host = 0; host < count; host++) {
      read[host] = Text.readString(in, MOST_HOST_BYTES);
    }
    return read;
  }

  @Override
  public String toString() {
    return "logical split " + ordinal + " near " + Arrays.toString(hosts);
  }
}
