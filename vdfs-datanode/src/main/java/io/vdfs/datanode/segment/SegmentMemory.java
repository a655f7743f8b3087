package io.vdfs.datanode.segment;

import io.vdfs.common.segment.SegmentLayout;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;

/** Makes and removes segments, within the memory that all may take together. Thread-safe. */
final class SegmentMemory implements AutoCloseable {
  private final SegmentSettings settings;
  private final SegmentDirectory directory;
  private final AtomicLong reserved = new AtomicLong();

  /**
   * @param directory closed with this
   */
  SegmentMemory(SegmentSettings settings, SegmentDirectory directory) {
    this.settings = settings;
    this.directory = directory;
  }

  /** How each segment is cut. */
  SegmentLayout layout() {
    return settings.layout();
  }

  /**
   * Makes a segment, if the memory for all segments has room for it.
   *
   * @throws IOException if there is no room for it
   */
  Segment create() throws IOException {
    long bytes = settings.layout().bytes();
    if (reserved.addAndGet(bytes) > settings.memory()) {
      reserved.addAndGet(-bytes);
      throw new IOException(
          "too many segments: bytes of each=" + bytes + ", most of all=" + settings.memory());
    }
    boolean made = false;
    try {
      Segment segment = directory.create(bytes);
      made = true;
      return segment;
    } finally {
      if (!made) {
        reserved.addAndGet(-bytes);
      }
    }
  }

  /** Removes a segment, and gives its memory back. */
  void remove(Segment segment) {
    directory.remove(segment);
    reserved.addAndGet(-settings.layout().bytes());
  }

  @Override
  public void close() {
    directory.close();
  }
}
