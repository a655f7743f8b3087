package io.vdfs.client.delivery.socket;

import io.netty.buffer.ByteBuf;
import io.vdfs.client.delivery.PendingAnswer;
import io.vdfs.client.delivery.ReceivedPart;
import io.vdfs.client.io.BlockPart;
import io.vdfs.client.io.ClientIo;
import io.vdfs.client.io.IoCounter;
import io.vdfs.client.io.ReadAttempt;
import io.vdfs.client.io.WantedRange;
import io.vdfs.common.checksum.ChunkChecksums;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.net.DataConnection;
import io.vdfs.common.net.DataStream;
import io.vdfs.common.net.Frame;
import io.vdfs.common.net.StreamListener;
import io.vdfs.common.wire.FrameType;
import io.vdfs.common.wire.WireChecksums;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ReadData;
import io.vdfs.common.wire.proto.ReadRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One read request over the network. Gathers the pieces of the answer in order, each verified
 * against the writer's checksums before it is kept. Thread-safe: the monitor guards all fields; the
 * network completes {@code answer}, which says whether the last piece is there.
 *
 * <pre>
 *   answer pending --last piece--> given
 *      |  \--error, damage, lost connection, silence--> failed
 *      \--take--> given up (whatever comes later is dropped)
 * </pre>
 */
final class SocketAttempt implements ReadAttempt, StreamListener {
  private final ClientIo io;
  private final int start;
  private final int end;
  private final List<ByteBuf> pieces = new ArrayList<>();
  private final PendingAnswer<Boolean> answer;
  private DataStream stream;
  private int received;

  private SocketAttempt(ClientIo io, WantedRange range) {
    this.io = io;
    this.start = range.start();
    this.end = range.end();
    this.received = range.start();
    this.answer = new PendingAnswer<>(io, this::silence);
  }

  static SocketAttempt start(ClientIo io, WantedRange range) {
    SocketAttempt attempt = new SocketAttempt(io, range);
    ReadRequest request =
        ReadRequest.newBuilder()
            .setFile(WireIds.encode(range.view().file()))
            .setBlock(range.block())
            .setOffset(range.start())
            .setLength(range.end() - range.start())
            .setFirstEpoch((int) range.firstEpoch())
            .setClusterId(io.clusterId())
            .setNode(WireIds.encode(range.node().id()))
            .build();
    var unused =
        io.connections()
            .shared(range.node().address())
            .whenComplete((connection, broken) -> attempt.onConnected(connection, broken, request));
    return attempt;
  }

  /** Waits for the end of the answer, as long as it makes progress. */
  @Override
  public Optional<VdfsException> await() throws InterruptedException {
    try {
      answer.await();
      return Optional.empty();
    } catch (VdfsException e) {
      giveUpStream();
      return Optional.of(e);
    }
  }

  private synchronized String silence() {
    return "no answer in time: received up to=" + received + ", wanted up to=" + end;
  }

  @Override
  public synchronized BlockPart take() {
    if (answer.giveUp()) {
      giveUpStream();
    }
    List<ByteBuf> taken = List.copyOf(pieces);
    pieces.clear();
    return new ReceivedPart(start, taken);
  }

  private synchronized void onConnected(
      DataConnection connection, Throwable broken, ReadRequest request) {
    if (answer.isDone()) {
      return;
    }
    if (broken != null) {
      answer.fail(broken);
      return;
    }
    answer.onAsked(connection);
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
    if (answer.isDone()) {
      return;
    }
    if (data.hasError()) {
      fail(WireIds.exception(data.getError()));
      return;
    }
    Optional<VdfsException> damage = damageOf(data, payload);
    if (damage.isPresent()) {
      fail(damage.get());
      return;
    }
    if (payload.isReadable()) {
      pieces.add(payload.retain());
      received += payload.readableBytes();
      answer.onProgress();
    }
    if (data.getLast()) {
      stream.end();
      stream = null;
      answer.give(true);
    }
  }

  private Optional<VdfsException> damageOf(ReadData data, ByteBuf payload) {
    int length = payload.readableBytes();
    int chunkSize = io.geometry().chunkSize();
    boolean fits =
        (length == 0 || data.getOffset() == received)
            && length <= end - received
            && WireChecksums.holds(data.getChecksums(), ChunkChecksums.countFor(length, chunkSize))
            && (data.getLast() || length % chunkSize == 0);
    if (!fits) {
      return Optional.of(
          new VdfsException(
              ErrorCode.CORRUPT,
              ("piece does not fit: offset=%s, length=%s, bytes of checksums=%s,"
                      + " expected offset=%s, end=%s")
                  .formatted(data.getOffset(), length, data.getChecksums().size(), received, end)));
    }
    int bad =
        WireChecksums.decode(data.getChecksums()).firstMismatch(payload.nioBuffer(), chunkSize);
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
    if (!answer.isDone()) {
      fail(cause);
    }
  }

  private void fail(VdfsException cause) {
    giveUpStream();
    answer.fail(cause);
  }

  private synchronized void giveUpStream() {
    if (stream != null) {
      stream.cancel();
      stream = null;
    }
  }
}
