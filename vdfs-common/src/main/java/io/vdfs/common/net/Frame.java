package io.vdfs.common.net;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Parser;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.DefaultByteBufHolder;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.FrameType;
import java.util.Objects;

/**
 * A frame with its header still encoded. The payload is reference-counted with the frame; the last
 * holder of the frame releases it.
 */
public final class Frame extends DefaultByteBufHolder {
  private final FrameType type;
  private final int streamId;
  private final ByteString header;

  /**
   * @param payload owned by the frame from now on
   */
  public Frame(FrameType type, int streamId, ByteString header, ByteBuf payload) {
    super(payload);
    this.type = Objects.requireNonNull(type, "type");
    this.streamId = streamId;
    this.header = Objects.requireNonNull(header, "header");
  }

  public FrameType type() {
    return type;
  }

  public int streamId() {
    return streamId;
  }

  public ByteString header() {
    return header;
  }

  /** The payload; valid while the caller holds the frame. */
  public ByteBuf payload() {
    return content();
  }

  /**
   * Decodes the header.
   *
   * @throws VdfsException INVALID_ARGUMENT if it is not a message of this kind
   */
  public <M> M header(Parser<M> parser) throws VdfsException {
    try {
      return parser.parseFrom(header);
    } catch (InvalidProtocolBufferException e) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "malformed frame header: type=" + type + ", length=" + header.size(),
          e);
    }
  }

  @Override
  public Frame replace(ByteBuf payload) {
    return new Frame(type, streamId, header, payload);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Frame frame
        && frame.type == type
        && frame.streamId == streamId
        && frame.header.equals(header)
        && super.equals(other);
  }

  @Override
  public int hashCode() {
    return Objects.hash(type, streamId, header, super.hashCode());
  }

  @Override
  public String toString() {
    return "Frame[type=%s, streamId=%s, header=%s bytes]".formatted(type, streamId, header.size());
  }
}
