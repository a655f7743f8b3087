package io.vdfs.client.io;

import com.google.protobuf.ByteString;
import io.vdfs.client.io.replica.ReplicaNode;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataAddress;
import io.vdfs.common.wire.FrameDescriptor;
import io.vdfs.common.wire.FrameType;
import io.vdfs.common.wire.proto.LocalGrant;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A data port for one connection that keeps what it is sent and answers only as the test says.
 * Thread-safe.
 */
public final class ScriptedNode implements AutoCloseable {
  public final NodeId id = NodeId.random();
  private final ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
  private final BlockingQueue<Received> received = new LinkedBlockingQueue<>();

  /** A frame that a client sent, without its payload, and the connection it came by. */
  public record Received(FrameType type, int streamId, ByteString header, Socket from) {}

  public ScriptedNode() throws IOException {
    Thread thread = new Thread(this::serve, "scripted-node");
    thread.setDaemon(true);
    thread.start();
  }

  /** As a reader on the node's own machine sees it. */
  public ReplicaNode replica() {
    return new ReplicaNode(id, new DataAddress("127.0.0.1", listener.getLocalPort()), true, true);
  }

  /** The next frame, waited for. */
  public Received next() throws InterruptedException {
    Received next = received.poll(20, TimeUnit.SECONDS);
    if (next == null) {
      throw new AssertionError("the client sends nothing");
    }
    return next;
  }

  public void answer(Received request, LocalGrant grant) throws IOException {
    byte[] header = grant.toByteArray();
    ByteBuffer frame = ByteBuffer.allocate(FrameDescriptor.FIXED_SIZE + header.length);
    frame.putInt(FrameDescriptor.lengthOf(FrameType.LOCAL_GRANT, header.length, 0));
    frame.put((byte) FrameDescriptor.VERSION);
    frame.put(FrameType.LOCAL_GRANT.code());
    frame.putShort((short) header.length);
    frame.putInt(request.streamId());
    frame.putInt(
        FrameDescriptor.check(
            frame.slice(0, FrameDescriptor.CHECK_OFFSET), ByteBuffer.wrap(header)));
    frame.put(header);
    request.from().getOutputStream().write(frame.array());
  }

  private void serve() {
    try (Socket client = listener.accept()) {
      DataInputStream in = new DataInputStream(client.getInputStream());
      while (true) {
        byte[] rest = new byte[in.readInt()];
        in.readFully(rest);
        ByteBuffer frame = ByteBuffer.wrap(rest);
        received.add(
            new Received(
                FrameType.ofCode(frame.get(behindLength(FrameDescriptor.TYPE_OFFSET)))
                    .orElseThrow(),
                frame.getInt(behindLength(FrameDescriptor.STREAM_ID_OFFSET)),
                ByteString.copyFrom(
                    rest,
                    behindLength(FrameDescriptor.FIXED_SIZE),
                    frame.getShort(behindLength(FrameDescriptor.HEADER_LENGTH_OFFSET))),
                client));
      }
    } catch (IOException e) {
      // the client, or the test, is through
    }
  }

  private static int behindLength(int offset) {
    return offset - FrameDescriptor.VERSION_OFFSET;
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
