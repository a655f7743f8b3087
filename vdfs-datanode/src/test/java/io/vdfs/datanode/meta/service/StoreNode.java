package io.vdfs.datanode.meta.service;

import io.netty.buffer.ByteBufUtil;
import io.vdfs.common.checksum.VerifiedChunks;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataAddress;
import io.vdfs.common.net.DataConnections;
import io.vdfs.common.store.BlockRole;
import io.vdfs.datanode.store.BlockData;
import io.vdfs.datanode.store.BlockStore;
import io.vdfs.datanode.store.BlockWriter;
import io.vdfs.datanode.store.StoreConfig;
import io.vdfs.datanode.store.load.StoreOpener;
import io.vdfs.datanode.store.volume.VolumeDirectory;
import io.vdfs.datanode.stream.OrderedReads;
import io.vdfs.datanode.stream.StreamManager;
import io.vdfs.datanode.stream.StreamSettings;
import io.vdfs.datanode.transfer.TestPeers;
import io.vdfs.datanode.transfer.TransferSettings;
import io.vdfs.datanode.transfer.replica.BlockCopies;
import io.vdfs.datanode.transfer.server.TransferServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;

/** A node with a block store on this machine's disk and a data port, and nothing else. */
public final class StoreNode implements AutoCloseable {
  public final NodeId id;
  private final UUID cluster;
  private final ClusterGeometry geometry;
  private final Path directory;
  private final DataConnections connections;
  private final Function<NodeId, Optional<DataAddress>> addresses;
  private BlockStore store;
  private StreamManager streams;
  private OrderedReads reads;
  private TransferServer server;

  public StoreNode(
      NodeId id,
      UUID cluster,
      ClusterGeometry geometry,
      Path directory,
      DataConnections connections,
      Function<NodeId, Optional<DataAddress>> addresses)
      throws VdfsException {
    this.id = id;
    this.cluster = cluster;
    this.geometry = geometry;
    this.directory = directory;
    this.connections = connections;
    this.addresses = addresses;
    start();
  }

  public void start() throws VdfsException {
    store =
        StoreOpener.open(
            StoreConfig.of(cluster, id, geometry, List.of(directory), directory.resolve("index")));
    streams = StreamManager.start(store, 1, StreamSettings.DEFAULT);
    reads = new OrderedReads(store, streams, geometry.chunkSize());
    server =
        TransferServer.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            TestPeers.of(cluster, id, addresses),
            geometry,
            store,
            reads,
            connections,
            TransferSettings.DEFAULT);
  }

  /** Ends the node as if it were away. */
  public void stop() throws VdfsException {
    if (server != null) {
      server.close();
      server = null;
      reads.close();
      streams.close();
      store.close();
    }
  }

  public Optional<DataAddress> address() {
    return server == null
        ? Optional.empty()
        : Optional.of(new DataAddress("127.0.0.1", server.port()));
  }

  /** Copies from other nodes into this one's store. */
  public BlockCopies copies() {
    return server.copies();
  }

  public BlockStore store() {
    return store;
  }

  /** Writes bytes of a file from {@code from} to {@code to}, all in one group, synced. */
  public void write(FileKey file, byte[] content, int from, int to, long epoch)
      throws VdfsException {
    try (Open open = new Open(file, from, epoch)) {
      open.append(content, from, to);
    }
  }

  /** A writer of one group that stays open. */
  public final class Open implements AutoCloseable {
    private final BlockWriter writer;

    public Open(FileKey file, int from, long epoch) throws VdfsException {
      int start = from - from % geometry.chunkSize();
      writer = store.openWriter(file, BlockRole.PRIMARY, epoch, start, geometry.groupAt(from));
    }

    /** Sends the whole chunks that cover the bytes; returns when they are synced. */
    public void append(byte[] content, int from, int to) throws VdfsException {
      int start = from - from % geometry.chunkSize();
      ByteBuffer data = ByteBuffer.wrap(content, start, to - start);
      writer.append(start, VerifiedChunks.compute(data, geometry.chunkSize()));
      writer.sync();
    }

    @Override
    public void close() throws VdfsException {
      writer.close(true);
    }
  }

  /** What readers get of a file from this node, verified, up to {@code length}. */
  public byte[] read(FileKey file, int length) throws VdfsException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    while (out.size() < length) {
      int inBlock = Math.min(geometry.blockSize(), length - out.size());
      BlockData data = store.read(file, out.size() / geometry.blockSize(), 0, inBlock, true);
      out.writeBytes(Arrays.copyOf(ByteBufUtil.getBytes(data.data()), inBlock));
      data.data().release();
    }
    return out.toByteArray();
  }

  /** Flips 16 bytes on the disk, where {@code content} from {@code at} on is stored. */
  public void rot(byte[] content, int at) throws IOException {
    byte[] wanted = Arrays.copyOfRange(content, at, at + 16);
    try (Stream<Path> files = Files.walk(VolumeDirectory.blocksOf(directory))) {
      for (Path path : files.filter(Files::isRegularFile).toList()) {
        byte[] bytes = Files.readAllBytes(path);
        int found = indexOf(bytes, wanted);
        if (found >= 0) {
          for (int i = 0; i < wanted.length; i++) {
            bytes[found + i] ^= 0x5a;
          }
          Files.write(path, bytes);
          return;
        }
      }
    }
    throw new AssertionError("bytes are not on the disk: node=" + id + ", at=" + at);
  }

  private static int indexOf(byte[] bytes, byte[] wanted) {
    for (int at = 0; at + wanted.length <= bytes.length; at++) {
      if (Arrays.equals(bytes, at, at + wanted.length, wanted, 0, wanted.length)) {
        return at;
      }
    }
    return -1;
  }

  @Override
  public void close() throws VdfsException {
    stop();
  }
}
