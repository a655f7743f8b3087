package io.vdfs.datanode.meta.raft;

import io.vdfs.common.concurrent.Causes;
import io.vdfs.common.concurrent.DaemonThreads;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.rpc.Errors;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.meta.group.GroupCounter;
import io.vdfs.datanode.meta.group.GroupMemberSettings;
import io.vdfs.datanode.meta.group.GroupMemberSettings.Tuning;
import io.vdfs.datanode.meta.group.PeerReach;
import io.vdfs.datanode.meta.raft.batch.BatchCodec;
import io.vdfs.datanode.meta.raft.batch.RequestBatch;
import io.vdfs.datanode.meta.raft.batch.RequestPacker;
import io.vdfs.datanode.meta.raft.batch.ResponseBatch;
import io.vdfs.datanode.meta.raft.lease.QuorumLease;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.exceptions.LeaderNotReadyException;
import org.apache.ratis.protocol.exceptions.LeaderSteppingDownException;
import org.apache.ratis.protocol.exceptions.NotLeaderException;
import org.apache.ratis.protocol.exceptions.RaftException;
import org.apache.ratis.protocol.exceptions.StateMachineException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requests that come to this member: turned away unless it leads and hears a majority, packed, and
 * sent through the log or, where no other member can lead meanwhile, asked of the state at once.
 * Each gets an answer, an error if need be, unless it waits when this is closed. Thread-safe; sends
 * on two threads of its own.
 */
final class LeaderRequests implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LeaderRequests.class);

  private static final int BATCH_COUNT = 512;
  private static final int MAX_WAITING = 8_192;
  private static final int QUERY_BATCH_BYTES = 16 << 20;

  /** One for mutations, one for queries; a sender waits while Ratis takes a batch. */
  private static final int SENDERS = 2;

  private static final Executor LEASE_RETRY =
      CompletableFuture.delayedExecutor(5, TimeUnit.MILLISECONDS);

  private final GroupMemberSettings settings;
  private final OwnDivision own;
  private final MetadataStateMachine machine;
  private final QuorumLease lease;
  private final PeerReach reach;
  private final Counters<GroupCounter> counters;
  private final LeaderWatch watch;
  private final RaftGroupId groupId;
  private final RaftPeerId self;

  private final ClientId clientId = ClientId.randomId();
  private final AtomicLong callIds = new AtomicLong();
  private final ExecutorService senders;
  private final RequestPacker mutations;
  private final RequestPacker queries;

  /**
   * @param own not closed here, nor is {@code machine}
   * @param reach asked which members answer where there is no majority
   */
  LeaderRequests(
      GroupMemberSettings settings,
      OwnDivision own,
      MetadataStateMachine machine,
      QuorumLease lease,
      PeerReach reach,
      Counters<GroupCounter> counters) {
    this.settings = settings;
    this.own = own;
    this.machine = machine;
    this.lease = lease;
    this.reach = reach;
    this.counters = counters;
    this.groupId = RaftGroupId.valueOf(settings.groupId());
    this.self = RaftPeerId.valueOf(settings.self().toString());
    Tuning tuning = settings.tuning();
    this.watch = new LeaderWatch(tuning.electionTimeoutMax().multipliedBy(2), System::nanoTime);
    this.senders = senders();
    this.mutations = packer(this::append, tuning.maxEntryBytes() - BatchCodec.HEADER_BYTES);
    this.queries = packer(this::read, QUERY_BATCH_BYTES);
  }

  private RequestPacker packer(RequestPacker.Sender sender, int batchBytes) {
    return new RequestPacker(
        sender,
        BatchCodec::size,
        this::failure,
        new RequestPacker.Limits(
            batchBytes, BATCH_COUNT, MAX_WAITING, settings.tuning().requestLimit()),
        senders);
  }

  /** Once shut down, they drop new tasks; the callers get an answer when their time is up. */
  private static ExecutorService senders() {
    return new ThreadPoolExecutor(
        SENDERS,
        SENDERS,
        0,
        TimeUnit.SECONDS,
        new LinkedBlockingQueue<>(),
        DaemonThreads.numbered("vdfs-metadata-sender"),
        new ThreadPoolExecutor.DiscardPolicy());
  }

  /** As {@code GroupMember#submit}. */
  CompletableFuture<MetaResponse> submit(MetaRequest request) {
    return turnedAway()
        .or(() -> refusal(request))
        .map(CompletableFuture::completedFuture)
        .orElseGet(() -> mutations.add(request));
  }

  /** As {@code GroupMember#recall}. */
  CompletableFuture<Optional<MetaResponse>> recall(MetaRequest request, long ageMillis) {
    Optional<MetaResponse> refused = turnedAway();
    if (refused.isPresent()) {
      return CompletableFuture.completedFuture(refused);
    }
    return machine
        .recall(request, ageMillis)
        .thenApplyAsync(Function.identity(), senders)
        .orTimeout(settings.tuning().requestLimit().toMillis(), TimeUnit.MILLISECONDS)
        .exceptionally(e -> Optional.of(failure(Causes.of(e))));
  }

  /** As {@code GroupMember#query}. */
  CompletableFuture<MetaResponse> query(MetaRequest request) {
    return turnedAway()
        .map(CompletableFuture::completedFuture)
        .orElseGet(() -> queries.add(request));
  }

  private Optional<MetaResponse> turnedAway() {
    if (!own.isLeader()) {
      return Optional.of(notLeader());
    }
    return lease.isLost(settings.self(), own.configuration())
        ? Optional.of(noMajority("the leader reaches no majority"))
        : Optional.empty();
  }

  /** Refuses what must not stand in the log, as each member would have to carry it out. */
  private Optional<MetaResponse> refusal(MetaRequest request) {
    try {
      machine.levels().requireLoggable(request, machine.level());
      return Optional.empty();
    } catch (VdfsException e) {
      return Optional.of(Errors.response(e));
    }
  }

  private CompletableFuture<List<MetaResponse>> append(List<MetaRequest> batch) {
    int level = machine.levels().after(batch, machine.level());
    RequestBatch entry = RequestBatch.ofMutations(level, batch);
    counters.increment(GroupCounter.ENTRIES);
    counters.add(GroupCounter.ENTRY_REQUESTS, batch.size());
    counters.add(GroupCounter.ENTRY_BYTES, entry.getContent().size());
    return send(entry, RaftClientRequest.writeRequestType());
  }

  private CompletableFuture<List<MetaResponse>> read(List<MetaRequest> batch) {
    counters.increment(GroupCounter.READ_BATCHES);
    counters.add(GroupCounter.READ_REQUESTS, batch.size());
    RequestBatch queries = RequestBatch.ofQueries(batch);
    long term = own.term();
    if (!own.isLeader()) {
      return readThroughRatis(queries);
    }
    // ready in this term: what was acknowledged before waits before this in the loop
    return machine
        .query(queries)
        .thenCompose(
            answer ->
                ledThroughout(term)
                    ? CompletableFuture.completedFuture(direct(answer))
                    : CompletableFuture.supplyAsync(() -> queries, senders)
                        .thenCompose(this::readThroughRatis));
  }

  /** Whether it is certain that no other member has led since this member was ready to lead. */
  private boolean ledThroughout(long term) {
    return lease.isValid(settings.self(), own.configuration())
        && own.isLeader()
        && own.term() == term;
  }

  private List<MetaResponse> direct(Message answer) {
    counters.increment(GroupCounter.DIRECT_READ_BATCHES);
    return ((ResponseBatch) answer).responses();
  }

  private CompletableFuture<List<MetaResponse>> readThroughRatis(RequestBatch queries) {
    long term = own.term();
    return send(queries, RaftClientRequest.readRequestType())
        .thenCompose(responses -> onceConfirmed(responses, term));
  }

  /** Lets an answer out when it is certain that this member led when the answer was made. */
  private CompletableFuture<List<MetaResponse>> onceConfirmed(
      List<MetaResponse> responses, long term) {
    if (ledThroughout(term)) {
      return CompletableFuture.completedFuture(responses);
    }
    if (!own.isLeader() || own.term() != term) {
      return CompletableFuture.failedFuture(
          new LeaderSteppingDownException("leadership lost during a read: node=" + self));
    }
    lease.renew();
    return CompletableFuture.supplyAsync(() -> responses, LEASE_RETRY)
        .thenCompose(late -> onceConfirmed(late, term));
  }

  private CompletableFuture<List<MetaResponse>> send(
      RequestBatch batch, RaftClientRequest.Type type) {
    RaftClientRequest request =
        RaftClientRequest.newBuilder()
            .setClientId(clientId)
            .setServerId(self)
            .setGroupId(groupId)
            .setCallId(callIds.incrementAndGet())
            .setMessage(batch)
            .setType(type)
            .build();
    try {
      return own.requests()
          .submitClientRequestAsync(request)
          .thenCompose(LeaderRequests::responses);
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static CompletableFuture<List<MetaResponse>> responses(RaftClientReply reply) {
    RaftException failure = reply.getException();
    if (failure != null) {
      return CompletableFuture.failedFuture(failure);
    }
    if (reply.getMessage() instanceof ResponseBatch batch) {
      return CompletableFuture.completedFuture(batch.responses());
    }
    return CompletableFuture.failedFuture(
        new IllegalStateException("reply without responses: reply=" + reply));
  }

  private MetaResponse failure(Throwable cause) {
    if (cause instanceof NotLeaderException || cause instanceof LeaderSteppingDownException) {
      return notLeader();
    }
    if (cause instanceof LeaderNotReadyException) {
      return Errors.response(ErrorCode.UNAVAILABLE, "the leader is not ready yet: node=" + self);
    }
    if (cause instanceof StateMachineException || cause instanceof IllegalStateException) {
      LOG.error("metadata request failed: node={}", self, cause);
      return Errors.response(ErrorCode.INTERNAL, "metadata request failed: error=" + cause);
    }
    return Errors.response(
        ErrorCode.UNAVAILABLE,
        "no outcome, the request happened or not: node=%s, error=%s".formatted(self, cause));
  }

  private MetaResponse notLeader() {
    Optional<NodeId> leader = own.leader().filter(id -> !id.equals(settings.self()));
    if (watch.isLeaderless(leader.isPresent())) {
      return noMajority("the metadata group has no leader");
    }
    return Errors.notLeader(
        leader,
        "not the leader: node=%s, leader=%s"
            .formatted(settings.self(), leader.map(NodeId::toString).orElse("unknown")));
  }

  private MetaResponse noMajority(String what) {
    if (own.isStarting()) {
      return Errors.response(
          ErrorCode.UNAVAILABLE,
          "starting: this node waits for a majority of the metadata members: node=%s, members: %s"
              .formatted(settings.self(), reach.describe(own.configuration().members())));
    }
    return Errors.response(
        ErrorCode.UNAVAILABLE,
        ("%s, a majority of its members must run: node=%s, members: %s; start those that do not"
                + " answer, or see 'When a majority of the metadata is lost' in"
                + " docs/operations/failures.md")
            .formatted(what, settings.self(), reach.describe(own.configuration().members())));
  }

  /** Requests that wait to be sent get no answer. Idempotent. */
  @Override
  public void close() {
    senders.shutdown();
  }
}
