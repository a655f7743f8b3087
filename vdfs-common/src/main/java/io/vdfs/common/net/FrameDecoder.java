package io.vdfs.common.net;

import com.google.protobuf.ByteString;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.FrameDescriptor;
import io.vdfs.common.wire.FrameType;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Cuts the byte stream into {@link Frame}s. Fixed part and header are checked, and the gate is
 * asked, before the rest is read; the payload is then gathered in one buffer of exactly its size.
 * After a malformed frame, or one that the gate refused, an exception travels down the pipeline and
 * all further input is thrown away.
 */
public final class FrameDecoder extends ByteToMessageDecoder {
  /** What the decoder waits for next. */
  private enum State {
    FIXED_PART,
    HEADER,
    PAYLOAD,
    /** Input was malformed; where the next frame begins is not known. */
    FAILED
  }

  private final FrameGate gate;
  private final ByteBuffer startOfFrame = ByteBuffer.allocate(FrameDescriptor.CHECK_OFFSET);
  private State state = State.FIXED_PART;
  private int check;
  private FrameType type;
  private int streamId;
  private int headerLength;
  private int payloadLength;
  private ByteString header;
  private ByteBuf payload;
  private long frames;

  /** Lets every well-formed frame in. */
  public FrameDecoder() {
    this((kind, stream, length) -> {});
  }

  public FrameDecoder(FrameGate gate) {
    this.gate = gate;
  }

  /** Frames that came in whole. On the event loop. */
  public long frames() {
    return frames;
  }

  /** Whether a frame has begun to come in. On the event loop. */
  public boolean isWithinFrame() {
    return state != State.FIXED_PART || internalBuffer().isReadable();
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out)
      throws VdfsException {
    switch (state) {
      case FIXED_PART -> readFixedPart(context, in, out);
      case HEADER -> readHeader(context, in, out);
      case PAYLOAD -> readPayload(in, out);
      case FAILED -> in.skipBytes(in.readableBytes());
    }
  }

  /** Parts of length 0 need no further input, so each step goes on to the next one itself. */
  private void readFixedPart(ChannelHandlerContext context, ByteBuf in, List<Object> out)
      throws VdfsException {
    if (in.readableBytes() < FrameDescriptor.FIXED_SIZE) {
      return;
    }
    int start = in.readerIndex();
    byte code = in.getByte(start + FrameDescriptor.TYPE_OFFSET);
    headerLength = in.getUnsignedShort(start + FrameDescriptor.HEADER_LENGTH_OFFSET);
    state = State.FAILED;
    payloadLength =
        FrameDescriptor.payloadLength(
            in.getInt(start + FrameDescriptor.LENGTH_OFFSET),
            in.getUnsignedByte(start + FrameDescriptor.VERSION_OFFSET),
            code,
            headerLength);
    type = FrameType.ofCode(code).orElseThrow();
    streamId = in.getInt(start + FrameDescriptor.STREAM_ID_OFFSET);
    in.readBytes(startOfFrame.clear());
    startOfFrame.flip();
    check = in.readInt();
    state = State.HEADER;
    readHeader(context, in, out);
  }

  private void readHeader(ChannelHandlerContext context, ByteBuf in, List<Object> out)
      throws VdfsException {
    if (in.readableBytes() < headerLength) {
      return;
    }
    byte[] bytes = new byte[headerLength];
    in.readBytes(bytes);
    state = State.FAILED;
    FrameDescriptor.requireCheck(check, startOfFrame, ByteBuffer.wrap(bytes));
    header = ByteString.copyFrom(bytes);
    gate.accept(type, streamId, payloadLength);
    payload =
        payloadLength == 0
            ? Unpooled.EMPTY_BUFFER
            : context.alloc().ioBuffer(payloadLength, payloadLength);
    state = State.PAYLOAD;
    readPayload(in, out);
  }

  private void readPayload(ByteBuf in, List<Object> out) {
    int missing = payloadLength - payload.readableBytes();
    payload.writeBytes(in, Math.min(missing, in.readableBytes()));
    if (payload.readableBytes() == payloadLength) {
      frames++;
      out.add(new Frame(type, streamId, header, payload));
      payload = null;
      header = null;
      state = State.FIXED_PART;
    }
  }

  @Override
  protected void handlerRemoved0(ChannelHandlerContext context) {
    if (payload != null) {
      payload.release();
      payload = null;
    }
    state = State.FAILED;
  }
}
