package io.vdfs.client.fake;

import io.vdfs.client.files.ContentAccess;
import io.vdfs.client.files.ContentCursor;
import io.vdfs.client.files.ContentReader;
import io.vdfs.client.files.ContentWriter;
import io.vdfs.client.io.ReadTally;
import io.vdfs.client.io.replica.ReplicaNode;
import io.vdfs.client.meta.ClientLeases;
import io.vdfs.client.meta.MetadataCalls;
import io.vdfs.client.names.FileInfo;
import io.vdfs.client.read.ReadPattern;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataAddress;
import io.vdfs.common.ring.GroupReplicas;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.CompleteOp;
import io.vdfs.common.wire.proto.GroupSyncProto;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.WriteTicketProto;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.CRC32C;

/** File bytes in memory; writers complete their files with the metadata service. Thread-safe. */
public final class FakeContent implements ContentAccess {
  private final MetadataCalls metadata;
  private final FakeCluster cluster;
  private final Map<FileKey, byte[]> visible = new ConcurrentHashMap<>();
  private volatile ReadPattern lastPattern;
  private volatile boolean failing;
  private volatile boolean closed;

  public FakeContent(MetadataCalls metadata, FakeCluster cluster) {
    this.metadata = metadata;
    this.cluster = cluster;
  }

  /** Every writer's calls fail from now on. */
  public void failWriters() {
    failing = true;
  }

  /** Writers that have not failed work again. */
  public void mendWriters() {
    failing = false;
  }

  /** The pattern that the newest cursor was given. */
  public ReadPattern lastPattern() {
    return lastPattern;
  }

  /** As if the stores had removed the file. */
  public void drop(FileKey file) {
    visible.remove(file);
  }

  /** As if the stores had nothing of the file from a position on. */
  public void loseFrom(FileKey file, int position) {
    visible.computeIfPresent(file, (key, bytes) -> Arrays.copyOf(bytes, position));
  }

  public boolean isClosed() {
    return closed;
  }

  @Override
  public Map<String, Long> counters() {
    return Map.of("bytes_by_local_delivery", 0L);
  }

  @Override
  public ContentReader reader(FileInfo file) {
    byte[] now = visible.getOrDefault(file.key(), new byte[0]);
    long length = file.isUnderConstruction() ? now.length : file.length();
    return new Reader(file.key(), length, ReadTally.NONE);
  }

  @Override
  public ContentWriter writer(FileInfo file, WriteTicketProto ticket, ClientLeases lease) {
    return new Writer(file, lease);
  }

  /** As nodes do it: of what is recorded, if that is all they hold. */
  @Override
  public int checksum(FileInfo file) throws IOException {
    byte[] bytes = visible.getOrDefault(file.key(), new byte[0]);
    int length = (int) file.view().length();
    if (length > 0 && length != bytes.length) {
      throw new VdfsException(
          ErrorCode.UNAVAILABLE, "replicas have another length: length=" + bytes.length);
    }
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return (int) crc.getValue();
  }

  @Override
  public Optional<byte[]> partChecksums(FileInfo file, long start, long length, int partBytes) {
    byte[] bytes = visible.getOrDefault(file.key(), new byte[0]);
    ByteBuffer checksums = ByteBuffer.allocate((int) (length / partBytes + 1) * Integer.BYTES);
    for (int at = (int) start; at < start + length; at += partBytes) {
      CRC32C crc = new CRC32C();
      crc.update(bytes, at, (int) Math.min(partBytes, start + length - at));
      checksums.putInt((int) crc.getValue());
    }
    return Optional.of(Arrays.copyOf(checksums.array(), checksums.position()));
  }

  @Override
  public void close() {
    closed = true;
  }

  private final class Reader implements ContentReader {
    private final FileKey file;
    private final long length;
    private final ReadTally tally;

    Reader(FileKey file, long length, ReadTally tally) {
      this.file = file;
      this.length = length;
      this.tally = tally;
    }

    @Override
    public int read(long position, ByteBuffer target) throws IOException {
      if (!target.hasRemaining()) {
        return 0;
      }
      if (position >= length) {
        return -1;
      }
      byte[] bytes = visible.get(file);
      if (bytes == null || position >= bytes.length) {
        throw new VdfsException(ErrorCode.NOT_FOUND, "no replica has the file: file=" + file);
      }
      // shorter than asked for, as at the end of a block
      long there = Math.min(length, bytes.length) - position;
      int read = (int) Math.min(Math.min(target.remaining(), 1000), there);
      target.put(bytes, (int) position, read);
      tally.onRead(ownerOf(file, position), read);
      return read;
    }

    @Override
    public ContentCursor cursor(ReadPattern pattern) {
      lastPattern = pattern;
      return new Cursor(this);
    }

    @Override
    public ContentReader telling(ReadTally listener) {
      return new Reader(file, length, listener);
    }

    @Override
    public long length() {
      return length;
    }
  }

  /** The owner of a position; only the first node is on this machine. */
  private ReplicaNode ownerOf(FileKey file, long position) {
    RingMap ring = cluster.ring();
    RingNode owner =
        ring.node(ring.owner(file, FakeCluster.GEOMETRY.groupAt(position))).orElseThrow();
    return new ReplicaNode(
        owner.id(),
        new DataAddress(owner.host(), owner.dataPort()),
        true,
        owner.host().equals(FakeCluster.host(0)));
  }

  private static final class Cursor implements ContentCursor {
    private final Reader reader;
    private long position;

    Cursor(Reader reader) {
      this.reader = reader;
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
      int read = reader.read(position, target);
      position += Math.max(0, read);
      return read;
    }

    @Override
    public long position() {
      return position;
    }

    @Override
    public void seek(long target) {
      position = target;
    }

    @Override
    public void release() {
      // holds nothing
    }
  }

  private final class Writer implements ContentWriter {
    private final FileInfo file;
    private final ClientLeases lease;
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private volatile VdfsException deathCause;
    private boolean closed;

    Writer(FileInfo file, ClientLeases lease) {
      this.file = file;
      this.lease = lease;
      byte[] old = visible.getOrDefault(file.key(), new byte[0]);
      bytes.write(old, 0, (int) file.length());
    }

    @Override
    public long position() {
      return bytes.size();
    }

    @Override
    public void write(byte[] source, int offset, int length) throws IOException {
      requireAlive();
      bytes.write(source, offset, length);
    }

    @Override
    public void flush() throws IOException {
      requireAlive();
      requireNodes();
      visible.put(file.key(), bytes.toByteArray());
    }

    @Override
    public void sync() throws IOException {
      flush();
    }

    @Override
    public void close() throws IOException {
      if (closed) {
        return;
      }
      try {
        flush();
        complete();
      } finally {
        closed = true;
      }
    }

    private void complete() throws IOException {
      CompleteOp.Builder complete =
          CompleteOp.newBuilder()
              .setFile(WireIds.encode(file.key()))
              .setHolder(WireIds.encode(lease.holder()))
              .setWriteEpoch(file.writeEpoch())
              .setLength(bytes.size())
              .setRingEpoch(cluster.ring().epoch());
      int groups = FakeCluster.GEOMETRY.groupCount(bytes.size());
      int first = FakeCluster.GEOMETRY.groupAt(file.length());
      for (int group = first; group < groups; group++) {
        GroupSyncProto.Builder synced = complete.addSyncedBuilder().setGroup(group);
        List<NodeId> list = cluster.ring().replicas(file.key(), group).serving();
        for (NodeId keeper : GroupReplicas.of(list, file.replication(), Set.of()).keepers()) {
          synced.addNodes(WireIds.encode(keeper));
        }
      }
      metadata.call(MetaRequest.newBuilder().setComplete(complete).build());
    }

    @Override
    public void abort() {
      die("the writer was aborted");
    }

    private void die(String reason) {
      if (deathCause == null) {
        deathCause = new VdfsException(ErrorCode.UNAVAILABLE, reason + ": file=" + file.key());
      }
    }

    private void requireNodes() throws VdfsException {
      if (failing) {
        die("no node takes the bytes");
        throw deathCause;
      }
    }

    private void requireAlive() throws VdfsException {
      if (closed) {
        throw new VdfsException(
            ErrorCode.INVALID_ARGUMENT, "the writer is closed: file=" + file.key());
      }
      if (deathCause != null) {
        throw new VdfsException(
            ErrorCode.UNAVAILABLE, "failed before: " + deathCause.getMessage(), deathCause);
      }
    }
  }

  /** The bytes of a file that readers see. */
  public byte[] bytes(FileKey file) {
    byte[] bytes = visible.get(file);
    return Arrays.copyOf(bytes, bytes.length);
  }
}
