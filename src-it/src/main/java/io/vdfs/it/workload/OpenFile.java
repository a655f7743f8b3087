package io.vdfs.it.workload;

import org.apache.hadoop.fs.FSDataOutputStream;

/** A file that a thread is writing, and what it has written. Confined to that thread. */
final class OpenFile {
  private final String path;
  private final FSDataOutputStream out;
  private FileContent content;
  private final long openedNanos = System.nanoTime();
  private long flushed;
  private long flushedNanos;
  private long synced;

  /**
   * @param content its content when it was opened, all of which is durable
   */
  OpenFile(String path, FSDataOutputStream out, FileContent content) {
    this.path = path;
    this.out = out;
    this.content = content;
    this.flushed = content.length();
    this.flushedNanos = System.nanoTime();
    this.synced = content.length();
  }

  String path() {
    return path;
  }

  FSDataOutputStream out() {
    return out;
  }

  /** All that was passed to the stream, including calls that failed. */
  FileContent content() {
    return content;
  }

  /**
   * Length that every reader must see by now.
   *
   * @param outages tell whether what was flushed but not synced may be lost
   */
  long flushed(OutageLog outages) {
    return outages.hadPowerSince(flushedNanos) ? flushed : synced;
  }

  /** Whether its writer was open in a power cut, after which it need not go on. */
  boolean wasCut(OutageLog outages) {
    return !outages.hadPowerSince(openedNanos);
  }

  /** Whether it may have lost bytes that were flushed and not synced. */
  boolean mayLack(OutageLog outages) {
    return flushed(outages) < flushed;
  }

  void wrote(FileContent all) {
    content = all;
  }

  /**
   * @param sinceNanos when the flush began, in {@link System#nanoTime}
   */
  void onFlushed(long sinceNanos) {
    flushed = content.length();
    flushedNanos = sinceNanos;
  }

  void onSynced(long sinceNanos) {
    onFlushed(sinceNanos);
    synced = content.length();
  }
}
