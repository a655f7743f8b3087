package io.vdfs.client.io;

import io.vdfs.client.io.replica.GroupPlaces;
import io.vdfs.client.io.replica.ReplicaNode;
import io.vdfs.client.read.BlockDeliveries;
import io.vdfs.client.write.FileWriter;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataAddress;
import io.vdfs.common.net.DataConnections;
import io.vdfs.common.net.NetCounter;
import io.vdfs.common.wire.FrameDescriptor;
import io.vdfs.common.wire.FrameType;
import io.vdfs.common.wire.proto.WriteAck;
import io.vdfs.common.wire.proto.WritePacket;
import io.vdfs.datanode.Await;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A process of its own with limited direct memory: each writer writes to one node, which takes
 * everything in and acknowledges nothing until all writers are held up.
 */
final class StalledWriters {
  private static final int WRITERS = 40;
  private static final int BYTES = 24 << 20;
  private static final ClusterGeometry GEOMETRY = new ClusterGeometry(8 << 20, 16, 64 << 10, 2520);
  private static final long READY = -1;

  private final CountDownLatch goOn = new CountDownLatch(1);
  private final ServerSocket listener =
      new ServerSocket(0, WRITERS, InetAddress.getLoopbackAddress());
  private final AtomicInteger complete = new AtomicInteger();
  private final ClientIo io;

  private StalledWriters() throws IOException {
    ReplicaNode node =
        new ReplicaNode(
            NodeId.random(), new DataAddress("127.0.0.1", listener.getLocalPort()), true, false);
    io =
        new ClientIo(
            new DataConnections(Duration.ofSeconds(5), new Counters<>(NetCounter.class)),
            new OneNode(node),
            GEOMETRY,
            UUID.randomUUID(),
            IoSettings.DEFAULT,
            BlockDeliveries::of);
  }

  private record OneNode(ReplicaNode node) implements GroupPlaces {
    @Override
    public List<ReplicaNode> replicas(FileKey file, int group) {
      return List.of(node);
    }

    @Override
    public long ringEpoch() {
      return 7;
    }

    @Override
    public int copies() {
      return 1;
    }
  }

  public static void main(String[] arguments) throws Exception {
    new StalledWriters().run();
    System.exit(0);
  }

  private void run() throws InterruptedException {
    daemon(this::accept);
    List<Thread> writers = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      FileKey file = new FileKey(258 + i, 1);
      writers.add(daemon(() -> write(file)));
    }
    Await.awaitThat(() -> writers.stream().allMatch(StalledWriters::isHeldUp));
    System.out.println("held up: writers=" + WRITERS);
    goOn.countDown();
    for (Thread writer : writers) {
      writer.join();
    }
    System.out.println("complete: writers=" + complete);
  }

  private static Thread daemon(Runnable work) {
    Thread thread = new Thread(work);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private static boolean isHeldUp(Thread writer) {
    return Arrays.stream(writer.getStackTrace())
        .anyMatch(
            frame ->
                frame.getMethodName().equals("awaitMemory")
                    || frame.getMethodName().equals("awaitRoom"));
  }

  private void write(FileKey file) {
    FakeMetadata metadata = new FakeMetadata(UUID.randomUUID(), file, 1, GEOMETRY);
    byte[] bytes = new byte[1 << 20];
    try (FileWriter writer = FileWriter.create(io, metadata.view(), metadata)) {
      for (int done = 0; done < BYTES; done += bytes.length) {
        writer.write(bytes, 0, bytes.length);
      }
    } catch (IOException e) {
      throw new IllegalStateException("cannot write: file=" + file, e);
    }
    if (metadata.view().length() == BYTES && !metadata.view().open()) {
      complete.incrementAndGet();
    }
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listener.accept();
        daemon(() -> serve(client));
      }
    } catch (IOException e) {
      throw new IllegalStateException("no more connections", e);
    }
  }

  /** Acknowledges the opening at once, and packets once told to, from another thread. */
  private void serve(Socket client) {
    try (client) {
      DataInputStream in = new DataInputStream(client.getInputStream());
      Acknowledger acknowledger = new Acknowledger(client);
      while (true) {
        byte[] frame = new byte[in.readInt()];
        in.readFully(frame);
        ByteBuffer fields = ByteBuffer.wrap(frame);
        int streamId = fields.getInt(behindLength(FrameDescriptor.STREAM_ID_OFFSET));
        if (fields.get(behindLength(FrameDescriptor.TYPE_OFFSET)) == FrameType.WRITE_OPEN.code()) {
          acknowledger.send(streamId, READY);
          daemon(() -> acknowledger.run(streamId));
        } else {
          int fixed = behindLength(FrameDescriptor.FIXED_SIZE);
          int length =
              Short.toUnsignedInt(
                  fields.getShort(behindLength(FrameDescriptor.HEADER_LENGTH_OFFSET)));
          acknowledger.received(
              WritePacket.parseFrom(ByteBuffer.wrap(frame, fixed, length)).getSequence());
        }
      }
    } catch (IOException e) {
      // the writer is through
    }
  }

  private static int behindLength(int offset) {
    return offset - FrameDescriptor.VERSION_OFFSET;
  }

  private final class Acknowledger {
    private final Socket client;
    private long last = READY;

    Acknowledger(Socket client) {
      this.client = client;
    }

    synchronized void received(long sequence) {
      last = sequence;
      notifyAll();
    }

    void run(int streamId) {
      try {
        goOn.await();
        long told = READY;
        while (true) {
          told = awaitMoreThan(told);
          send(streamId, told);
        }
      } catch (IOException | InterruptedException e) {
        // the writer is through
      }
    }

    private synchronized long awaitMoreThan(long told) throws InterruptedException {
      while (last == told) {
        wait();
      }
      return last;
    }

    void send(int streamId, long sequence) throws IOException {
      byte[] header = WriteAck.newBuilder().setSequence(sequence).build().toByteArray();
      ByteBuffer frame = ByteBuffer.allocate(FrameDescriptor.FIXED_SIZE + header.length);
      frame.putInt(FrameDescriptor.lengthOf(FrameType.WRITE_ACK, header.length, 0));
      frame.put((byte) FrameDescriptor.VERSION);
      frame.put(FrameType.WRITE_ACK.code());
      frame.putShort((short) header.length);
      frame.putInt(streamId);
      frame.putInt(
          FrameDescriptor.check(
              frame.slice(0, FrameDescriptor.CHECK_OFFSET), ByteBuffer.wrap(header)));
      frame.put(header);
      client.getOutputStream().write(frame.array());
    }
  }
}
