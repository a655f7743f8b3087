package io.vdfs.common.rpc;

import com.google.protobuf.ByteString;
import io.vdfs.common.model.NodeId;
import java.nio.ByteBuffer;
import java.util.UUID;

/** Node ids as they stand in messages: 16 bytes, big-endian. */
public final class NodeIds {
  public static final int BYTES = 16;

  private NodeIds() {}

  public static ByteString toBytes(NodeId id) {
    ByteBuffer bytes = ByteBuffer.allocate(BYTES);
    bytes.putLong(id.uuid().getMostSignificantBits());
    bytes.putLong(id.uuid().getLeastSignificantBits());
    return ByteString.copyFrom(bytes.flip());
  }

  /**
   * @throws IllegalArgumentException if {@code bytes} are not {@value #BYTES}
   */
  public static NodeId parse(ByteString bytes) {
    if (bytes.size() != BYTES) {
      throw new IllegalArgumentException("a node id has 16 bytes: size=" + bytes.size());
    }
    ByteBuffer buffer = bytes.asReadOnlyByteBuffer();
    long most = buffer.getLong();
    return new NodeId(new UUID(most, buffer.getLong()));
  }
}
