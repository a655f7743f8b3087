package io.vdfs.datanode.meta.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.ArcReplicas;
import io.vdfs.common.ring.Placement;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.rpc.Errors;
import io.vdfs.common.wire.proto.CallIdProto;
import io.vdfs.common.wire.proto.CallerProto;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.datanode.loop.ServiceLoop;
import io.vdfs.datanode.meta.MetadataHarness;
import io.vdfs.datanode.meta.ReplicatedState;
import io.vdfs.datanode.meta.level.FeatureLevels;
import io.vdfs.datanode.meta.raft.batch.BatchCodec;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Three members and what Raft promises them: one log that all carry out in order; at most one
 * leader at a time; of a leader that goes, the first few entries under way are committed by the
 * next one and the others never. Members crash and come back with a snapshot, and messages to them
 * and back get lost, until {@link #calm}.
 */
final class SimulatedGroup {
  private static final int MEMBERS = 3;

  private final SimulatedTime time;
  private final Supplier<? extends ReplicatedState> states;
  private final List<NodeId> nodes =
      IntStream.rangeClosed(1, MEMBERS).mapToObj(n -> new NodeId(new UUID(0, n))).toList();
  private final SimulatedStores stores;
  private final CommitOracle oracle;
  private final RingMap ring = newRing();
  private final List<byte[]> log = new ArrayList<>();
  private final List<List<MetaResponse>> outcomes = new ArrayList<>();
  private final Map<NodeId, SimulatedMember> members = new HashMap<>();
  private final List<CompletableFuture<?>> expected = new ArrayList<>();
  private Optional<SimulatedMember> leader = Optional.empty();
  private Optional<SimulatedMember.Snapshot> newest = Optional.empty();
  private boolean calm;
  private long term;
  private long calls;
  private int crashes;
  private int lost;

  SimulatedGroup(SimulatedTime time, Supplier<? extends ReplicatedState> states) {
    this.time = time;
    this.states = states;
    this.stores = new SimulatedStores(time, nodes);
    this.oracle = new CommitOracle(stores);
    nodes.forEach(this::start);
    elect();
    time.within(3_000, this::disturb);
  }

  private RingMap newRing() {
    Map<NodeId, RingNode> described = new HashMap<>();
    nodes.forEach(id -> described.put(id, new RingNode(id, "host", 1, 2, 3, 0, "/rack", 1, 1.0)));
    ArcReplicas arc = new ArcReplicas(nodes, List.of());
    return new RingMap(
        1,
        MEMBERS,
        Placement.TURN,
        Collections.nCopies(MetadataHarness.GEOMETRY.arcs(), arc),
        described);
  }

  private void start(NodeId id) {
    members.put(id, new SimulatedMember(this, id, newest));
    catchUpSoon(members.get(id));
  }

  private void catchUpSoon(SimulatedMember member) {
    time.within(20, member::catchUp);
  }

  /** Lets a member crash or the leader change, and goes on to do so. */
  private void disturb() {
    if (calm) {
      return;
    }
    NodeId victim = nodes.get(time.random.nextInt(MEMBERS));
    SimulatedMember member = members.get(victim);
    if (member != null && time.chance(2)) {
      if (time.chance(2)) {
        newest = Optional.of(member.snapshot());
      }
      depose(member);
      member.crash();
      members.remove(victim);
      crashes++;
      time.within(4_000, () -> start(victim));
    } else {
      leader.ifPresent(this::depose);
    }
    time.within(3_000, this::disturb);
  }

  private void depose(SimulatedMember member) {
    if (!member.isLeader()) {
      return;
    }
    leader = Optional.empty();
    List<SimulatedMember.Entry> pending = List.copyOf(member.pending);
    int survive = time.random.nextInt(pending.size() + 1);
    pending.stream()
        .limit(survive)
        .forEach(entry -> log.add(BatchCodec.encode(FeatureLevels.FIRST, entry.batch())));
    member.onFollower();
    time.within(500, this::elect);
  }

  private void elect() {
    if (leader.isPresent()) {
      return;
    }
    if (members.size() <= MEMBERS / 2) {
      time.within(500, this::elect);
      return;
    }
    List<SimulatedMember> candidates =
        nodes.stream().map(members::get).filter(member -> member != null).toList();
    SimulatedMember elected = candidates.get(time.random.nextInt(candidates.size()));
    elected.catchUp();
    leader = Optional.of(elected);
    term++;
    elected.onLeader(term);
  }

  /** From now on no member and no node goes, nothing happens to disks, no message gets lost. */
  void calm() {
    calm = true;
    stores.calm();
  }

  /** Remembers that something waits for an outcome. */
  <T> CompletableFuture<T> expect(CompletableFuture<T> outcome) {
    expected.add(outcome);
    return outcome;
  }

  /**
   * Gives up what a crash or the end left without an outcome. The packers' timers are Java's own:
   * they would keep it, and by it the whole group, until their limit in real time.
   */
  void end() {
    expected.forEach(outcome -> outcome.cancel(false));
  }

  /** The leader's entry is on a majority. */
  void commit(SimulatedMember.Entry entry) {
    log.add(BatchCodec.encode(FeatureLevels.FIRST, entry.batch()));
    leader.orElseThrow().catchUp();
    members.values().forEach(this::catchUpSoon);
    entry.outcome().complete(outcomes.get(log.size() - 1));
  }

  /** A member carried out an entry; all must come to the same. */
  void onApplied(int index, List<MetaRequest> batch, List<MetaResponse> responses) {
    if (index < outcomes.size()) {
      assertEquals(outcomes.get(index), responses, "members differ");
      return;
    }
    outcomes.add(responses);
    for (int i = 0; i < batch.size(); i++) {
      oracle.onCommit(batch.get(i), responses.get(i));
    }
  }

  /** Takes a request to a member and its answer back, if neither gets lost. */
  CompletableFuture<MetaResponse> send(NodeId to, MetaRequest request, CallerProto caller) {
    CompletableFuture<MetaResponse> answer = new CompletableFuture<>();
    travel(
        () -> {
          SimulatedMember member = members.get(to);
          if (member != null) {
            var unused =
                member
                    .dispatch(request, caller)
                    .thenAccept(response -> travel(() -> answer.complete(response)));
          }
        });
    return answer;
  }

  private void travel(Runnable arrival) {
    if (!calm && time.chance(25)) {
      lost++;
    } else {
      time.within(4, arrival);
    }
  }

  /** As daemons do it; UNAVAILABLE where no answer comes. */
  CompletableFuture<MetaResponse> toLeader(
      MetaRequest request, CallerProto caller, ServiceLoop loop) {
    NodeId to = leader.map(member -> member.id).orElse(nodes.get(0));
    CompletableFuture<MetaResponse> answer = send(to, identified(request), caller);
    loop.schedule(
        Duration.ofSeconds(1),
        () -> answer.complete(Errors.response(ErrorCode.UNAVAILABLE, "no answer")));
    return answer;
  }

  MetaRequest identified(MetaRequest request) {
    if (request.hasCallId()) {
      return request;
    }
    calls++;
    ByteString client = MetadataHarness.id(100);
    return request.toBuilder()
        .setCallId(CallIdProto.newBuilder().setClientId(client).setCall(calls))
        .build();
  }

  List<MetaRequest> entry(int index) {
    try {
      return BatchCodec.decode(ByteBuffer.wrap(log.get(index)), FeatureLevels.ofThisRelease());
    } catch (VdfsException e) {
      throw new UncheckedIOException(e);
    }
  }

  List<byte[]> log() {
    return log;
  }

  SimulatedTime time() {
    return time;
  }

  SimulatedStores stores() {
    return stores;
  }

  CommitOracle oracle() {
    return oracle;
  }

  RingMap ring() {
    return ring;
  }

  List<NodeId> nodes() {
    return nodes;
  }

  Optional<SimulatedMember> leader() {
    return leader;
  }

  /** Those that run. */
  List<SimulatedMember> members() {
    return List.copyOf(members.values());
  }

  ReplicatedState newState() {
    return states.get();
  }

  int crashes() {
    return crashes;
  }

  int lostMessages() {
    return lost;
  }
}
