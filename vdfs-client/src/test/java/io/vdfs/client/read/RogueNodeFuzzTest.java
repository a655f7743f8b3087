package io.vdfs.client.read;

import static org.junit.jupiter.api.Assertions.assertFalse;

import com.google.protobuf.MessageLite;
import io.vdfs.client.io.ClientIo;
import io.vdfs.client.io.Delivery;
import io.vdfs.client.io.IoSettings;
import io.vdfs.client.io.TestCluster;
import io.vdfs.client.io.replica.FileView;
import io.vdfs.client.io.replica.GroupPlaces;
import io.vdfs.client.io.replica.ReplicaNode;
import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataAddress;
import io.vdfs.common.net.DataConnections;
import io.vdfs.common.net.NetCounter;
import io.vdfs.common.wire.FrameDescriptor;
import io.vdfs.common.wire.FrameType;
import io.vdfs.common.wire.WireChecksums;
import io.vdfs.common.wire.proto.LocalGrant;
import io.vdfs.common.wire.proto.ReadData;
import io.vdfs.common.wire.proto.SegmentGrant;
import io.vdfs.common.wire.proto.SegmentOffer;
import io.vdfs.datanode.fuzz.FuzzContract;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.UUID;

/** Answers of a malicious node to a reader: any frames, with right lengths and checks. */
class RogueNodeFuzzTest extends FuzzContract {
  private static final int CHUNK = TestCluster.GEOMETRY.chunkSize();
  private static final FileView FILE =
      new FileView(TestCluster.FILE, TestCluster.GEOMETRY.blockSize(), false, 1, 1, List.of());
  private static final Duration PATIENCE = Duration.ofMillis(500);
  private static final int SCRIPT_HEAD = 5;

  private final NodeId id = NodeId.random();
  private final ServerSocket listener = listen();
  private volatile byte[] script = new byte[0];

  private static ServerSocket listen() {
    try {
      return new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  RogueNodeFuzzTest() {
    Thread thread = new Thread(this::serve, "rogue-node");
    thread.setDaemon(true);
    thread.start();
  }

  /** Answers each request with the script, and closes. */
  private void serve() {
    while (!listener.isClosed()) {
      try (Socket client = listener.accept()) {
        DataInputStream in = new DataInputStream(client.getInputStream());
        byte[] rest = new byte[in.readInt()];
        in.readFully(rest);
        int stream = ByteBuffer.wrap(rest).getInt(Integer.BYTES);
        client.getOutputStream().write(frames(script, stream));
        client.shutdownOutput();
        client.setSoTimeout((int) PATIENCE.toMillis());
        in.transferTo(java.io.OutputStream.nullOutputStream());
      } catch (IOException e) {
        // the client is through with it
      }
    }
  }

  @Override
  protected List<byte[]> seeds() {
    byte[] chunk = new byte[CHUNK];
    ReadData data =
        ReadData.newBuilder()
            .setChecksums(
                WireChecksums.encode(ChunkChecksums.compute(ByteBuffer.wrap(chunk), CHUNK)))
            .setLast(true)
            .build();
    LocalGrant grant =
        LocalGrant.newBuilder()
            .setPath("/nowhere/file")
            .setLength(CHUNK)
            .setChecksums(data.getChecksums())
            .build();
    SegmentOffer segment =
        SegmentOffer.newBuilder()
            .setPath("/nowhere/segment")
            .setSlots(2)
            .setSlotBytes(CHUNK)
            .build();
    return List.of(
        with(FrameType.READ_DATA, data, chunk),
        with(FrameType.LOCAL_GRANT, grant, new byte[0]),
        with(FrameType.LOCAL_GRANT, grant.toBuilder().clearPath().build(), chunk),
        with(FrameType.SEGMENT_OFFER, segment, new byte[0]),
        with(
            FrameType.SEGMENT_GRANT,
            SegmentGrant.newBuilder().setLength(CHUNK).build(),
            new byte[0]),
        joined(
            with(FrameType.READ_DATA, data.toBuilder().setLast(false).build(), chunk),
            with(FrameType.READ_DATA, ReadData.newBuilder().setLast(true).build(), new byte[0])));
  }

  /** Type, two bytes of each length, header and payload. */
  private static byte[] with(FrameType type, MessageLite header, byte[] payload) {
    byte[] bytes = header.toByteArray();
    return ByteBuffer.allocate(SCRIPT_HEAD + bytes.length + payload.length)
        .put(type.code())
        .putShort((short) bytes.length)
        .putShort((short) payload.length)
        .put(bytes)
        .put(payload)
        .array();
  }

  private static byte[] frames(byte[] script, int stream) {
    ByteBuffer from = ByteBuffer.wrap(script);
    byte[] frames = new byte[0];
    while (from.remaining() >= SCRIPT_HEAD) {
      byte type = from.get();
      int header = Short.toUnsignedInt(from.getShort());
      int payload = Short.toUnsignedInt(from.getShort());
      byte[] start = new byte[Math.min(header, from.remaining())];
      from.get(start);
      byte[] end = new byte[Math.min(payload, from.remaining())];
      from.get(end);
      frames = joined(frames, frame(type, stream, start, end));
    }
    return frames;
  }

  private static byte[] frame(byte type, int stream, byte[] header, byte[] payload) {
    int size = FrameDescriptor.FIXED_SIZE + header.length + payload.length;
    ByteBuffer frame = ByteBuffer.allocate(size).putInt(size - FrameDescriptor.VERSION_OFFSET);
    frame.put((byte) FrameDescriptor.VERSION).put(type);
    frame.putShort((short) header.length).putInt(stream);
    frame.putInt(FrameDescriptor.check(frame.duplicate().flip(), ByteBuffer.wrap(header)));
    return frame.put(header).put(payload).array();
  }

  @Override
  protected void accept(byte[] input) throws Exception {
    script = input;
    for (Delivery delivery : List.of(Delivery.SOCKET, Delivery.LOCAL, Delivery.SEGMENT)) {
      read(delivery);
    }
  }

  private static byte[] joined(byte[]... parts) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }

  private void read(Delivery delivery) throws IOException {
    IoSettings patient = TestCluster.PATIENT.client();
    IoSettings settings = patient.with(patient.nodesWait(), Duration.ZERO, PATIENCE, delivery, 50);
    DataConnections connections = new DataConnections(PATIENCE, new Counters<>(NetCounter.class));
    try (ClientIo client =
            new ClientIo(
                connections,
                new OneReplica(),
                TestCluster.GEOMETRY,
                UUID.randomUUID(),
                settings,
                BlockDeliveries::of);
        BlockRead read =
            BlockRead.start(client, ReadWays.of(client, FILE), FetchListener.NONE, 0, CHUNK)) {
      read.await();
    } catch (VdfsException e) {
      assertFalse(e.getMessage().isEmpty(), "a failure says why");
    } finally {
      connections.close();
    }
  }

  private final class OneReplica implements GroupPlaces {
    @Override
    public List<ReplicaNode> replicas(FileKey file, int group) {
      DataAddress address = new DataAddress("127.0.0.1", listener.getLocalPort());
      return List.of(new ReplicaNode(id, address, true, true));
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
}
