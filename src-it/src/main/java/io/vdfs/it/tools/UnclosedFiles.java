package io.vdfs.it.tools;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Writes files of {@link PositionBytes} and closes neither them nor the filesystem: Hadoop's
 * shutdown hook has to. Prints {@code written} and then ends, or waits for a signal.
 *
 * <p>Usage: {@code UnclosedFiles end|wait PATH LENGTH...}.
 */
public final class UnclosedFiles {
  private static final int PIECE = 40_000;

  private UnclosedFiles() {}

  /** Runs the command. */
  public static void main(String[] args) throws IOException, InterruptedException {
    FileSystem fileSystem = FileSystem.get(new Configuration());
    List<FSDataOutputStream> open = new ArrayList<>();
    for (int i = 2; i < args.length; i++) {
      FSDataOutputStream out = fileSystem.create(new Path(args[1] + "-" + args[i]));
      int length = Integer.parseInt(args[i]);
      for (int done = 0; done < length; done += PIECE) {
        out.write(PositionBytes.of(done, Math.min(PIECE, length - done)));
      }
      open.add(out);
    }
    System.out.println("written files=" + open.size());
    if (args[0].equals("wait")) {
      new CountDownLatch(1).await();
    }
  }
}
