package io.vdfs.client.delivery;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;

/**
 * Asks Linux, which counts in {@code /proc/thread-self/io} what each thread reads from block
 * devices, at the moment of each request. That file, once open, tells of the thread that opened it.
 * Reads on other systems, and on filesystems that read on threads of their own (FUSE, NFS), are not
 * known.
 */
public final class ThreadDiskReads implements DiskReads {
  private static final String PATH = "/proc/thread-self/io";
  private static final String LABEL = "read_bytes:";
  private static final int ENOUGH_BYTES = 512;

  private final byte[] text = new byte[ENOUGH_BYTES];
  private RandomAccessFile accounts;
  private Thread thread;
  private boolean unknown;

  @Override
  public long bytes() {
    if (unknown) {
      return 0;
    }
    try {
      if (thread != Thread.currentThread()) {
        close();
        accounts = new RandomAccessFile(PATH, "r");
        thread = Thread.currentThread();
      }
      accounts.seek(0);
      return parse(text, accounts.read(text));
    } catch (IOException e) {
      unknown = true;
      close();
      return 0;
    }
  }

  /** The number behind the label. */
  static long parse(byte[] text, int length) throws IOException {
    String read = new String(text, 0, Math.max(0, length), StandardCharsets.US_ASCII);
    int label = read.indexOf('\n' + LABEL);
    if (label < 0) {
      throw new IOException("no account of reads: text=" + read);
    }
    long value = 0;
    for (int at = label + 1 + LABEL.length(); at < read.length(); at++) {
      char digit = read.charAt(at);
      if (digit >= '0' && digit <= '9') {
        value = value * 10 + (digit - '0');
      } else if (digit != ' ') {
        return value;
      }
    }
    return value;
  }

  @Override
  public void close() {
    thread = null;
    if (accounts != null) {
      try {
        accounts.close();
      } catch (IOException e) {
        // it was only read
      }
      accounts = null;
    }
  }
}
