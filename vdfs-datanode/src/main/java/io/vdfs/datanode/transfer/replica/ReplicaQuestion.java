package io.vdfs.datanode.transfer.replica;

import com.google.protobuf.ByteString;
import io.vdfs.common.concurrent.Causes;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.LeaseBound;
import io.vdfs.common.net.Frame;
import io.vdfs.common.security.NodeProofs;
import io.vdfs.common.store.VerifiedGroup;
import io.vdfs.common.wire.FrameType;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.CopyGroup;
import io.vdfs.common.wire.proto.ReplicaRequest;
import io.vdfs.common.wire.proto.ReplicaResponse;
import io.vdfs.common.wire.proto.TruncateGroup;
import io.vdfs.datanode.store.BlockStore;
import io.vdfs.datanode.store.DoubtedBlocks;
import io.vdfs.datanode.store.GroupState;
import io.vdfs.datanode.store.ReadPace;
import io.vdfs.datanode.transfer.Outlet;
import io.vdfs.datanode.transfer.ServerStream;
import io.vdfs.datanode.transfer.TransferContext;
import io.vdfs.datanode.transfer.TransferCounter;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * Answers one question about a replica, or changes it, on a thread that may block. A change whose
 * asker went away is carried out all the same. A question that only nodes may ask takes two steps:
 * one that asks for a nonce, and one with a proof for it. Confined to the connection's event loop,
 * except for {@link #answer}.
 *
 * <pre>
 *   ASKED --challenge--> CHALLENGED --question--> ASKED
 *
 *   ASKED --in memory--> RUNNING --answer--> ENDED
 *      \                    \--gone--> GIVEN_UP --done--^
 *       \--gone------------------------------------------^ (also from CHALLENGED)
 * </pre>
 */
public final class ReplicaQuestion implements ServerStream {
  private enum State {
    ASKED,
    /** The nonce was sent; a peer that has it may ask once. */
    CHALLENGED,
    RUNNING,
    /** The peer no longer waits for the answer, but the request is held until there is one. */
    GIVEN_UP,
    ENDED
  }

  private static final SecureRandom RANDOM = new SecureRandom();

  private final TransferContext context;
  private final Outlet outlet;
  private State state = State.ASKED;
  private ByteString nonce = ByteString.EMPTY;
  private CompletableFuture<Void> warm;

  public ReplicaQuestion(TransferContext context, Outlet outlet) {
    this.context = context;
    this.outlet = outlet;
  }

  @Override
  public void open(Frame frame) throws VdfsException {
    ReplicaRequest request = frame.header(ReplicaRequest.parser());
    if (request.hasChallenge()) {
      challenge();
    } else if (isForNodes(request)) {
      refuse(NodeProofs.refusal(request));
    } else {
      ask(request);
    }
  }

  private void challenge() {
    byte[] random = new byte[NodeProofs.NONCE_BYTES];
    RANDOM.nextBytes(random);
    nonce = ByteString.copyFrom(random);
    state = State.CHALLENGED;
    outlet.send(FrameType.REPLICA_RESPONSE, ReplicaResponse.newBuilder().setNonce(nonce).build());
  }

  /** Whether a request changes replicas, or has the disk work for long. */
  private static boolean isForNodes(ReplicaRequest request) {
    return switch (request.getOpCase()) {
      case FENCE_EPOCH, TRUNCATE, VERIFY, COPY -> true;
      case VISIBLE_LENGTH, CHECKSUMS, DIGESTS, DOUBT, CHALLENGE, OP_NOT_SET -> false;
    };
  }

  private void refuse(VdfsException why) {
    context.counters().increment(TransferCounter.PROOFS_REFUSED);
    state = State.RUNNING;
    send(error(why));
  }

  private void ask(ReplicaRequest request) throws VdfsException {
    FileKey file = WireIds.fileKey(request.getFile());
    if (!request.hasDigests()) {
      run(file, request);
      return;
    }
    RangeDigest range = RangeDigest.of(file, request.getDigests(), context.geometry());
    warm = context.reads().warm(outlet.host(), file, range.block(), range.offset(), range.length());
    var unused =
        warm.whenComplete(
            (done, failure) ->
                outlet.loop().execute(() -> onWarm(file, request, Optional.ofNullable(failure))));
  }

  /**
   * Does not read a range that was refused its turn; one that failed otherwise fails again, and
   * says why.
   *
   * @param failure empty if the range is in memory
   */
  private void onWarm(FileKey file, ReplicaRequest request, Optional<Throwable> failure) {
    Optional<VdfsException> refused =
        failure.map(Causes::asVdfs).filter(cause -> cause.code() == ErrorCode.UNAVAILABLE);
    if (refused.isPresent() && state != State.ENDED) {
      state = State.RUNNING;
      send(error(refused.get()));
    } else {
      run(file, request);
    }
  }

  private void run(FileKey file, ReplicaRequest request) {
    if (state == State.ENDED) {
      return;
    }
    state = State.RUNNING;
    try {
      executorFor(request)
          .execute(
              () -> {
                ReplicaResponse response = answer(file, request);
                outlet.loop().execute(() -> send(response));
              });
    } catch (RejectedExecutionException e) {
      send(error(new VdfsException(ErrorCode.UNAVAILABLE, "the node stops or is overloaded", e)));
    }
  }

  private Executor executorFor(ReplicaRequest request) {
    return switch (request.getOpCase()) {
      case FENCE_EPOCH, TRUNCATE -> context.threads().recovery();
      case VERIFY ->
          request.getVerify().getInTurns()
              ? context.threads().readBacks()
              : context.threads().bulk();
      case COPY -> context.threads().bulk();
      case VISIBLE_LENGTH, CHECKSUMS, DIGESTS, DOUBT, CHALLENGE, OP_NOT_SET ->
          context.threads().disk();
    };
  }

  @Override
  public void onFrame(Frame frame) throws VdfsException {
    if (state != State.CHALLENGED || frame.type() != FrameType.REPLICA_REQUEST) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT, "a question takes no further frames: frame=" + frame);
    }
    ReplicaRequest request = frame.header(ReplicaRequest.parser());
    state = State.ASKED;
    try {
      context.peers().proofs().require(request, nonce);
    } catch (VdfsException e) {
      refuse(e);
      return;
    }
    ask(request);
  }

  @Override
  public void onWritabilityChanged() {
    // one small answer is never held back
  }

  @Override
  public void onGone() {
    if (state == State.ASKED || state == State.CHALLENGED) {
      if (warm != null) {
        warm.cancel(false);
      }
      end();
    } else if (state == State.RUNNING) {
      state = State.GIVEN_UP;
    }
  }

  private void send(ReplicaResponse response) {
    if (state == State.RUNNING) {
      context.counters().increment(TransferCounter.REPLICA_REQUESTS);
      outlet.send(FrameType.REPLICA_RESPONSE, response);
    }
    end();
  }

  private void end() {
    state = State.ENDED;
    outlet.end();
  }

  private ReplicaResponse answer(FileKey file, ReplicaRequest request) {
    try {
      context.checkAddressee(request.getClusterId(), request.getNode());
      return carryOut(file, request);
    } catch (VdfsException | RuntimeException | Error e) {
      return error(Causes.asVdfs(e));
    }
  }

  private ReplicaResponse carryOut(FileKey file, ReplicaRequest request) throws VdfsException {
    BlockStore store = context.store();
    int group = request.getGroup();
    if (group < 0) {
      throw new VdfsException(ErrorCode.INVALID_ARGUMENT, "no such group: group=" + group);
    }
    return switch (request.getOpCase()) {
      case VISIBLE_LENGTH -> visibleLength(file, group, WireIds.leaseBound(request.getLease()));
      case FENCE_EPOCH -> {
        GroupState held = store.fence(file, group, Integer.toUnsignedLong(request.getFenceEpoch()));
        LeaseBound lease = WireIds.leaseBound(request.getLease());
        yield stateOf(store.group(file, group, lease)).setHeld(held.length()).build();
      }
      case VERIFY -> verify(file, request);
      case COPY -> {
        copy(file, group, request.getCopy());
        yield heldOf(store.group(file, group));
      }
      case TRUNCATE -> {
        TruncateGroup cut = request.getTruncate();
        store.truncateGroup(
            file, group, cut.getLength(), Integer.toUnsignedLong(cut.getWriteEpoch()));
        yield heldOf(store.group(file, group));
      }
      case CHECKSUMS -> {
        GroupState before = store.group(file, group);
        yield stateOf(before)
            .addAllBlockChecksums(GroupChecksums.of(store, context.geometry(), file, group))
            .build();
      }
      case DIGESTS -> digest(file, request);
      case DOUBT -> {
        doubt(file, group, request.getDoubt().getBlock());
        yield ReplicaResponse.getDefaultInstance();
      }
      case CHALLENGE ->
          throw new VdfsException(
              ErrorCode.INVALID_ARGUMENT, "a challenge is followed by what is asked");
      case OP_NOT_SET ->
          throw new VdfsException(ErrorCode.UNSUPPORTED, "this release does not know the question");
    };
  }

  /** A writer that opens the group meanwhile adds to what is there, one that ends leaves it. */
  private ReplicaResponse visibleLength(FileKey file, int group, LeaseBound lease) {
    boolean beingWritten = context.store().isWriting(file, group);
    return stateOf(context.store().group(file, group, lease)).setBeingWritten(beingWritten).build();
  }

  private ReplicaResponse digest(FileKey file, ReplicaRequest request) throws VdfsException {
    RangeDigest range = RangeDigest.of(file, request.getDigests(), context.geometry());
    try {
      return ReplicaResponse.newBuilder()
          .addAllPartChecksums(range.read(context.reads(), context.geometry().chunkSize()))
          .build();
    } catch (VdfsException e) {
      if (e.code() == ErrorCode.CORRUPT) {
        int group = context.geometry().groupOfBlock(range.block());
        doubt(file, group, (int) (range.block() % context.geometry().groupBlocks()));
      }
      throw e;
    }
  }

  /**
   * A peer found a block damaged; the scrubber verifies it itself.
   *
   * @param inGroup number of the block in its group
   */
  private void doubt(FileKey file, int group, int inGroup) throws VdfsException {
    int blocks = context.geometry().groupBlocks();
    if (inGroup < 0 || inGroup >= blocks) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "no such block in a group: block=%s, blocks=%s"
              .formatted(Integer.toUnsignedString(inGroup), blocks));
    }
    boolean taken =
        context.doubts().add(new DoubtedBlocks.Doubt(file, group, (long) group * blocks + inGroup));
    context
        .counters()
        .increment(taken ? TransferCounter.DOUBTS_TAKEN : TransferCounter.DOUBTS_DROPPED);
  }

  private ReplicaResponse verify(FileKey file, ReplicaRequest request) throws VdfsException {
    context.counters().increment(TransferCounter.GROUPS_VERIFIED);
    VerifiedGroup found =
        context
            .store()
            .verify(
                file,
                request.getGroup(),
                WireIds.leaseBound(request.getLease()),
                request.getVerify().getMarksList(),
                request.getVerify().getInTurns() ? ReadPace.IN_TURNS : ReadPace.AT_ONCE);
    for (int block = 0; block < found.blocks().size(); block++) {
      if (found.blocks().get(block).isDamaged()) {
        doubt(file, request.getGroup(), block);
      }
    }
    return VerifiedGroups.encode(found, context.geometry());
  }

  private void copy(FileKey file, int group, CopyGroup copy) throws VdfsException {
    context.counters().increment(TransferCounter.GROUPS_COPIED);
    new GroupCopy(context, file, group, copy).run();
    context
        .store()
        .truncateGroup(file, group, copy.getLength(), Integer.toUnsignedLong(copy.getWriteEpoch()));
  }

  private static ReplicaResponse heldOf(GroupState state) {
    return stateOf(state).setHeld(state.length()).build();
  }

  private static ReplicaResponse.Builder stateOf(GroupState state) {
    long epoch = Math.max(state.contentEpoch(), state.fenceEpoch());
    return ReplicaResponse.newBuilder().setLength(state.length()).setWriteEpoch((int) epoch);
  }

  private static ReplicaResponse error(VdfsException failure) {
    return ReplicaResponse.newBuilder().setError(WireIds.encode(failure)).build();
  }
}
