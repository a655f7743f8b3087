package io.vdfs.datanode.store.disk;

import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Tells which bytes of a file the page cache has, by mapping the file without ever touching the
 * mapping. Looks at one page in each MiB: pages come and go in larger runs. Thread-safe: the
 * monitor guards the mappings.
 */
final class CachedPages implements AutoCloseable {
  private static final long WINDOW = 1L << 30;
  private static final int STRIDE = 1 << 20;

  private final FileChannel channel;
  private final Map<Long, MappedByteBuffer> windows = new HashMap<>();
  private boolean closed;

  CachedPages(FileChannel channel) {
    this.channel = channel;
  }

  synchronized boolean contain(long position, long length) {
    if (position < 0 || length < 1 || closed) {
      return false;
    }
    long last = position + length - 1;
    for (long at = position; at < last; at += STRIDE) {
      if (!contains(at)) {
        return false;
      }
    }
    return contains(last);
  }

  private boolean contains(long position) {
    int inWindow = (int) (position % WINDOW);
    return window(position / WINDOW, inWindow)
        .filter(mapped -> mapped.slice(inWindow, 1).isLoaded())
        .isPresent();
  }

  private Optional<MappedByteBuffer> window(long number, int needed) {
    MappedByteBuffer mapped = windows.get(number);
    if (mapped != null && mapped.capacity() > needed) {
      return Optional.of(mapped);
    }
    if (mapped != null) {
      // the file has grown since
      windows.remove(number);
      PlatformDependent.freeDirectBuffer(mapped);
    }
    return map(number, needed);
  }

  /** Without a mapping nothing is known, which is no failure of the file. */
  private Optional<MappedByteBuffer> map(long number, int needed) {
    try {
      long start = number * WINDOW;
      long length = Math.min(WINDOW, channel.size() - start);
      if (length <= needed) {
        return Optional.empty();
      }
      MappedByteBuffer mapped = channel.map(FileChannel.MapMode.READ_ONLY, start, length);
      windows.put(number, mapped);
      return Optional.of(mapped);
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** Unmaps at once: a mapping left to the garbage collector would keep a deleted file's room. */
  @Override
  public synchronized void close() {
    closed = true;
    windows.values().forEach(PlatformDependent::freeDirectBuffer);
    windows.clear();
  }
}
