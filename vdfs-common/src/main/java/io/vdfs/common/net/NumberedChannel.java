package io.vdfs.common.net;

import io.netty.channel.ChannelId;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A channel whose id is a number of this JVM. Netty's own ids name the network card and the
 * process, and finding these out is expensive at the start of a client.
 */
final class NumberedChannel extends NioSocketChannel {
  private static final AtomicLong LAST = new AtomicLong();

  @Override
  protected ChannelId newId() {
    return new Id(LAST.incrementAndGet());
  }

  /** No two are equal. */
  private static final class Id implements ChannelId {
    private static final long serialVersionUID = 1;

    private final long number;

    Id(long number) {
      this.number = number;
    }

    @Override
    public String asShortText() {
      return Long.toHexString(number);
    }

    @Override
    public String asLongText() {
      return asShortText();
    }

    @Override
    public int compareTo(ChannelId other) {
      return asLongText().compareTo(other.asLongText());
    }

    @Override
    public String toString() {
      return asShortText();
    }
  }
}
