package io.vdfs.client.io;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.net.DataConnection;
import io.vdfs.common.net.DataStream;
import io.vdfs.common.net.Frame;
import io.vdfs.common.net.StreamListener;
import io.vdfs.common.wire.ChunkCrc;
import io.vdfs.common.wire.FrameType;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.LocalGrant;
import io.vdfs.common.wire.proto.LocalRequest;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Asks the node on this machine where a range lies, to read it there. Fails with UNSUPPORTED where
 * the bytes have to come over the socket: the node grants nothing, or its file cannot be opened
 * from here. Owned by its reader; the network completes {@code answer}.
 */
final class LocalAttempt implements ReadAttempt, StreamListener {
  private final ClientIo io;
  private final int start;
  private final int end;
  private final CompletableFuture<LocalGrant> answer = new CompletableFuture<>();
  private Optional<FilePart> part = Optional.empty();

  private LocalAttempt(ClientIo io, int start, int end) {
    this.io = io;
    this.start = start;
    this.end = end;
  }

  /**
   * @param start first byte wanted in the block, on a chunk boundary
   * @param end end of the last chunk wanted
   */
  static LocalAttempt start(
      ClientIo io, ReplicaNode node, FileView view, long block, int start, int end) {
    LocalAttempt attempt = new LocalAttempt(io, start, end);
    LocalRequest request =
        LocalRequest.newBuilder()
            .setFile(WireIds.encode(view.file()))
            .setBlock(block)
            .setOffset(start)
            .setLength(end - start)
            .setClusterId(io.clusterId())
            .setNode(WireIds.encode(node.id()))
            .build();
    var unused =
        io.connections()
            .shared(node.address())
            .whenComplete((connection, broken) -> attempt.onConnected(connection, broken, request));
    return attempt;
  }

  private void onConnected(DataConnection connection, Throwable broken, LocalRequest request) {
    if (broken != null) {
      answer.completeExceptionally(broken);
      return;
    }
    DataStream stream = connection.open(this);
    var ended = answer.whenComplete((grant, failure) -> stream.end());
    if (!ended.isDone()) {
      stream.send(FrameType.LOCAL_REQUEST, request);
    }
  }

  @Override
  public void onFrame(Frame frame) throws VdfsException {
    if (frame.type() != FrameType.LOCAL_GRANT) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT, "this request is answered with a grant: frame=" + frame);
    }
    LocalGrant grant = frame.header(LocalGrant.parser());
    if (grant.hasError()) {
      answer.completeExceptionally(WireIds.exception(grant.getError()));
    } else {
      answer.complete(grant);
    }
  }

  @Override
  public void onDisconnected(VdfsException cause) {
    answer.completeExceptionally(cause);
  }

  @Override
  public Optional<VdfsException> await() throws InterruptedException {
    try {
      LocalGrant grant = answer.get(io.settings().readTimeout().toNanos(), TimeUnit.NANOSECONDS);
      LocalFiles.Handle file = open(checked(grant));
      part =
          Optional.of(
              new FilePart(io, rangeOf(grant), file, IoCounter.BYTES_BY_LOCAL_DELIVERY, () -> {}));
      return Optional.empty();
    } catch (ExecutionException e) {
      return Optional.of(Failures.asVdfs(e));
    } catch (TimeoutException e) {
      return Optional.of(
          new VdfsException(ErrorCode.UNAVAILABLE, "no grant in time: wanted from=" + start, e));
    } catch (VdfsException e) {
      return Optional.of(e);
    }
  }

  private LocalGrant checked(LocalGrant grant) throws VdfsException {
    boolean fits =
        grant.getOffset() == start
            && grant.getPosition() >= 0
            && grant.getLength() >= 1
            && grant.getLength() <= end - start
            && grant.getChecksumsCount()
                == ChunkCrc.count(grant.getLength(), io.geometry().chunkSize());
    if (!fits) {
      throw new VdfsException(
          ErrorCode.CORRUPT,
          "grant does not fit: offset="
              + grant.getOffset()
              + ", length="
              + grant.getLength()
              + ", position="
              + grant.getPosition()
              + ", checksums="
              + grant.getChecksumsCount()
              + ", wanted from="
              + start
              + " to="
              + end);
    }
    return grant;
  }

  private static FilePart.Range rangeOf(LocalGrant grant) {
    return new FilePart.Range(
        grant.getPath(),
        grant.getPosition(),
        grant.getOffset(),
        grant.getLength(),
        grant.getChecksumsList());
  }

  private LocalFiles.Handle open(LocalGrant grant) throws VdfsException {
    try {
      return io.localFiles().open(grant.getPath());
    } catch (IOException | InvalidPathException e) {
      throw new VdfsException(
          ErrorCode.UNSUPPORTED, "the node's file cannot be opened from here: " + e, e);
    }
  }

  @Override
  public BlockPart take() {
    answer.cancel(false);
    BlockPart taken = part.<BlockPart>map(here -> here).orElse(new ReceivedPart(start, List.of()));
    part = Optional.empty();
    return taken;
  }
}
