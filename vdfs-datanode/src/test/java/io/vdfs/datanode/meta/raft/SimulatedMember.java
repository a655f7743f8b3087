package io.vdfs.datanode.meta.raft;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.rpc.Errors;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.CallerProto;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.loop.ServiceLoop;
import io.vdfs.datanode.meta.MetadataHarness;
import io.vdfs.datanode.meta.ReplicatedState;
import io.vdfs.datanode.meta.raft.batch.BatchCodec;
import io.vdfs.datanode.meta.raft.batch.RequestPacker;
import io.vdfs.datanode.meta.ring.RingPatience;
import io.vdfs.datanode.meta.service.DeletionWorker;
import io.vdfs.datanode.meta.service.LeaderServices;
import io.vdfs.datanode.meta.service.LeaderSurroundings;
import io.vdfs.datanode.meta.service.LeaseSettings;
import io.vdfs.datanode.meta.service.edge.FileRemover;
import io.vdfs.datanode.meta.service.edge.LeaderCalls;
import io.vdfs.datanode.meta.service.ring.RingFigures;
import io.vdfs.datanode.meta.service.ring.RingKeeping;
import io.vdfs.datanode.meta.state.FlushedLengths;
import io.vdfs.datanode.meta.state.LeaseHolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * A member from one start to its crash: packers, state and services as in a daemon, on the
 * simulation's thread. What a crash leaves is a snapshot.
 */
final class SimulatedMember implements LeaderCalls {
  /** A state as of so many log entries. */
  record Snapshot(ByteString bytes, int entries) {}

  /** A batch that is on its way into the log. */
  record Entry(List<MetaRequest> batch, CompletableFuture<List<MetaResponse>> outcome) {}

  /** Real time plays no part: nothing is left to the packers' own limits. */
  private static final RequestPacker.Limits LIMITS =
      new RequestPacker.Limits(64 << 10, 16, 8_192, Duration.ofDays(1));

  private static final LeaseSettings LEASES =
      new LeaseSettings(
          Duration.ofSeconds(1),
          Duration.ofSeconds(4),
          Duration.ofMillis(500),
          Duration.ofMillis(200),
          Duration.ofMillis(100),
          Duration.ofSeconds(10),
          Duration.ofSeconds(2));

  final NodeId id;
  final Deque<Entry> pending = new ArrayDeque<>();

  private final SimulatedGroup group;
  private final SimulatedTime time;
  private final ReplicatedState state;
  private final Loop loop = new Loop();
  private final LeaderServices services;
  private final RequestPacker mutations;
  private final RequestPacker queries;
  private final int clockSkewMillis;
  private int applied;
  private boolean crashed;

  SimulatedMember(SimulatedGroup group, NodeId id, Optional<Snapshot> snapshot) {
    this.group = group;
    this.time = group.time();
    this.id = id;
    this.state = group.newState();
    this.clockSkewMillis = time.random.nextInt(4_000);
    snapshot.ifPresent(this::load);
    services =
        new LeaderServices(
            new LeaderSurroundings(
                group.stores(),
                () -> Optional.of(group.ring()),
                MetadataHarness.GEOMETRY,
                LEASES,
                new FlushedLengths(),
                new RingKeeping(
                    Optional::empty, Set::of, 3, RingPatience.DEFAULT, new RingFigures())),
            loop);
    services.attach(this);
    mutations = new RequestPacker(this::append, BatchCodec::size, this::failure, LIMITS, loop);
    queries = new RequestPacker(this::read, BatchCodec::size, this::failure, LIMITS, loop);
    new DeletionWorker(
            id,
            request -> group.toLeader(request, MetadataHarness.ROOT, loop),
            new FileRemover() {
              @Override
              public void remove(FileKey file) throws IOException {
                group.stores().remove(id, file);
              }

              @Override
              public void force(long lastDeletion) {
                // what is removed there is gone
              }
            },
            Duration.ofMillis(300),
            Duration.ofMillis(500),
            loop)
        .start();
  }

  private void load(Snapshot snapshot) {
    try {
      state.load(snapshot.bytes().newInput());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    applied = snapshot.entries();
  }

  Snapshot snapshot() {
    ByteString.Output out = ByteString.newOutput();
    try {
      state.save(out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new Snapshot(out.toByteString(), applied);
  }

  ReplicatedState state() {
    return state;
  }

  boolean isLeader() {
    return group.leader().filter(leader -> leader == this).isPresent();
  }

  void crash() {
    crashed = true;
  }

  void onLeader(long term) {
    services.onLeader(term);
  }

  /** Forgets what is under way; its callers learn that there is no outcome. */
  void onFollower() {
    services.onFollower();
    for (Entry entry : pending) {
      entry.outcome().completeExceptionally(new IOException("deposed"));
    }
    pending.clear();
  }

  /** Carries out what is committed and not yet carried out here. */
  void catchUp() {
    if (crashed) {
      return;
    }
    while (applied < group.log().size()) {
      List<MetaRequest> batch = group.entry(applied);
      List<MetaResponse> responses = new ArrayList<>();
      for (MetaRequest request : batch) {
        responses.add(state.apply(request));
      }
      group.onApplied(applied, batch, responses);
      applied++;
    }
  }

  CompletableFuture<MetaResponse> dispatch(MetaRequest request, CallerProto caller) {
    if (!isLeader()) {
      return CompletableFuture.completedFuture(
          Errors.notLeader(group.leader().map(leader -> leader.id), "planted"));
    }
    MetaRequest.Builder prepared =
        request.toBuilder().setCaller(caller).setTimeMillis(time.millis() + clockSkewMillis);
    switch (request.getOpCase()) {
      case COMPLETE -> prepared.getCompleteBuilder().setRequiredCopies(2);
      case ACK_DELETIONS ->
          group
              .stores()
              .nodes()
              .forEach(node -> prepared.getAckDeletionsBuilder().addNodes(WireIds.encode(node)));
      default -> {
        // goes as it is
      }
    }
    return switch (request.getOpCase()) {
      case GET_STATUS, LIST_LEASES, RECLAIM_STATUS, POLL_DELETIONS ->
          group.expect(queries.add(prepared.build()));
      case RENEW_LEASE -> services.renewLease(request.getRenewLease(), caller);
      case RECOVER_LEASE -> services.recoverLease(request.getRecoverLease(), caller);
      default ->
          group
              .expect(mutations.add(prepared.build()))
              .thenApply(answer -> noted(request, caller, answer));
    };
  }

  private MetaResponse noted(MetaRequest request, CallerProto caller, MetaResponse answer) {
    if (!answer.hasError() && (request.hasCreate() || request.hasAppend())) {
      services.onSignOfLife(
          new LeaseHolder(
              request.hasCreate()
                  ? request.getCreate().getHolder()
                  : request.getAppend().getHolder(),
              caller.getUser()));
    }
    if (answer.getError().getCode().equals(ErrorCode.LEASE_CONFLICT.name())) {
      services.onLeaseConflict(
          request.hasCreate() ? request.getCreate().getPath() : request.getAppend().getPath());
    }
    return answer;
  }

  @Override
  public CompletableFuture<MetaResponse> call(MetaRequest request) {
    return callAs(request, MetadataHarness.ROOT);
  }

  @Override
  public CompletableFuture<MetaResponse> callAs(MetaRequest request, CallerProto caller) {
    return dispatch(group.identified(request), caller);
  }

  private CompletableFuture<List<MetaResponse>> append(List<MetaRequest> batch) {
    CompletableFuture<List<MetaResponse>> outcome = group.expect(new CompletableFuture<>());
    if (!isLeader()) {
      outcome.completeExceptionally(new IOException("not the leader"));
      return outcome;
    }
    Entry entry = new Entry(batch, outcome);
    pending.add(entry);
    time.within(
        8,
        () -> {
          if (!crashed && entry.equals(pending.peek())) {
            pending.remove();
            group.commit(entry);
          }
        });
    return outcome;
  }

  private CompletableFuture<List<MetaResponse>> read(List<MetaRequest> batch) {
    CompletableFuture<List<MetaResponse>> answer = group.expect(new CompletableFuture<>());
    time.within(
        3,
        () -> {
          if (crashed) {
            return;
          }
          if (!isLeader()) {
            answer.completeExceptionally(new IOException("not the leader any more"));
            return;
          }
          List<MetaResponse> responses = batch.stream().map(state::query).toList();
          for (int i = 0; i < batch.size(); i++) {
            if (batch.get(i).hasGetStatus()) {
              group.oracle().onStatus(batch.get(i).getGetStatus().getPath(), responses.get(i));
            }
          }
          answer.complete(responses);
        });
    return answer;
  }

  private MetaResponse failure(Throwable cause) {
    return Errors.response(ErrorCode.UNAVAILABLE, "no outcome: " + cause.getMessage());
  }

  /** The member's loop; it ends with the member. */
  private final class Loop implements ServiceLoop {
    @Override
    public void execute(Runnable task) {
      schedule(Duration.ZERO, task);
    }

    @Override
    public void schedule(Duration delay, Runnable task) {
      time.after(
          delay,
          () -> {
            if (!crashed) {
              task.run();
            }
          });
    }

    @Override
    public long nanoTime() {
      return time.nanos();
    }
  }
}
