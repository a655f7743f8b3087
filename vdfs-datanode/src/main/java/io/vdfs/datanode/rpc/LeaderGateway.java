package io.vdfs.datanode.rpc;

import io.vdfs.common.concurrent.DaemonThreads;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.rpc.ControlMethods;
import io.vdfs.common.rpc.Errors;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.CallerProto;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.rpc.request.CallIds;
import io.vdfs.datanode.rpc.request.Callers;
import io.vdfs.datanode.rpc.request.MetadataDispatcher;
import java.io.Closeable;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * The way from this node to the leader of the metadata, wherever that is: within the process if
 * this node leads, by a call as a node else. Goes on through a change of leader, for a bounded
 * time; all attempts of a request carry one call id, and each but the first says how long ago that
 * was. Thread-safe; futures never fail and complete on any thread.
 */
public final class LeaderGateway implements Closeable {
  private static final Duration FIRST_PAUSE = Duration.ofMillis(50);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(1);
  private static final int MAX_REDIRECTS = 2;
  private static final int MAX_UNDER_WAY = 2_000;

  private final Supplier<Optional<MetadataDispatcher>> local;
  private final NodeId self;
  private final MetadataAddresses addresses;
  private final NodeClient client;
  private final Callers callers;
  private final CallIds callIds;
  private final Duration limit;
  private final ScheduledThreadPoolExecutor executor;
  private final AtomicInteger underWay = new AtomicInteger();
  private volatile Optional<NodeId> knownLeader = Optional.empty();

  /**
   * @param local gives none while this node hosts no member of the metadata group
   * @param limit of a request over all attempts
   */
  public LeaderGateway(
      Supplier<Optional<MetadataDispatcher>> local,
      NodeId self,
      MetadataAddresses addresses,
      NodeClient client,
      Callers callers,
      CallIds callIds,
      Duration limit) {
    this.local = local;
    this.self = self;
    this.addresses = addresses;
    this.client = client;
    this.callers = callers;
    this.callIds = callIds;
    this.limit = limit;
    this.executor = new ScheduledThreadPoolExecutor(8, DaemonThreads.named("vdfs-leader-gateway"));
    executor.setRemoveOnCancelPolicy(true);
  }

  /** Asks the leader as this daemon. */
  public CompletableFuture<MetaResponse> call(MetaRequest request) {
    return call(request, callers.self());
  }

  /** Asks the leader in the name of {@code caller}. */
  public CompletableFuture<MetaResponse> call(MetaRequest request, CallerProto caller) {
    if (underWay.incrementAndGet() > MAX_UNDER_WAY) {
      underWay.decrementAndGet();
      return CompletableFuture.completedFuture(
          Errors.response(
              ErrorCode.UNAVAILABLE,
              "too many requests wait for the leader: limit=" + MAX_UNDER_WAY));
    }
    Call call = new Call(callIds.identify(request), caller);
    call.attempt();
    return call.answer
        .orTimeout(limit.toMillis(), TimeUnit.MILLISECONDS)
        .exceptionally(late -> call.tooLate())
        .whenComplete((response, error) -> underWay.decrementAndGet());
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }

  /** One request on its way. Its attempts follow each other, each on whatever thread. */
  private final class Call {
    private final MetaRequest request;
    private final CallerProto caller;
    private final long begin = System.nanoTime();
    private final long end = begin + limit.toNanos();
    private final CompletableFuture<MetaResponse> answer = new CompletableFuture<>();
    private int attempts; // by the attempt under way
    private volatile String last = "none";
    private int redirects;
    private Duration pause = FIRST_PAUSE;

    Call(MetaRequest request, CallerProto caller) {
      this.request = request;
      this.caller = caller;
    }

    void attempt() {
      attempts++;
      Optional<MetadataDispatcher> hosted = local.get();
      if (hosted.isPresent() && hosted.get().isLeader()) {
        var unused = hosted.get().dispatchOfNode(sent(), caller).thenAccept(this::onResponse);
        return;
      }
      try {
        executor.execute(() -> onResponse(ask(target())));
      } catch (RejectedExecutionException e) {
        answer.complete(Errors.response(ErrorCode.UNAVAILABLE, "this node is shutting down"));
      }
    }

    /** The request of the attempt under way; its age is rounded up, so that it has one. */
    private MetaRequest sent() {
      if (attempts == 1) {
        return request;
      }
      long ageMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin) + 1;
      return request.toBuilder().setTimeMillis(ageMillis).build();
    }

    /** The leader as last heard of, else the members in turn. */
    private Optional<NodeId> target() {
      Optional<NodeId> leader = knownLeader.or(this::toldByMember).filter(id -> !id.equals(self));
      if (leader.isPresent()) {
        return leader;
      }
      List<NodeId> others = addresses.members().stream().filter(id -> !id.equals(self)).toList();
      return others.isEmpty()
          ? Optional.empty()
          : Optional.of(others.get(attempts % others.size()));
    }

    /** The leader as this node's own member believes; not used every time, as it may be behind. */
    private Optional<NodeId> toldByMember() {
      return attempts % 2 == 1 ? local.get().flatMap(MetadataDispatcher::leader) : Optional.empty();
    }

    private MetaResponse ask(Optional<NodeId> target) {
      Optional<InetSocketAddress> address = target.flatMap(addresses::controlAddress);
      if (address.isEmpty()) {
        knownLeader = Optional.empty();
        return Errors.response(
            ErrorCode.UNAVAILABLE,
            "no metadata member to ask: node=%s, members=%s"
                .formatted(target.map(NodeId::toString).orElse("none"), addresses.members()));
      }
      MetaRequest passedOn = sent().toBuilder().setCaller(caller).build();
      try {
        MetaResponse response =
            client.call(
                target.orElseThrow(),
                address.get(),
                ControlMethods.META,
                passedOn,
                MetaResponse.parser());
        learn(target, response);
        return response;
      } catch (VdfsException e) {
        knownLeader = Optional.empty();
        return Errors.response(e);
      }
    }

    private void learn(Optional<NodeId> asked, MetaResponse response) {
      if (!isPassing(response)) {
        knownLeader = asked;
      } else if (response.hasError()) {
        knownLeader = Errors.leader(response.getError());
      }
    }

    private void onResponse(MetaResponse response) {
      if (!isPassing(response)) {
        answer.complete(response);
        return;
      }
      last = response.getError().getMessage();
      boolean redirected = Errors.leader(response.getError()).isPresent();
      if (redirected && redirects < MAX_REDIRECTS) {
        redirects++;
        attempt();
      } else if (System.nanoTime() + pause.toNanos() >= end) {
        answer.complete(tooLate());
      } else {
        redirects = 0;
        later();
      }
    }

    MetaResponse tooLate() {
      return Errors.response(
          ErrorCode.UNAVAILABLE,
          "the metadata leader doesn't answer: op=%s, limitMillis=%d, last=%s"
              .formatted(request.getOpCase(), limit.toMillis(), last));
    }

    private void later() {
      try {
        var unused = executor.schedule(this::attempt, pause.toNanos(), TimeUnit.NANOSECONDS);
        pause =
            pause.multipliedBy(2).compareTo(LONGEST_PAUSE) > 0
                ? LONGEST_PAUSE
                : pause.multipliedBy(2);
      } catch (RejectedExecutionException e) {
        answer.complete(Errors.response(ErrorCode.UNAVAILABLE, "this node is shutting down"));
      }
    }

    /** Whether another attempt may succeed. */
    private static boolean isPassing(MetaResponse response) {
      if (!response.hasError()) {
        return false;
      }
      ErrorCode code = WireIds.errorCode(response.getError());
      return code == ErrorCode.NOT_LEADER || code == ErrorCode.UNAVAILABLE;
    }
  }
}
