package io.vdfs.common.net;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.MessageToMessageEncoder;
import io.vdfs.common.wire.FrameDescriptor;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Writes {@link Frame}s: the fixed part and the header in one buffer, then the payload uncopied.
 */
@Sharable
public final class FrameEncoder extends MessageToMessageEncoder<Frame> {
  public static final FrameEncoder INSTANCE = new FrameEncoder();

  private FrameEncoder() {}

  @Override
  protected void encode(ChannelHandlerContext context, Frame frame, List<Object> out) {
    int header = frame.header().size();
    ByteBuf payload = frame.payload();
    int length = FrameDescriptor.lengthOf(frame.type(), header, payload.readableBytes());
    ByteBuf start = context.alloc().ioBuffer(FrameDescriptor.FIXED_SIZE + header);
    start.writeInt(length);
    start.writeByte(FrameDescriptor.VERSION);
    start.writeByte(frame.type().code());
    start.writeShort(header);
    start.writeInt(frame.streamId());
    ByteBuffer headerBytes = frame.header().asReadOnlyByteBuffer();
    start.writeInt(
        FrameDescriptor.check(start.nioBuffer(0, FrameDescriptor.CHECK_OFFSET), headerBytes));
    start.writeBytes(headerBytes);
    out.add(start);
    if (payload.isReadable()) {
      out.add(payload.retain());
    }
  }
}
