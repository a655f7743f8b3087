package io.vdfs.client.io;

import io.netty.buffer.ByteBuf;
import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.concurrent.Causes;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.net.DataConnection;
import io.vdfs.common.net.DataStream;
import io.vdfs.common.net.Frame;
import io.vdfs.common.net.StreamListener;
import io.vdfs.common.wire.FrameType;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ReadData;
import io.vdfs.common.wire.proto.ReadRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One read request over the network. Gathers the pieces of the answer in order, each verified
 * against the writer's checksums before it is kept. Thread-safe: the monitor guards all fields; it
 * is held for short steps only.
 *
 * <pre>
 *   RUNNING --last piece--> COMPLETE
 *      |  \--error, damage, lost connection--> FAILED
 *      \--take--> TAKEN (whatever comes later is dropped)
 * </pre>
 */
final class SocketAttempt implements ReadAttempt, StreamListener {
  private enum State {
    RUNNING,
    COMPLETE,
    FAILED,
    TAKEN
  }

  private final ClientIo io;
  private final int start;
  private final int end;
  private final List<ByteBuf> pieces = new ArrayList<>();
  private State state = State.RUNNING;
  private DataStream stream;
  private VdfsException failure;
  private int received;
  private long lastProgress;

  /**
   * @param start first byte wanted in the block, on a chunk boundary
   * @param end end of the last chunk wanted
   */
  private SocketAttempt(ClientIo io, int start, int end) {
    this.io = io;
    this.start = start;
    this.end = end;
    this.received = start;
    this.lastProgress = io.nanoTime();
  }

  static SocketAttempt start(
      ClientIo io,
      ReplicaNode node,
      FileView view,
      long block,
      int start,
      int end,
      long firstEpoch) {
    SocketAttempt attempt = new SocketAttempt(io, start, end);
    ReadRequest request =
        ReadRequest.newBuilder()
            .setFile(WireIds.encode(view.file()))
            .setBlock(block)
            .setOffset(start)
            .setLength(end - start)
            .setFirstEpoch((int) firstEpoch)
            .setClusterId(io.clusterId())
            .setNode(WireIds.encode(node.id()))
            .build();
    var unused =
        io.connections()
            .shared(node.address())
            .whenComplete((connection, broken) -> attempt.onConnected(connection, broken, request));
    return attempt;
  }

  /** Waits for the end of the answer, as long as it makes progress. */
  @Override
  public synchronized Optional<VdfsException> await() throws InterruptedException {
    long limit = io.settings().readTimeout().toNanos();
    while (state == State.RUNNING) {
      long left = lastProgress + limit - io.nanoTime();
      if (left <= 0) {
        fail(
            new VdfsException(
                ErrorCode.UNAVAILABLE,
                "no answer in time: received up to=" + received + ", wanted up to=" + end));
      } else {
        wait(left / 1_000_000, (int) (left % 1_000_000));
      }
    }
    return Optional.ofNullable(failure);
  }

  @Override
  public synchronized BlockPart take() {
    if (state == State.RUNNING) {
      giveUpStream();
    }
    state = State.TAKEN;
    List<ByteBuf> taken = List.copyOf(pieces);
    pieces.clear();
    return new ReceivedPart(start, taken);
  }

  private synchronized void onConnected(
      DataConnection connection, Throwable broken, ReadRequest request) {
    if (state != State.RUNNING) {
      return;
    }
    if (broken != null) {
      fail(Causes.asVdfs(broken));
      return;
    }
    lastProgress = io.nanoTime();
    stream = connection.open(this);
    stream.send(FrameType.READ_REQUEST, request);
  }

  @Override
  public void onFrame(Frame frame) throws VdfsException {
    if (frame.type() != FrameType.READ_DATA) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT, "a read is answered with data: frame=" + frame);
    }
    onData(frame.header(ReadData.parser()), frame.payload());
  }

  private synchronized void onData(ReadData data, ByteBuf payload) {
    if (state != State.RUNNING) {
      return;
    }
    if (data.hasError()) {
      fail(WireIds.exception(data.getError()));
      return;
    }
    Optional<VdfsException> damage = damageOf(data, payload);
    if (damage.isPresent()) {
      giveUpStream();
      fail(damage.get());
      return;
    }
    if (payload.isReadable()) {
      pieces.add(payload.retain());
      received += payload.readableBytes();
      lastProgress = io.nanoTime();
    }
    if (data.getLast()) {
      state = State.COMPLETE;
      stream.end();
      notifyAll();
    }
  }

  private Optional<VdfsException> damageOf(ReadData data, ByteBuf payload) {
    int length = payload.readableBytes();
    int chunkSize = io.geometry().chunkSize();
    boolean fits =
        (length == 0 || data.getOffset() == received)
            && length <= end - received
            && data.getChecksumsCount() == ChunkChecksums.countFor(length, chunkSize)
            && (data.getLast() || length % chunkSize == 0);
    if (!fits) {
      return Optional.of(
          new VdfsException(
              ErrorCode.CORRUPT,
              "piece does not fit: offset="
                  + data.getOffset()
                  + ", length="
                  + length
                  + ", checksums="
                  + data.getChecksumsCount()
                  + ", expected offset="
                  + received
                  + ", end="
                  + end));
    }
    int bad =
        ChunkChecksums.of(data.getChecksumsCount(), data::getChecksums)
            .firstMismatch(payload.nioBuffer(), chunkSize);
    if (bad >= 0) {
      io.counters().increment(IoCounter.CORRUPT_CHUNKS);
      return Optional.of(
          new VdfsException(
              ErrorCode.CORRUPT,
              "checksum mismatch: offset in block=" + (received + (long) bad * chunkSize)));
    }
    return Optional.empty();
  }

  @Override
  public synchronized void onDisconnected(VdfsException cause) {
    if (state == State.RUNNING) {
      fail(cause);
    }
  }

  private void fail(VdfsException cause) {
    failure = cause;
    giveUpStream();
    state = State.FAILED;
    notifyAll();
  }

  private void giveUpStream() {
    if (stream != null) {
      stream.cancel();
      stream = null;
    }
  }
}
