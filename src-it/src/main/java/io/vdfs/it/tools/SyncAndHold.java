package io.vdfs.it.tools;

import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;

/**
 * Main class: {@code FILE LENGTH SEED}. Writes bytes to a file, syncs them, prints that, and holds
 * the file open until the process is killed.
 */
public final class SyncAndHold {
  /** What it prints then. */
  public static final String SYNCED = "synced";

  private SyncAndHold() {}

  public static void main(String[] arguments) throws Exception {
    Path file = new Path(arguments[0]);
    try (FSDataOutputStream out =
        file.getFileSystem(new Configuration()).create(file, /* overwrite= */ false)) {
      out.write(content(Integer.parseInt(arguments[1]), Long.parseLong(arguments[2])));
      out.hsync();
      System.out.println(SYNCED);
      new CountDownLatch(1).await();
    }
  }

  /** The bytes of a seed. */
  public static byte[] content(int length, long seed) {
    byte[] content = new byte[length];
    new Random(seed).nextBytes(content);
    return content;
  }
}
