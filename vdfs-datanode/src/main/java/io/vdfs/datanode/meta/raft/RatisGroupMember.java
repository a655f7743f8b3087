package io.vdfs.datanode.meta.raft;

import io.vdfs.common.cluster.record.MetadataMember;
import io.vdfs.common.concurrent.Causes;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.meta.ReplicatedState;
import io.vdfs.datanode.meta.group.GroupConfiguration;
import io.vdfs.datanode.meta.group.GroupCounter;
import io.vdfs.datanode.meta.group.GroupMember;
import io.vdfs.datanode.meta.group.GroupMemberSettings;
import io.vdfs.datanode.meta.group.GroupStatus;
import io.vdfs.datanode.meta.group.LogDoubt;
import io.vdfs.datanode.meta.group.Peers;
import io.vdfs.datanode.meta.raft.disk.DiskForce;
import io.vdfs.datanode.meta.raft.disk.DoubtNote;
import io.vdfs.datanode.meta.raft.disk.LogRepair;
import io.vdfs.datanode.meta.raft.disk.MemberDirectory;
import io.vdfs.datanode.meta.raft.disk.RatisFiles;
import io.vdfs.datanode.meta.raft.lease.LeasedGrpcType;
import io.vdfs.datanode.meta.raft.lease.QuorumLease;
import io.vdfs.datanode.meta.raft.lease.ReadGuards;
import io.vdfs.datanode.meta.raft.port.PeerCalls;
import io.vdfs.datanode.meta.raft.port.RaftPort;
import io.vdfs.datanode.meta.raft.port.RaftTls;
import io.vdfs.datanode.meta.raft.port.RefusedPeers;
import io.vdfs.datanode.meta.raft.port.VoteGuard;
import io.vdfs.datanode.meta.service.edge.LeadershipListener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.ratis.grpc.server.GrpcServicesImpl;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.SetConfigurationRequest;
import org.apache.ratis.protocol.exceptions.NotLeaderException;
import org.apache.ratis.protocol.exceptions.SetConfigurationException;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.storage.RaftStorage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The metadata group on Ratis. Thread-safe. */
public final class RatisGroupMember implements GroupMember {
  private static final Logger LOG = LoggerFactory.getLogger(RatisGroupMember.class);

  private final GroupMemberSettings settings;
  private final MemberDirectory directory;
  private final MetadataLoop loop;
  private final MetadataStateMachine machine;
  private final RaftServer server;
  private final OwnDivision own;
  private final QuorumLease lease;
  private final LeaderRequests requests;
  private final Reconnector reconnector;
  private final Optional<DoubtResolver> resolver;
  private final Counters<GroupCounter> counters;

  private final ClientId clientId = ClientId.randomId();
  private final AtomicLong callIds = new AtomicLong();

  private RatisGroupMember(
      GroupMemberSettings settings,
      Peers peers,
      MemberDirectory directory,
      MetadataLoop loop,
      MetadataStateMachine machine,
      RaftServer server,
      QuorumLease lease,
      Doubt doubt,
      Counters<GroupCounter> counters) {
    this.settings = settings;
    this.directory = directory;
    this.loop = loop;
    this.machine = machine;
    this.server = server;
    this.lease = lease;
    this.counters = counters;
    RaftGroupId groupId = RaftGroupId.valueOf(settings.groupId());
    this.own = new OwnDivision(server, groupId, doubt.guard());
    this.requests = new LeaderRequests(settings, own, machine, lease, peers.reach(), counters);
    Duration period = settings.tuning().electionTimeoutMin();
    this.resolver =
        doubt
            .note()
            .map(
                note ->
                    new DoubtResolver(
                        directory,
                        note,
                        settings.groupId(),
                        settings.self(),
                        doubt.guard(),
                        own,
                        new Candidacy(server, groupId),
                        peers.logs(),
                        counters));
    resolver.ifPresent(resolving -> resolving.start(period.dividedBy(4)));
    this.reconnector =
        Reconnector.start(
            (GrpcServicesImpl) server.getServerRpc(),
            this::others,
            () -> own.leader().isEmpty(),
            period);
  }

  /**
   * The knowledge of entries that the log may lack.
   *
   * @param note empty where it lacks none
   */
  private record Doubt(Optional<DoubtNote> note, DoubtGuard guard) {
    static Doubt of(Optional<DoubtNote> note) {
      return new Doubt(note, new DoubtGuard(note.map(DoubtNote::cause)));
    }
  }

  /**
   * Starts a member; it finds the others and a leader in the background. A log that is damaged is
   * cut or put aside before, see {@link LogRepair}; the member then votes and leads only when it is
   * certain to lack nothing.
   *
   * @param state empty; replaced by what the directory holds, and from now on touched by the group
   *     alone
   * @param onFailure told, at most once, that this member cannot go on: it is to be closed, on
   *     another thread
   * @param counters raised by the member
   * @throws VdfsException MISCONFIGURED if the directory is another's or can't be used, or the port
   *     is taken; CORRUPT if what the directory holds is damaged and no other member has it;
   *     UNSUPPORTED if its snapshot is of another feature level than the state has; IO_ERROR for
   *     the rest
   */
  public static GroupMember start(
      GroupMemberSettings settings,
      ReplicatedState state,
      LeadershipListener listener,
      Consumer<Throwable> onFailure,
      Counters<GroupCounter> counters,
      Peers peers)
      throws VdfsException {
    return start(
        settings,
        state,
        listener,
        onFailure,
        counters,
        peers,
        ReadGuards.of(settings),
        DiskForce.REAL);
  }

  /** As above, with guards and a disk of the caller's choice. */
  static GroupMember start(
      GroupMemberSettings settings,
      ReplicatedState state,
      LeadershipListener listener,
      Consumer<Throwable> onFailure,
      Counters<GroupCounter> counters,
      Peers peers,
      ReadGuards guards,
      DiskForce force)
      throws VdfsException {
    requireFreePort(settings);
    MemberDirectory directory =
        MemberDirectory.open(settings.directory(), settings.groupId(), settings.self());
    MetadataLoop loop = new MetadataLoop("vdfs-metadata-loop", onFailure);
    RaftServer server = null;
    try {
      RaftGroupId groupId = RaftGroupId.valueOf(settings.groupId());
      Doubt doubt =
          Doubt.of(
              new LogRepair(directory, settings.groupId(), counters)
                  .prepare(!settings.founders().isEmpty()));
      RatisFiles files =
          new RatisFiles(directory.storage(settings.groupId()), force, InstantSource.system());
      MetadataStateMachine machine =
          new MetadataStateMachine(state, loop, new Leadership(listener), counters, files);
      Duration patience = settings.tuning().electionTimeoutMin();
      Duration abstinence = directory.hasPast() ? patience : Duration.ZERO;
      server =
          RaftServer.newBuilder()
              .setServerId(peerId(settings.self()))
              .setGroup(RaftGroup.valueOf(groupId, peers(founders(settings, doubt))))
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
                      guards.lease(),
                      port(
                          settings,
                          new VoteGuard(
                              patience,
                              abstinence,
                              System::nanoTime,
                              doubt.guard()::mayVoteFor,
                              files::forceNames),
                          counters),
                      () -> accede(files, doubt.guard(), loop)))
              .build();
      server.start();
      LOG.info(
          "metadata member started: node={}, group={}, founders={}",
          settings.self(),
          groupId,
          settings.founders());
      return new RatisGroupMember(
          settings, peers, directory, loop, machine, server, guards.lease(), doubt, counters);
    } catch (IOException | RuntimeException e) {
      closeAfter(e, server, directory);
      loop.close();
      throw startFailure(settings, e);
    }
  }

  private static RaftPort port(
      GroupMemberSettings settings, VoteGuard votes, Counters<GroupCounter> counters) {
    RefusedPeers refusals = new RefusedPeers(counters, System::nanoTime, LOG::warn);
    return new RaftPort(
        settings.peerKey().map(key -> RaftTls.of(key, refusals)),
        new PeerCalls(counters, refusals),
        votes,
        refusals,
        RatisProperties.maxMessageBytes(settings.tuning()));
  }

  /** A log that was emptied does not begin a group again. */
  private static List<MetadataMember> founders(GroupMemberSettings settings, Doubt doubt) {
    boolean emptied = doubt.guard().cause().equals(Optional.of(LogDoubt.EMPTIED));
    return emptied ? List.of() : settings.founders();
  }

  private static void accede(RatisFiles files, DoubtGuard guard, MetadataLoop loop) {
    try {
      if (!guard.mayStand()) {
        throw new VdfsException(
            ErrorCode.CORRUPT,
            "elected with a log that may lack what was acknowledged: cause=" + guard.cause());
      }
      files.forceNames();
    } catch (IOException e) {
      loop.failLater(e);
      throw new UncheckedIOException(e);
    }
  }

  /** Ratis ends the whole process where it can't bind its port, so this checks it first. */
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
    GroupConfiguration now = own.configuration();
    return Stream.concat(now.members().stream(), now.previous().stream())
        .map(member -> peerId(member.id()))
        .filter(id -> !id.equals(server.getId()))
        .distinct()
        .toList();
  }

  @Override
  public CompletableFuture<MetaResponse> submit(MetaRequest request) {
    return requests.submit(request);
  }

  @Override
  public CompletableFuture<Optional<MetaResponse>> recall(MetaRequest request, long ageMillis) {
    return requests.recall(request, ageMillis);
  }

  @Override
  public CompletableFuture<MetaResponse> query(MetaRequest request) {
    return requests.query(request);
  }

  @Override
  public boolean isLeader() {
    return own.isLeader();
  }

  @Override
  public Optional<NodeId> leader() {
    return own.leader();
  }

  @Override
  public boolean hears(NodeId member) {
    return isLeader() && (member.equals(settings.self()) || lease.hears(member));
  }

  @Override
  public long term() {
    return own.term();
  }

  @Override
  public int level() {
    return machine.level();
  }

  @Override
  public int newestLevel() {
    return machine.levels().newest();
  }

  @Override
  public GroupStatus status() {
    return own.status();
  }

  @Override
  public boolean isStarting() {
    return own.isStarting();
  }

  @Override
  public CompletableFuture<Void> change(List<MetadataMember> members) {
    SetConfigurationRequest request =
        new SetConfigurationRequest(
            clientId,
            server.getId(),
            RaftGroupId.valueOf(settings.groupId()),
            callIds.incrementAndGet(),
            SetConfigurationRequest.Arguments.newBuilder()
                .setServersInCurrentConf(peers(own.configuration().members()))
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
    Throwable cause = Causes.of(failure);
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
    resolver.ifPresent(DoubtResolver::close);
    try (directory) {
      server.close();
    } catch (IOException e) {
      LOG.warn("metadata member not closed cleanly: node={}", settings.self(), e);
    }
    requests.close();
    loop.close();
  }
}
