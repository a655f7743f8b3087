package io.vdfs.common.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.internal.PlatformDependent;
import java.nio.ByteBuffer;

/**
 * Buffers for bytes of blocks on their way through the data plane, one pool per JVM.
 *
 * <p>Netty's default pool takes memory from the JVM in chunks of 4 MiB. A chunk of which more than
 * a quarter was ever in use is given back as soon as it is empty, so buffers of half a MiB make the
 * JVM zero new chunks all the time. They rarely use a quarter of a larger chunk.
 *
 * <p>Buffers into which files are read begin at a multiple of {@link #ALIGNMENT}. Memory as the JVM
 * gives it begins 16 bytes behind that of a page, and some processors (AMD's that have FSRM) copy a
 * page of the page cache to an address from 1 to 31 bytes behind the start of a page at a fifth of
 * their speed.
 */
public final class DataBuffers {
  /** Bytes; a cache line. */
  static final int ALIGNMENT = 64;

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

  /** Made at the first use. */
  private static final class WindowHolder {
    private static final PooledByteBufAllocator POOL =
        newPool(PooledByteBufAllocator.defaultNumDirectArena(), SMALL_ORDER);
  }

  /** The pool; its buffers are direct ones. Thread-safe. */
  public static ByteBufAllocator pool() {
    return Holder.POOL;
  }

  /**
   * A pool with chunks of 4 MiB, for files that are read, which have one buffer each and may be the
   * only ones of the JVM; its buffers are direct ones. Thread-safe.
   */
  public static ByteBufAllocator windows() {
    return WindowHolder.POOL;
  }

  /**
   * A direct buffer of its own, for one that is kept as long as the JVM runs; its memory is freed
   * some time after it was released.
   */
  public static ByteBuf kept(int bytes) {
    ByteBuffer memory = ByteBuffer.allocateDirect(bytes + ALIGNMENT);
    int behind = memory.alignmentOffset(0, ALIGNMENT);
    int start = behind == 0 ? 0 : ALIGNMENT - behind;
    return Unpooled.wrappedBuffer(memory.slice(start, bytes)).clear();
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
    return arenas > 0 ? newPool((int) arenas, LARGE_ORDER) : newPool(1, SMALL_ORDER);
  }

  private static PooledByteBufAllocator newPool(int arenas, int order) {
    return new PooledByteBufAllocator(
        true,
        0,
        arenas,
        PAGE,
        order,
        PooledByteBufAllocator.defaultSmallCacheSize(),
        PooledByteBufAllocator.defaultNormalCacheSize(),
        PooledByteBufAllocator.defaultUseCacheForAllThreads(),
        ALIGNMENT);
  }
}
