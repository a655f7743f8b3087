package io.vdfs.it.attack;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.wire.FrameDescriptor;
import io.vdfs.common.wire.FrameType;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;

/** A peer of a data port that sends arbitrary bytes and frames. Not thread-safe. */
final class DataPeer implements AutoCloseable {
  private static final int LIMIT_MILLIS = 20_000;

  private final Socket socket = new Socket();
  private final OutputStream out;
  private final DataInputStream in;

  /** A frame that came back. */
  record Answer(FrameType type, int stream, ByteString header) {}

  DataPeer(RingNode node) throws IOException {
    socket.connect(new InetSocketAddress(node.host(), node.dataPort()));
    socket.setSoTimeout(LIMIT_MILLIS);
    out = socket.getOutputStream();
    in = new DataInputStream(socket.getInputStream());
  }

  /**
   * Sends bytes as they are.
   *
   * @throws SocketException if the node has closed the connection already
   */
  void send(byte[] bytes) throws IOException {
    out.write(bytes);
  }

  /** Sends a frame without payload. */
  void send(FrameType type, int stream, MessageLite header) throws IOException {
    send(start(type, stream, header, 0));
  }

  /** The start of a frame with right lengths and check, up to its payload. */
  static byte[] start(FrameType type, int stream, MessageLite header, int payload) {
    byte[] bytes = header.toByteArray();
    ByteBuffer frame = ByteBuffer.allocate(FrameDescriptor.FIXED_SIZE + bytes.length);
    frame.putInt(frame.capacity() + payload - FrameDescriptor.VERSION_OFFSET);
    frame.put((byte) FrameDescriptor.VERSION).put(type.code());
    frame.putShort((short) bytes.length).putInt(stream);
    frame.putInt(FrameDescriptor.check(frame.duplicate().flip(), ByteBuffer.wrap(bytes)));
    return frame.put(bytes).array();
  }

  /** Waits for a frame; its payload is skipped. */
  Answer receive() throws IOException {
    int length = in.readInt();
    in.readByte();
    FrameType type = FrameType.ofCode(in.readByte()).orElseThrow();
    byte[] header = new byte[in.readUnsignedShort()];
    int stream = in.readInt();
    in.readInt();
    in.readFully(header);
    int counted = FrameDescriptor.FIXED_SIZE - FrameDescriptor.VERSION_OFFSET;
    in.readFully(new byte[length - counted - header.length]);
    return new Answer(type, stream, ByteString.copyFrom(header));
  }

  /** Waits until the node closes the connection; fails if it does not. */
  void awaitCutOff() throws IOException {
    try {
      while (true) {
        receive();
      }
    } catch (EOFException | SocketException e) {
      return;
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
