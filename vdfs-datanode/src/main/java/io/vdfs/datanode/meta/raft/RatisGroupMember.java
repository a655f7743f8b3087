package io.vdfs.datanode.meta.raft;

import com.google.common.util.concurrent.ThreadFactoryBuilder;
import io.vdfs.common.cluster.MetadataMember;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.rpc.Errors;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.meta.ReplicatedState;
import io.vdfs.datanode.meta.raft.GroupMemberSettings.Tuning;
import io.vdfs.datanode.meta.service.LeadershipListener;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.ratis.grpc.server.GrpcServicesImpl;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientAsynchronousProtocol;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.SetConfigurationRequest;
import org.apache.ratis.protocol.exceptions.LeaderNotReadyException;
import org.apache.ratis.protocol.exceptions.LeaderSteppingDownException;
import org.apache.ratis.protocol.exceptions.NotLeaderException;
import org.apache.ratis.protocol.exceptions.RaftException;
import org.apache.ratis.protocol.exceptions.SetConfigurationException;
import org.apache.ratis.protocol.exceptions.StateMachineException;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.util.LifeCycle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The metadata group on Ratis. Thread-safe. */
public final class RatisGroupMember implements GroupMember {
  private static final Logger LOG = LoggerFactory.getLogger(RatisGroupMember.class);

  private static final int BATCH_COUNT = 512;
  private static final int MAX_WAITING = 8_192;
  private static final int QUERY_BATCH_BYTES = 16 << 20;

  /** One for mutations, one for queries; a sender waits while Ratis takes a batch. */
  private static final int SENDERS = 2;

  private static final GroupConfiguration NOT_YET =
      new GroupConfiguration(-1, List.of(), List.of());

  private static final Executor LEASE_RETRY =
      CompletableFuture.delayedExecutor(5, TimeUnit.MILLISECONDS);

  private final GroupMemberSettings settings;
  private final MemberDirectory directory;
  private final MetadataLoop loop;
  private final MetadataStateMachine machine;
  private final RaftServer server;
  private final RaftGroupId groupId;
  private final RaftPeerId self;
  private final QuorumLease lease;
  private final LeaderWatch watch;
  private final Reconnector reconnector;
  private final Counters<GroupCounter> counters;
  private final PeerReach reach;

  private final ClientId clientId = ClientId.randomId();
  private final AtomicLong callIds = new AtomicLong();
  private final ExecutorService senders;
  private final RequestPacker mutations;
  private final RequestPacker queries;

  private volatile SeenConfiguration seen = new SeenConfiguration(null, NOT_YET);

  /** A configuration as Ratis has it, and what was read from it. */
  private record SeenConfiguration(RaftConfiguration raft, GroupConfiguration read) {}

  private RatisGroupMember(
      GroupMemberSettings settings,
      PeerReach reach,
      MemberDirectory directory,
      MetadataLoop loop,
      MetadataStateMachine machine,
      RaftServer server,
      QuorumLease lease,
      Counters<GroupCounter> counters) {
    this.settings = settings;
    this.directory = directory;
    this.loop = loop;
    this.machine = machine;
    this.server = server;
    this.groupId = RaftGroupId.valueOf(settings.groupId());
    this.self = server.getId();
    this.lease = lease;
    this.counters = counters;
    this.reach = reach;
    Tuning tuning = settings.tuning();
    this.watch = new LeaderWatch(tuning.electionTimeoutMax().multipliedBy(2), System::nanoTime);
    this.reconnector =
        Reconnector.start(
            (GrpcServicesImpl) server.getServerRpc(),
            this::others,
            () -> leader().isEmpty(),
            tuning.electionTimeoutMin());
    this.senders = senders();
    this.mutations =
        new RequestPacker(
            this::append,
            BatchCodec::size,
            this::failure,
            new RequestPacker.Limits(
                tuning.maxEntryBytes() - BatchCodec.HEADER_BYTES,
                BATCH_COUNT,
                MAX_WAITING,
                tuning.requestLimit()),
            senders);
    this.queries =
        new RequestPacker(
            this::read,
            BatchCodec::size,
            this::failure,
            new RequestPacker.Limits(
                QUERY_BATCH_BYTES, BATCH_COUNT, MAX_WAITING, tuning.requestLimit()),
            senders);
  }

  /** After the end they drop what comes; its callers get an answer when their time is up. */
  private static ExecutorService senders() {
    return new ThreadPoolExecutor(
        SENDERS,
        SENDERS,
        0,
        TimeUnit.SECONDS,
        new LinkedBlockingQueue<>(),
        new ThreadFactoryBuilder().setNameFormat("vdfs-metadata-sender-%d").setDaemon(true).build(),
        new ThreadPoolExecutor.DiscardPolicy());
  }

  /**
   * Starts a member; it finds the others and a leader in the background.
   *
   * @param state empty; replaced by what the directory holds, and from now on touched by the group
   *     alone
   * @param onFailure told, at most once, that this member cannot go on: the process should end
   * @param counters raised by the member
   * @param reach asked who answers where there is no majority
   * @throws VdfsException MISCONFIGURED if the directory is another's or can't be used, or the port
   *     is taken; CORRUPT if what the directory holds is damaged; IO_ERROR for the rest
   */
  public static GroupMember start(
      GroupMemberSettings settings,
      ReplicatedState state,
      LeadershipListener listener,
      Consumer<Throwable> onFailure,
      Counters<GroupCounter> counters,
      PeerReach reach)
      throws VdfsException {
    return start(settings, state, listener, onFailure, counters, reach, ReadGuards.of(settings));
  }

  /** As above, with guards of the caller's choice. */
  static GroupMember start(
      GroupMemberSettings settings,
      ReplicatedState state,
      LeadershipListener listener,
      Consumer<Throwable> onFailure,
      Counters<GroupCounter> counters,
      PeerReach reach,
      ReadGuards guards)
      throws VdfsException {
    requireFreePort(settings);
    MemberDirectory directory =
        MemberDirectory.open(settings.directory(), settings.groupId(), settings.self());
    MetadataLoop loop = new MetadataLoop("vdfs-metadata-loop", onFailure);
    RaftServer server = null;
    try {
      RaftGroupId groupId = RaftGroupId.valueOf(settings.groupId());
      MetadataStateMachine machine =
          new MetadataStateMachine(state, loop, new Leadership(listener), counters);
      Duration patience = settings.tuning().electionTimeoutMin();
      Duration abstinence = directory.hasPast() ? patience : Duration.ZERO;
      server =
          RaftServer.newBuilder()
              .setServerId(peerId(settings.self()))
              .setGroup(RaftGroup.valueOf(groupId, peers(settings.founders())))
              .setOption(RaftStorage.StartupOption.RECOVER)
              .setStateMachine(machine)
              .setProperties(
                  RatisProperties.of(
                      directory.data(),
                      settings.bindAddress(),
                      settings.own().raftPort(),
                      settings.tuning(),
                      guards.ratis(),
                      abstinence))
              .setParameters(
                  LeasedGrpcType.parameters(
                      guards.lease(), new VoteGuard(patience, abstinence, System::nanoTime)))
              .build();
      server.start();
      LOG.info(
          "metadata member started: node={}, group={}, founders={}",
          settings.self(),
          groupId,
          settings.founders());
      return new RatisGroupMember(
          settings, reach, directory, loop, machine, server, guards.lease(), counters);
    } catch (IOException | RuntimeException e) {
      closeAfter(e, server, directory);
      loop.close();
      throw startFailure(settings, e);
    }
  }

  /** Ratis ends the whole process where it can't bind its port, so see to it first. */
  private static void requireFreePort(GroupMemberSettings settings) throws VdfsException {
    int port = settings.own().raftPort();
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(settings.bindAddress(), port));
    } catch (IOException e) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          "cannot listen for Raft: address=%s, port=%d, error=%s; change %s"
              .formatted(settings.bindAddress(), port, e.getMessage(), settings.portKey()),
          e);
    }
  }

  private static void closeAfter(Exception failure, RaftServer server, MemberDirectory directory) {
    try (directory) {
      if (server != null) {
        server.close();
      }
    } catch (IOException | RuntimeException e) {
      failure.addSuppressed(e);
    }
  }

  private static VdfsException startFailure(GroupMemberSettings settings, Exception failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof VdfsException known) {
        return known;
      }
    }
    return new VdfsException(
        ErrorCode.IO_ERROR,
        "metadata member cannot start: directory=%s, error=%s"
            .formatted(settings.directory(), failure),
        failure);
  }

  private static RaftPeerId peerId(NodeId id) {
    return RaftPeerId.valueOf(id.toString());
  }

  private static List<RaftPeer> peers(List<MetadataMember> members) {
    return members.stream()
        .map(
            member ->
                RaftPeer.newBuilder()
                    .setId(peerId(member.id()))
                    .setAddress(member.address())
                    .build())
        .toList();
  }

  private List<RaftPeerId> others() {
    GroupConfiguration now = configuration();
    return Stream.concat(now.members().stream(), now.previous().stream())
        .map(member -> peerId(member.id()))
        .filter(id -> !id.equals(self))
        .distinct()
        .toList();
  }

  @Override
  public CompletableFuture<MetaResponse> submit(MetaRequest request) {
    return route(request, mutations);
  }

  @Override
  public CompletableFuture<MetaResponse> query(MetaRequest request) {
    return route(request, queries);
  }

  private CompletableFuture<MetaResponse> route(MetaRequest request, RequestPacker packer) {
    if (!isLeader()) {
      return CompletableFuture.completedFuture(notLeader());
    }
    return lease.isLost(settings.self(), configuration())
        ? CompletableFuture.completedFuture(noMajority("the leader reaches no majority"))
        : packer.add(request);
  }

  private CompletableFuture<List<MetaResponse>> append(List<MetaRequest> batch) {
    RequestBatch entry = RequestBatch.ofMutations(batch);
    counters.increment(GroupCounter.ENTRIES);
    counters.add(GroupCounter.ENTRY_REQUESTS, batch.size());
    counters.add(GroupCounter.ENTRY_BYTES, entry.getContent().size());
    return send(entry, RaftClientRequest.writeRequestType());
  }

  private CompletableFuture<List<MetaResponse>> read(List<MetaRequest> batch) {
    counters.increment(GroupCounter.READ_BATCHES);
    counters.add(GroupCounter.READ_REQUESTS, batch.size());
    RequestBatch queries = RequestBatch.ofQueries(batch);
    long term = term();
    if (!isLeader()) {
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

  /** Whether it is certain that nobody else led up to now since this member was ready to lead. */
  private boolean ledThroughout(long term) {
    return lease.isValid(settings.self(), configuration()) && isLeader() && term() == term;
  }

  private List<MetaResponse> direct(Message answer) {
    counters.increment(GroupCounter.DIRECT_READ_BATCHES);
    return ((ResponseBatch) answer).responses();
  }

  private CompletableFuture<List<MetaResponse>> readThroughRatis(RequestBatch queries) {
    long term = term();
    return send(queries, RaftClientRequest.readRequestType())
        .thenCompose(responses -> onceConfirmed(responses, term));
  }

  /** Lets an answer out when it is certain that this member led when the answer was made. */
  private CompletableFuture<List<MetaResponse>> onceConfirmed(
      List<MetaResponse> responses, long term) {
    if (ledThroughout(term)) {
      return CompletableFuture.completedFuture(responses);
    }
    if (!isLeader() || term() != term) {
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
      return division().submitClientRequestAsync(request).thenCompose(RatisGroupMember::responses);
    } catch (IOException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * Takes requests on the calling thread. The server would hand each to a thread of its own and
   * wait for that; a sender is such a thread already.
   */
  private RaftClientAsynchronousProtocol division() throws IOException {
    return (RaftClientAsynchronousProtocol) server.getDivision(groupId);
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
    Optional<NodeId> leader = leader().filter(id -> !id.equals(settings.self()));
    if (watch.isLeaderless(leader.isPresent())) {
      return noMajority("the metadata group has no leader");
    }
    return Errors.notLeader(
        leader,
        "not the leader: node=%s, leader=%s"
            .formatted(settings.self(), leader.map(NodeId::toString).orElse("unknown")));
  }

  private MetaResponse noMajority(String what) {
    return Errors.response(
        ErrorCode.UNAVAILABLE,
        ("%s, a majority of its members must run: node=%s, members: %s; start those that do not"
                + " answer, or see 'When a majority of the metadata is lost' in docs/operations.md")
            .formatted(what, settings.self(), reach.describe(configuration().members())));
  }

  @Override
  public boolean isLeader() {
    return info().map(DivisionInfo::isLeaderReady).orElse(false);
  }

  @Override
  public Optional<NodeId> leader() {
    return info().map(DivisionInfo::getLeaderId).map(id -> NodeId.parse(id.toString()));
  }

  @Override
  public boolean hears(NodeId member) {
    return isLeader() && (member.equals(settings.self()) || lease.hears(member));
  }

  @Override
  public long term() {
    return info().map(DivisionInfo::getCurrentTerm).orElse(0L);
  }

  /** Empty while the server starts or after it was closed. */
  private Optional<DivisionInfo> info() {
    return ownDivision().map(RaftServer.Division::getInfo).filter(DivisionInfo::isAlive);
  }

  private Optional<RaftServer.Division> ownDivision() {
    try {
      return Optional.of(server.getDivision(groupId));
    } catch (IOException e) {
      LOG.debug("no division: group={}", groupId, e);
      return Optional.empty();
    }
  }

  @SuppressWarnings("ReferenceEquality") // Ratis replaces configurations, it never changes one
  private GroupConfiguration configuration() {
    SeenConfiguration before = seen;
    RaftConfiguration now =
        ownDivision().map(RaftServer.Division::getRaftConf).orElse(before.raft());
    if (now == before.raft()) {
      return before.read();
    }
    GroupConfiguration read = GroupConfiguration.of(now);
    seen = new SeenConfiguration(now, read);
    return read;
  }

  @Override
  public GroupStatus status() {
    try {
      return ownDivision()
          .filter(division -> division.getInfo().isAlive())
          .map(division -> status(division, division.getInfo(), division.getRaftLog()))
          .orElseGet(this::ended);
    } catch (IllegalStateException e) {
      LOG.debug("ended meanwhile: group={}", groupId, e); // a closed log answers nothing
      return ended();
    }
  }

  private GroupStatus ended() {
    return new GroupStatus(
        GroupStatus.Role.ENDED, 0, Optional.empty(), configuration(), -1, -1, -1);
  }

  private GroupStatus status(RaftServer.Division division, DivisionInfo info, RaftLog log) {
    return new GroupStatus(
        role(division),
        info.getCurrentTerm(),
        leader(),
        configuration(),
        log.getNextIndex() - 1,
        log.getLastCommittedIndex(),
        info.getLastAppliedIndex());
  }

  private static GroupStatus.Role role(RaftServer.Division division) {
    LifeCycle.State state = division.getInfo().getLifeCycleState();
    if (state.isClosingOrClosed()) {
      return GroupStatus.Role.ENDED;
    }
    if (state == LifeCycle.State.NEW || state == LifeCycle.State.STARTING) {
      return GroupStatus.Role.WAITING;
    }
    return switch (division.getInfo().getCurrentRole()) {
      case LEADER -> GroupStatus.Role.LEADER;
      case CANDIDATE -> GroupStatus.Role.CANDIDATE;
      default -> GroupStatus.Role.FOLLOWER;
    };
  }

  @Override
  public CompletableFuture<Void> change(List<MetadataMember> members) {
    SetConfigurationRequest request =
        new SetConfigurationRequest(
            clientId,
            self,
            groupId,
            callIds.incrementAndGet(),
            SetConfigurationRequest.Arguments.newBuilder()
                .setServersInCurrentConf(peers(configuration().members()))
                .setServersInNewConf(peers(members))
                .setMode(SetConfigurationRequest.Mode.COMPARE_AND_SET)
                .build());
    LOG.info("metadata members change: node={}, members={}", settings.self(), members);
    CompletableFuture<RaftClientReply> reply;
    try {
      reply = server.setConfigurationAsync(request);
    } catch (IOException e) {
      reply = CompletableFuture.failedFuture(e);
    }
    return reply
        .thenCompose(
            answer ->
                answer.getException() == null
                    ? CompletableFuture.<Void>completedFuture(null)
                    : CompletableFuture.<Void>failedFuture(answer.getException()))
        .handle(
            (done, failure) -> {
              if (failure != null) {
                throw new CompletionException(changeFailure(members, failure));
              }
              counters.increment(GroupCounter.MEMBER_CHANGES);
              return null;
            });
  }

  private VdfsException changeFailure(List<MetadataMember> members, Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    return new VdfsException(
        cause instanceof NotLeaderException
            ? ErrorCode.NOT_LEADER
            : cause instanceof SetConfigurationException
                ? ErrorCode.INVALID_ARGUMENT
                : ErrorCode.UNAVAILABLE,
        "members not changed: node=%s, wanted=%s, error=%s; vdfs metadata members shows what they are"
            .formatted(
                settings.self(), members.stream().map(MetadataMember::address).toList(), cause),
        cause);
  }

  @Override
  public void close() {
    reconnector.close();
    try (directory) {
      server.close();
    } catch (IOException e) {
      LOG.warn("metadata member not closed cleanly: node={}", self, e);
    }
    senders.shutdown();
    loop.close();
  }
}
