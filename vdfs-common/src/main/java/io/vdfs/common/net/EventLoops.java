package io.vdfs.common.net;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;

/**
 * The event loops of the data plane, one group per JVM, made at first use. Their threads are
 * daemons: they never keep a JVM alive and are never shut down.
 */
public final class EventLoops {
  private static final int MAX_THREADS = 4;

  private EventLoops() {}

  public static EventLoopGroup shared() {
    return Holder.GROUP;
  }

  private static final class Holder {
    private static final EventLoopGroup GROUP =
        new NioEventLoopGroup(
            Math.min(MAX_THREADS, Runtime.getRuntime().availableProcessors()),
            new DefaultThreadFactory("vdfs-net", true));
  }
}
