package io.vdfs.datanode.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import io.vdfs.common.wire.FrameDescriptor;
import io.vdfs.common.wire.FrameType;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;

/** A peer of this machine's data port on a plain socket. */
public final class Peer implements AutoCloseable {
  private final Socket socket;
  private final OutputStream out;
  private final DataInputStream in;

  public record Answer(int stream, ByteString header, ByteString payload) {}

  public Peer(int port) throws IOException {
    this(port, 64 << 10);
  }

  /**
   * @param receiveBuffer bytes that the kernel takes for a peer that does not
   */
  public Peer(int port, int receiveBuffer) throws IOException {
    socket = new Socket();
    socket.setReceiveBufferSize(receiveBuffer);
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    socket.setSoTimeout(20_000);
    out = socket.getOutputStream();
    in = new DataInputStream(socket.getInputStream());
  }

  public void send(FrameType type, int stream, MessageLite.Builder header, byte[] payload)
      throws IOException {
    send(type, stream, header.build(), payload);
  }

  /**
   * @param payload null for none
   */
  public void send(FrameType type, int stream, MessageLite header, byte[] payload)
      throws IOException {
    send(frame(type, stream, header, payload == null ? new byte[0] : payload));
  }

  public void send(byte[] bytes) throws IOException {
    out.write(bytes);
  }

  /** A frame with right lengths and check, of any size. */
  public static byte[] frame(FrameType type, int stream, MessageLite header, byte[] payload) {
    byte[] bytes = header.toByteArray();
    int size = FrameDescriptor.FIXED_SIZE + bytes.length + payload.length;
    ByteBuffer frame = ByteBuffer.allocate(size);
    frame.putInt(size - FrameDescriptor.VERSION_OFFSET);
    frame.put((byte) 1).put(type.code()).putShort((short) bytes.length).putInt(stream);
    frame.putInt(FrameDescriptor.check(frame.duplicate().flip(), ByteBuffer.wrap(bytes)));
    return frame.put(bytes).put(payload).array();
  }

  public Answer receive() throws IOException {
    int length = in.readInt();
    assertEquals(1, in.readByte());
    assertTrue(FrameType.ofCode(in.readByte()).isPresent());
    byte[] header = new byte[in.readUnsignedShort()];
    int stream = in.readInt();
    assertEquals(4, in.skipBytes(4));
    in.readFully(header);
    byte[] payload = new byte[length - 12 - header.length];
    in.readFully(payload);
    return new Answer(stream, ByteString.copyFrom(header), ByteString.copyFrom(payload));
  }

  /** Reads what was sent before, then the end. */
  public void assertCutOff() throws IOException {
    try {
      while (true) {
        receive();
      }
    } catch (EOFException | SocketException e) {
      assertTrue(socket.isConnected());
    }
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
