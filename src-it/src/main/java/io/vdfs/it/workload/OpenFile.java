package io.vdfs.it.workload;

import org.apache.hadoop.fs.FSDataOutputStream;

/** A file that a thread is writing, and what it has written. Confined to that thread. */
final class OpenFile {
  private final String path;
  private final FSDataOutputStream out;
  private FileContent content;
  private long flushed;

  /**
   * @param content its content when it was opened, all of which is durable
   */
  OpenFile(String path, FSDataOutputStream out, FileContent content) {
    this.path = path;
    this.out = out;
    this.content = content;
    this.flushed = content.length();
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

  /** Length that every reader must see by now. */
  long flushed() {
    return flushed;
  }

  void wrote(FileContent all) {
    content = all;
  }

  void onFlushed() {
    flushed = content.length();
  }
}
