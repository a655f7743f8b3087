package io.vdfs.common.net;

import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.internal.PlatformDependent;

/**
 * Buffers for bytes of blocks on their way through the data plane, one pool per JVM.
 *
 * <p>Netty's default pool takes memory from the JVM in chunks of 4 MiB. A chunk of which more than
 * a quarter was ever in use is given back as soon as it is empty, so buffers of half a MiB make the
 * JVM zero new chunks all the time. They rarely use a quarter of a larger chunk.
 */
public final class DataBuffers {
  private static final int PAGE = 8 << 10;

  /** Chunks of 32 MiB. */
  private static final int LARGE_ORDER = 12;

  /** Chunks of 4 MiB, as by default. */
  private static final int SMALL_ORDER = 9;

  /** Arenas take at most this part of the direct memory at first. */
  private static final int SHARE = 4;

  private static final int MAX_RECEIVE = 256 << 10;
  private static final int FIRST_RECEIVE = 16 << 10;
  private static final int MIN_RECEIVE = 1 << 10;

  private DataBuffers() {}

  /** Made at the first use. */
  private static final class Holder {
    private static final PooledByteBufAllocator POOL =
        newPool(maxMemory(), Runtime.getRuntime().availableProcessors());
  }

  /** The pool; its buffers are direct ones. Thread-safe. */
  public static ByteBufAllocator pool() {
    return Holder.POOL;
  }

  /**
   * For connections that have carried little yet: the first buffer of the pool alone makes the JVM
   * zero tens of MiB. Thread-safe.
   */
  static ByteBufAllocator unpooled() {
    return UnpooledByteBufAllocator.DEFAULT;
  }

  /** Bytes that all direct buffers of this JVM may take together. */
  public static long maxMemory() {
    return PlatformDependent.maxDirectMemory();
  }

  /** How much a channel of the data plane receives at once; one per channel. */
  public static RecvByteBufAllocator receiving() {
    return new AdaptiveRecvByteBufAllocator(MIN_RECEIVE, FIRST_RECEIVE, MAX_RECEIVE);
  }

  /** A pool with large chunks if a few of them are a small part of the direct memory. */
  static PooledByteBufAllocator newPool(long directMemory, int processors) {
    long chunk = (long) PAGE << LARGE_ORDER;
    long arenas = Math.min(processors, directMemory / SHARE / chunk);
    boolean large = arenas > 0;
    return new PooledByteBufAllocator(
        true,
        0,
        large ? (int) arenas : 1,
        PAGE,
        large ? LARGE_ORDER : SMALL_ORDER,
        PooledByteBufAllocator.defaultSmallCacheSize(),
        PooledByteBufAllocator.defaultNormalCacheSize(),
        PooledByteBufAllocator.defaultUseCacheForAllThreads());
  }
}
