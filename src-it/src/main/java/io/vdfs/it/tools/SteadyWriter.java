package io.vdfs.it.tools;

import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Main class: {@code FILE}. Writes {@link PositionBytes} and flushes them, again and again, and
 * prints {@code flushed=} and the length each time, until a write fails; then it prints {@code
 * failed} and what it was told.
 */
public final class SteadyWriter {
  private static final int PIECE = 10_000;
  private static final Pattern FLUSHED = Pattern.compile("flushed=(\\d+)\\n");

  private SteadyWriter() {}

  /** Runs the command. */
  public static void main(String[] arguments) throws IOException {
    Path path = new Path(arguments[0]);
    FileSystem fileSystem = path.getFileSystem(new Configuration());
    FSDataOutputStream out = fileSystem.create(path, /* overwrite= */ false);
    try {
      for (long written = 0; ; ) {
        out.write(PositionBytes.of(written, PIECE));
        out.hflush();
        written += PIECE;
        System.out.println("flushed=" + written);
      }
    } catch (IOException e) {
      System.out.println("failed: " + e);
    }
  }

  /** The last length that stands in what it printed; 0 if none does. */
  public static long flushed(String output) {
    Matcher lengths = FLUSHED.matcher(output);
    long last = 0;
    while (lengths.find()) {
      last = Long.parseLong(lengths.group(1));
    }
    return last;
  }
}
