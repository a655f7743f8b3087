package io.vdfs.datanode.local;

import io.vdfs.common.concurrent.Causes;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.net.Frame;
import io.vdfs.common.wire.FrameType;
import io.vdfs.common.wire.WireChecksums;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.LocalGrant;
import io.vdfs.common.wire.proto.LocalRequest;
import io.vdfs.datanode.store.BlockData;
import io.vdfs.datanode.transfer.Outlet;
import io.vdfs.datanode.transfer.ServerStream;
import io.vdfs.datanode.transfer.TransferContext;
import io.vdfs.datanode.transfer.TransferCounter;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers one request of a reader that is to read a block by itself. Confined to the connection's
 * event loop, except for the making of the grant, which runs on the threads of local delivery.
 *
 * <pre>
 *   ASKED --named--> WARMING --in memory--> ENDED
 *     |\                \--gone---------------^
 *     | \--bytes kept, error------------------^
 *     \--gone--> GIVEN_UP --all let go--------^
 * </pre>
 */
final class GrantStream implements ServerStream {
  private static final Logger LOG = LoggerFactory.getLogger(GrantStream.class);

  private enum State {
    /** The request waits for a thread, or for the budget where the bytes are kept. */
    ASKED,
    WARMING,
    /**
     * The reader no longer waits for the answer, but what the answer takes is held until it is
     * there.
     */
    GIVEN_UP,
    ENDED
  }

  @FunctionalInterface
  private interface Step {
    void run() throws VdfsException;
  }

  /** What is granted beyond the range that was asked for. */
  private record Ahead(Optional<LocalRange> rest, List<LocalRange> following) {
    static final Ahead NONE = new Ahead(Optional.empty(), List.of());
  }

  private final TransferContext context;
  private final Outlet outlet;
  private final Optional<LocalDelivery> delivery;
  private final Optional<LocalSession> session;
  private State state = State.ASKED;
  private CompletableFuture<LocalRange> warming;

  /** Set aside in the budget for kept bytes that are not on their way yet. */
  private int charged;

  /**
   * @param delivery empty where no grants are given
   * @param session of the connection; empty also if the peer is not on this machine
   */
  GrantStream(
      TransferContext context,
      Outlet outlet,
      Optional<LocalDelivery> delivery,
      Optional<LocalSession> session) {
    this.context = context;
    this.outlet = outlet;
    this.delivery = delivery;
    this.session = session;
  }

  @Override
  public void open(Frame frame) throws VdfsException {
    LocalRequest request = frame.header(LocalRequest.parser());
    FileKey file = WireIds.fileKey(request.getFile());
    context.checkRange(request.getBlock(), request.getOffset(), request.getLength());
    if (session.isEmpty()) {
      refuse(notHere());
    } else {
      execute(() -> begin(session.get(), file, request));
    }
  }

  /** Runs a step of the answer on the threads of local delivery. */
  private void execute(Step step) {
    boolean taken =
        delivery
            .orElseThrow()
            .execute(
                () -> {
                  try {
                    step.run();
                  } catch (VdfsException | RuntimeException | Error e) {
                    refuse(e);
                  }
                });
    if (!taken) {
      refuse(new VdfsException(ErrorCode.UNSUPPORTED, "too many requests for grants"));
    }
  }

  @Override
  public void onFrame(Frame frame) throws VdfsException {
    throw new VdfsException(
        ErrorCode.INVALID_ARGUMENT,
        "a request for a grant takes no further frames: frame=" + frame);
  }

  @Override
  public void onWritabilityChanged() {
    // one small answer is never held back
  }

  @Override
  public void onGone() {
    if (state == State.WARMING) {
      warming.cancel(false);
      end();
    } else if (state == State.ASKED) {
      state = State.GIVEN_UP;
    }
  }

  private void begin(LocalSession here, FileKey file, LocalRequest request) throws VdfsException {
    context.checkAddressee(request.getClusterId(), request.getNode());
    context.checkEpoch(file, request.getBlock(), request.getFirstEpoch());
    here.onTold(request.getReads().getReadBytes(), request.getReads().getFetchedBytes());
    OptionalInt kept =
        context
            .reads()
            .keptBytes(file, request.getBlock(), request.getOffset(), request.getLength());
    if (kept.isPresent()) {
      int bytes = kept.getAsInt();
      outlet.loop().execute(() -> acquire(bytes, () -> take(here, file, request)));
    } else {
      grant(here, file, request);
    }
  }

  private void grant(LocalSession here, FileKey file, LocalRequest request) throws VdfsException {
    CompletableFuture<LocalRange> grant =
        here.grant(file, request.getBlock(), request.getOffset(), request.getLength());
    Ahead ahead =
        grant.isDone() && !grant.isCompletedExceptionally()
            ? ahead(here, file, request, grant.join())
            : Ahead.NONE;
    outlet.loop().execute(() -> await(grant, ahead));
  }

  private Ahead ahead(LocalSession here, FileKey file, LocalRequest request, LocalRange granted) {
    int end = granted.offset() + granted.length();
    boolean whole = end == context.geometry().blockSize();
    try {
      Optional<LocalRange> rest =
          whole || !request.getRest()
              ? Optional.empty()
              : here.rest(file, request.getBlock(), end, request.getFirstEpoch());
      return whole || rest.isPresent()
          ? new Ahead(
              rest,
              here.following(
                  file, request.getBlock(), request.getFollowing(), request.getFirstEpoch()))
          : Ahead.NONE;
    } catch (RuntimeException e) {
      // what was asked for is granted all the same
      LOG.error("nothing is granted ahead: file={}, block={}", file, request.getBlock(), e);
      return Ahead.NONE;
    }
  }

  /** Only with the budget are kept bytes taken, so that readers in line for it hold none. */
  private void acquire(int bytes, Step take) {
    if (state == State.GIVEN_UP) {
      end();
    } else {
      outlet.acquire(bytes, () -> onBudget(bytes, take));
    }
  }

  private void onBudget(int bytes, Step take) {
    charged = bytes;
    if (state == State.GIVEN_UP) {
      end();
    } else {
      execute(take);
    }
  }

  private void take(LocalSession here, FileKey file, LocalRequest request) throws VdfsException {
    Optional<BlockData> kept =
        context.reads().kept(file, request.getBlock(), request.getOffset(), request.getLength());
    if (kept.isPresent()) {
      outlet.loop().execute(() -> send(kept.get()));
    } else {
      grant(here, file, request); // they went, or the page cache has them now
    }
  }

  private void await(CompletableFuture<LocalRange> grant, Ahead ahead) {
    if (state == State.GIVEN_UP) {
      grant.cancel(false);
      end();
      return;
    }
    giveBack();
    state = State.WARMING;
    warming = grant;
    var unused =
        grant.whenComplete(
            (range, failure) -> {
              if (failure == null) {
                answer(encode(range, ahead));
              } else if (!grant.isCancelled()) {
                refuse(failure);
              }
            });
  }

  private static VdfsException notHere() {
    return new VdfsException(
        ErrorCode.UNSUPPORTED,
        "no local delivery: the node has none, or the reader is not on its machine");
  }

  private void refuse(Throwable failure) {
    delivery.ifPresent(here -> here.counters().increment(LocalCounter.REFUSALS));
    answer(LocalGrant.newBuilder().setError(WireIds.encode(Causes.asVdfs(failure))));
  }

  private void answer(LocalGrant.Builder answer) {
    LocalGrant built = answer.build();
    outlet.loop().execute(() -> send(built));
  }

  private static LocalGrant.Builder encode(LocalRange range, Ahead ahead) {
    LocalGrant.Builder answer = encode(range);
    ahead.rest().ifPresent(rest -> answer.setRest(encode(rest)));
    ahead.following().forEach(behind -> answer.addFollowing(encode(behind)));
    return answer;
  }

  private static LocalGrant.Builder encode(LocalRange range) {
    return LocalGrant.newBuilder()
        .setPath(range.link().toString())
        .setPosition(range.position())
        .setOffset(range.offset())
        .setLength(range.length())
        .setChecksums(WireChecksums.encode(range.checksums()));
  }

  /** The bytes themselves, which a reader of the file would have to fetch from the disk. */
  private void send(BlockData kept) {
    if (state == State.GIVEN_UP) {
      kept.data().release();
    } else {
      int bytes = kept.data().readableBytes();
      LocalGrant header =
          LocalGrant.newBuilder()
              .setOffset(kept.offset())
              .setLength(bytes)
              .setChecksums(WireChecksums.encode(kept.checksums()))
              .build();
      context.counters().add(TransferCounter.BYTES_READ, bytes);
      int untaken = charged;
      charged = 0;
      outlet.send(FrameType.LOCAL_GRANT, header, kept.data(), () -> outlet.release(untaken));
    }
    end();
  }

  private void send(LocalGrant answer) {
    if (state == State.ENDED) {
      return;
    }
    if (state != State.GIVEN_UP) {
      outlet.send(FrameType.LOCAL_GRANT, answer);
    }
    end();
  }

  private void end() {
    giveBack();
    state = State.ENDED;
    outlet.end();
  }

  private void giveBack() {
    if (charged > 0) {
      outlet.release(charged);
      charged = 0;
    }
  }
}
