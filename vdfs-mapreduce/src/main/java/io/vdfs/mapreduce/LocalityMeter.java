package io.vdfs.mapreduce;

import io.vdfs.client.hadoop.locality.ReadLocality;

/**
 * Turns what one record reader reads of files on {@code vdfs://} into counters of how far away the
 * nodes were. Each call of the reader stands between {@link #begin} and {@link #end}, so that files
 * that the mapper opens by itself do not count; a file that the reader opened counts whichever code
 * reads it. Confined to one thread at a time.
 */
public final class LocalityMeter {
  /** Hadoop looks a counter up by name for each addition, and readers ask for 4 KiB at a time. */
  private static final long BYTES_AT_A_TIME = 1 << 20;

  private final RunMeter.Sink counters;
  private final ReadLocality read = new ReadLocality();
  private Thread thread; // the last that called
  private ReadLocality.Opener opener; // of that thread
  private long counted;
  private long localCounted;
  private long rackCounted;
  private long remoteCounted;

  public LocalityMeter(RunMeter.Sink counters) {
    this.counters = counters;
  }

  /**
   * A call of the reader begins.
   *
   * @return to be given to {@link #end}, on the same thread
   */
  public ReadLocality begin() {
    Thread current = Thread.currentThread();
    if (current != thread) {
      thread = current;
      opener = ReadLocality.opener();
    }
    return opener.countBy(read);
  }

  /** A call of the reader ends; what was read is counted, a little of it at a later call. */
  public void end(ReadLocality before) {
    opener.countBy(before);
    long bytes = read.localBytes() + read.rackBytes() + read.remoteBytes();
    if (bytes - counted >= BYTES_AT_A_TIME) {
      count();
    }
  }

  /** Counts what was read so far; to be called when the reader has no more, and when it closes. */
  public void count() {
    add(StreamCounter.LOCAL_BYTES, read.localBytes() - localCounted);
    add(StreamCounter.RACK_BYTES, read.rackBytes() - rackCounted);
    add(StreamCounter.REMOTE_BYTES, read.remoteBytes() - remoteCounted);
    localCounted = read.localBytes();
    rackCounted = read.rackBytes();
    remoteCounted = read.remoteBytes();
    counted = localCounted + rackCounted + remoteCounted;
  }

  private void add(StreamCounter counter, long bytes) {
    if (bytes > 0) {
      counters.add(counter, bytes);
    }
  }
}
