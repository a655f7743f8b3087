package io.vdfs.datanode.meta.raft;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.rpc.Errors;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.meta.ReplicatedState;
import io.vdfs.datanode.meta.group.GroupCounter;
import io.vdfs.datanode.meta.level.FeatureLevels;
import io.vdfs.datanode.meta.raft.batch.BatchCodec;
import io.vdfs.datanode.meta.raft.batch.RequestBatch;
import io.vdfs.datanode.meta.raft.batch.ResponseBatch;
import io.vdfs.datanode.meta.raft.disk.RatisFiles;
import io.vdfs.datanode.meta.raft.disk.SnapshotFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.StateMachineStorage;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.util.LifeCycle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows a {@link ReplicatedState} to Ratis as a state machine. Called on threads of Ratis; whatever
 * touches the state is handed to the metadata loop, which keeps Ratis' order.
 */
final class MetadataStateMachine extends BaseStateMachine {
  private static final Logger LOG = LoggerFactory.getLogger(MetadataStateMachine.class);

  private final ReplicatedState state;
  private final MetadataLoop loop;
  private final Leadership leadership;
  private final Counters<GroupCounter> counters;
  private final RatisFiles files;
  private final SnapshotFiles snapshots = new SnapshotFiles();
  private final SnapshotTaker taker;
  private volatile int level;

  MetadataStateMachine(
      ReplicatedState state,
      MetadataLoop loop,
      Leadership leadership,
      Counters<GroupCounter> counters,
      RatisFiles files) {
    this.state = state;
    this.loop = loop;
    this.leadership = leadership;
    this.counters = counters;
    this.files = files;
    this.taker = new SnapshotTaker(snapshots, state, loop, counters);
    this.level = state.level();
  }

  /** The feature levels that this member can carry out. */
  FeatureLevels levels() {
    return state.levels();
  }

  /** The feature level in force, as far as this member has applied the log. */
  int level() {
    return level;
  }

  @Override
  public void initialize(RaftServer server, RaftGroupId groupId, RaftStorage storage)
      throws IOException {
    super.initialize(server, groupId, storage);
    getLifeCycle()
        .startAndTransition(
            () -> {
              snapshots.open(storage);
              load();
            },
            IOException.class);
  }

  @Override
  public StateMachineStorage getStateMachineStorage() {
    return snapshots.storage();
  }

  /**
   * Called when a snapshot of the leader has arrived, before it is moved in place; {@link
   * #reinitialize} follows.
   */
  @Override
  public void pause() {
    getLifeCycle().transition(LifeCycle.State.PAUSING);
    try {
      files.forceArrived();
    } catch (IOException e) {
      loop.failLater(e);
      throw new UncheckedIOException(e); // the snapshot before it stays
    }
    getLifeCycle().transition(LifeCycle.State.PAUSED);
  }

  @Override
  public void reinitialize() throws IOException {
    files.forcePlaced();
    try {
      load();
    } catch (VdfsException e) {
      loop.failLater(e);
      throw e;
    }
    if (getLifeCycleState() == LifeCycle.State.PAUSED) {
      getLifeCycle().transition(LifeCycle.State.STARTING);
      getLifeCycle().transition(LifeCycle.State.RUNNING);
    }
  }

  private void load() throws IOException {
    taker.abandon();
    TermIndex loaded =
        await(
            () -> {
              TermIndex applied = snapshots.loadLatest(state);
              setLastAppliedTermIndex(applied);
              level = state.level();
              return applied;
            });
    LOG.info("metadata state loaded: applied={}", loaded);
  }

  /**
   * Called before log entries are forced, which is before they are acknowledged. Failing ends the
   * member.
   */
  @Override
  public CompletableFuture<Void> flush(long index) {
    try {
      files.forceNames();
      return CompletableFuture.completedFuture(null);
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Override
  public TransactionContext startTransaction(RaftClientRequest request) {
    RequestBatch batch = (RequestBatch) request.getMessage();
    return TransactionContext.newBuilder()
        .setStateMachine(this)
        .setClientRequest(request)
        .setLogData(batch.getContent())
        .setStateMachineContext(batch)
        .build();
  }

  /**
   * Applies an entry. One that can't be read, or is above the feature level of this release, stops
   * the member for good, before it: going on without it, or refusing it, would make the member
   * differ from the others.
   */
  @Override
  public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
    LogEntryProto entry = transaction.getLogEntry();
    long term = entry.getTerm();
    long index = entry.getIndex();
    boolean ours = transaction.getStateMachineContext() instanceof RequestBatch;
    List<MetaRequest> requests = requests(transaction, entry);
    return loop.call(
        () -> {
          List<MetaResponse> responses = all(requests, state::apply);
          level = state.level();
          updateLastAppliedTermIndex(term, index);
          counters.increment(GroupCounter.APPLIED);
          return ours ? new ResponseBatch(responses) : Message.EMPTY;
        });
  }

  private List<MetaRequest> requests(TransactionContext transaction, LogEntryProto entry) {
    if (transaction.getStateMachineContext() instanceof RequestBatch batch) {
      return batch.requests();
    }
    try {
      return BatchCodec.decode(
          entry.getStateMachineLogEntry().getLogData().asReadOnlyByteBuffer(), state.levels());
    } catch (VdfsException e) {
      VdfsException cause =
          new VdfsException(
              e.code(),
              "stopped before a log entry that can't be read: term=%d, index=%d, error=%s"
                  .formatted(entry.getTerm(), entry.getIndex(), e.getMessage()),
              e);
      loop.failLater(cause); // whatever comes after this entry finds the loop failed
      throw new IllegalStateException(cause);
    }
  }

  @Override
  public CompletableFuture<Message> query(Message request) {
    List<MetaRequest> requests = ((RequestBatch) request).requests();
    return loop.call(() -> new ResponseBatch(all(requests, state::query)));
  }

  /** As {@link ReplicatedState#recall}. */
  CompletableFuture<Optional<MetaResponse>> recall(MetaRequest request, long ageMillis) {
    return loop.call(() -> state.recall(request, ageMillis));
  }

  /** One response per request; a request that the state chokes on fails alone. */
  private static List<MetaResponse> all(
      List<MetaRequest> requests, Function<MetaRequest, MetaResponse> step) {
    List<MetaResponse> responses = new ArrayList<>(requests.size());
    for (MetaRequest request : requests) {
      responses.add(one(request, step));
    }
    return responses;
  }

  private static MetaResponse one(MetaRequest request, Function<MetaRequest, MetaResponse> step) {
    try {
      return step.apply(request);
    } catch (RuntimeException e) {
      LOG.error("request failed inside the state: op={}", request.getOpCase(), e);
      return Errors.response(
          ErrorCode.INTERNAL,
          "request failed inside the state: op=%s, error=%s".formatted(request.getOpCase(), e));
    }
  }

  /**
   * Takes a snapshot while requests go on, or, where the server is being closed, at once and to its
   * end. Any failure is an IOException; after any other exception Ratis would ask again for ever
   * and never close.
   */
  @Override
  public long takeSnapshot() throws IOException {
    try {
      boolean closing = getServer().join().getLifeCycleState().isClosingOrClosed();
      return closing
          ? taker.take(this::getLastAppliedTermIndex)
          : taker.goOn(this::getLastAppliedTermIndex);
    } catch (RuntimeException e) {
      throw new IOException("no snapshot taken: error=" + e, e);
    }
  }

  private <T> T await(Callable<T> task) throws IOException {
    try {
      return loop.call(task).join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof IOException io) {
        throw io;
      }
      throw e;
    }
  }

  @Override
  public void notifyTermIndexUpdated(long term, long index) {
    onLoop(() -> updateLastAppliedTermIndex(term, index));
  }

  @Override
  public void notifyLeaderReady() {
    long term = term();
    onLoop(() -> leadership.onReady(term));
  }

  private long term() {
    try {
      return getServer().join().getDivision(getGroupId()).getInfo().getCurrentTerm();
    } catch (IOException e) {
      throw new IllegalStateException("no division of the group: group=" + getGroupId(), e);
    }
  }

  @Override
  public void notifyNotLeader(Collection<TransactionContext> pendingEntries) {
    onLoop(leadership::onNotLeader);
  }

  @Override
  public void notifyLogFailed(Throwable cause, LogEntryProto failedEntry) {
    onLoop(() -> loop.fail(cause));
  }

  private void onLoop(Runnable task) {
    var unused =
        loop.call(
                () -> {
                  task.run();
                  return null;
                })
            .exceptionally(
                e -> {
                  LOG.warn("notice of Ratis lost: error={}", String.valueOf(e));
                  return null;
                });
  }

  @Override
  public void close() {
    getLifeCycle().checkStateAndClose(() -> onLoop(leadership::onNotLeader));
  }
}
