package io.vdfs.client.io;

import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetectorFactory;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Collects the buffers that were lost without being released. Install before any buffer is made.
 */
public final class LeakWatch {
  private static final Queue<String> LEAKS = new ConcurrentLinkedQueue<>();

  static {
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.PARANOID);
    ResourceLeakDetectorFactory.setResourceLeakDetectorFactory(new Factory());
  }

  private LeakWatch() {}

  public static void install() {
    PooledByteBufAllocator.DEFAULT.directBuffer(16).release();
  }

  /** The leaks found so far, after a collection. */
  public static Queue<String> leaks() {
    for (int round = 0; round < 3; round++) {
      System.gc();
      PooledByteBufAllocator.DEFAULT.directBuffer(16).release();
    }
    return LEAKS;
  }

  private static final class Factory extends ResourceLeakDetectorFactory {
    @Override
    @SuppressWarnings("deprecation") // the factory asks for it
    public <T> ResourceLeakDetector<T> newResourceLeakDetector(
        Class<T> resource, int samplingInterval, long maxActive) {
      return new Detector<>(resource, samplingInterval);
    }
  }

  private static final class Detector<T> extends ResourceLeakDetector<T> {
    Detector(Class<T> resource, int samplingInterval) {
      super(resource, samplingInterval);
    }

    @Override
    protected void reportTracedLeak(String resourceType, String records) {
      LEAKS.add(resourceType + records);
    }

    @Override
    protected void reportUntracedLeak(String resourceType) {
      LEAKS.add(resourceType);
    }
  }
}
