package io.vdfs.common.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import com.google.protobuf.ByteString;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.wire.FrameType;
import org.junit.jupiter.api.Test;

class StreamDispatcherTest {
  private static final int STREAM = 7;

  private final Counters<NetCounter> counters = new Counters<>(NetCounter.class);
  private final StreamDispatcher dispatcher =
      new StreamDispatcher(new DataAddress("n", 1), counters, System::nanoTime);
  private final EmbeddedChannel channel = new EmbeddedChannel(dispatcher);

  private ByteBufAllocator afterFrames(int count, int payload) {
    channel.config().setAllocator(DataBuffers.unpooled());
    for (int frame = 0; frame < count; frame++) {
      channel.writeInbound(
          new Frame(
              FrameType.READ_DATA,
              STREAM,
              ByteString.EMPTY,
              Unpooled.wrappedBuffer(new byte[payload])));
    }
    assertEquals(count, counters.get(NetCounter.LATE_FRAMES));
    return channel.config().getAllocator();
  }

  @Test
  void shouldLeaveThePoolAloneForASmallFile() {
    assertSame(DataBuffers.unpooled(), afterFrames(3, 64 << 10));
  }

  @Test
  void shouldTakeBuffersFromThePoolOnceMuchHasCome() {
    assertSame(DataBuffers.pool(), afterFrames(4, 64 << 10));
  }

  @Test
  void shouldTakeBuffersFromThePoolOnceManyFramesHaveCome() {
    assertSame(
        DataBuffers.pool(), afterFrames(StreamDispatcher.LITTLE / StreamDispatcher.FRAME, 100));
  }
}
