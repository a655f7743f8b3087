package io.vdfs.mapreduce;

import io.vdfs.client.hadoop.locality.ReadLocality;

/**
 * Turns what one record reader reads of files on {@code vdfs://} into counters of how far away the
 * nodes were. Each call of the reader stands between {@link #begin} and {@link #end}, so that files
 * that the mapper opens by itself do not count; a file that the reader opened counts whichever code
 * reads it. Confined to one thread at a time.
 */
public final class LocalityMeter {
  private final RunMeter.Sink counters;
  private final ReadLocality read = new ReadLocality();
  private Thread thread; // the last that called
  private ReadLocality.Opener opener; // of that thread
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

  /** A call of the reader ends; what was read is counted. */
  public void end(ReadLocality before) {
    opener.countBy(before);
    long local = read.localBytes();
    long rack = read.rackBytes();
    long remote = read.remoteBytes();
    if (local + rack + remote > localCounted + rackCounted + remoteCounted) {
      counters.add(StreamCounter.LOCAL_BYTES, local - localCounted);
      counters.add(StreamCounter.RACK_BYTES, rack - rackCounted);
      counters.add(StreamCounter.REMOTE_BYTES, remote - remoteCounted);
      localCounted = local;
      rackCounted = rack;
      remoteCounted = remote;
    }
  }
}
