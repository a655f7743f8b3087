package io.vdfs.client.fake;

import io.vdfs.client.meta.control.ControlAddress;
import io.vdfs.client.meta.control.ControlCalls;
import io.vdfs.common.cluster.record.ClusterCodec;
import io.vdfs.common.cluster.record.ClusterProperties;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.ArcReplicas;
import io.vdfs.common.ring.Placement;
import io.vdfs.common.ring.RingCodec;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.rpc.ControlMethods;
import io.vdfs.common.rpc.Errors;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.AckDeletionsOp;
import io.vdfs.common.wire.proto.CallerProto;
import io.vdfs.common.wire.proto.ClusterInfoRequest;
import io.vdfs.common.wire.proto.ClusterInfoResponse;
import io.vdfs.common.wire.proto.CounterProto;
import io.vdfs.common.wire.proto.EmptyResult;
import io.vdfs.common.wire.proto.LedgerRequest;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.MetadataChangeProto;
import io.vdfs.common.wire.proto.MetadataChangeRequest;
import io.vdfs.common.wire.proto.MetadataChangeResponse;
import io.vdfs.common.wire.proto.MetadataMemberProto;
import io.vdfs.common.wire.proto.MetadataStatusResponse;
import io.vdfs.common.wire.proto.NodeCountersResponse;
import io.vdfs.common.wire.proto.NodeRepairRequest;
import io.vdfs.common.wire.proto.NodeRepairResponse;
import io.vdfs.common.wire.proto.NodeSpaceProto;
import io.vdfs.common.wire.proto.NodeStateProto;
import io.vdfs.common.wire.proto.RecoverLeaseCall;
import io.vdfs.common.wire.proto.RecoverLeaseResult;
import io.vdfs.common.wire.proto.RepairReportResult;
import io.vdfs.common.wire.proto.VolumeSpaceProto;
import io.vdfs.common.wire.proto.WaitingRecoveriesResult;
import io.vdfs.datanode.local.LocalCounter;
import io.vdfs.datanode.meta.LedgerAdapter;
import io.vdfs.datanode.meta.MetadataState;
import io.vdfs.datanode.meta.state.settings.MetadataSettings;
import io.vdfs.datanode.segment.SegmentCounter;
import io.vdfs.datanode.stream.StreamManagerCounter;
import io.vdfs.datanode.transfer.TransferCounter;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;

/**
 * Nodes behind their control ports, three by default, one of which leads, around the real
 * replicated state. Nodes can be dead, refuse, or lose their answers. Thread-safe: one lock.
 */
public final class FakeCluster implements ControlCalls {
  private Function<RecoverLeaseCall, MetaResponse> recovery =
      call ->
          MetaResponse.newBuilder()
              .setRecoverLease(RecoverLeaseResult.newBuilder().setClosed(true))
              .build();
  private WaitingRecoveriesResult waitingRecoveries = WaitingRecoveriesResult.getDefaultInstance();
  private boolean marksAccepted;
  private Supplier<MetaResponse> repairReports = this::wholeCopies;
  public static final ClusterGeometry GEOMETRY = new ClusterGeometry(4096, 2, 512, 12);
  public static final int NODES = 3;

  /** The user that may do everything; alice owns the root, though. */
  public static final String SUPERUSER = "root";

  private static final int FIRST_QUERY = 50;
  private static final int FIRST_SOFT_CALL = 70;
  private static final int FIRST_PORT = 1001;

  /** How a node fails calls. */
  public enum Fault {
    NONE,
    /** Nothing listens there. */
    DEAD,
    /** Carries calls out, but their answers get lost. */
    MUTE,
    /** Answers every metadata call with UNAVAILABLE. */
    BUSY,
    /** Refuses the caller's identity. */
    LOCKED
  }

  /** A call as it arrived. */
  public record Call(int node, String method, MetaRequest request) {}

  private final int size;
  private final ClusterProperties properties;
  private final List<NodeId> nodes = new ArrayList<>();
  private final Map<Integer, Fault> faults = new HashMap<>();
  private final List<Call> calls = new ArrayList<>();
  private final MetadataState state;
  private RingMap ring;
  private final Map<Integer, List<String>> diskProblems = new HashMap<>();
  private final List<Integer> metadataMembers = new ArrayList<>();
  private boolean starting;
  private String refusedChange = "";
  private MetadataChangeProto failedChange;
  private int metadataChanges;
  private int leader;
  private boolean leaderKnown = true;
  private long time = 1_000_000;
  private String user = "alice";
  private BiFunction<Integer, NodeRepairRequest, NodeRepairResponse> repairs =
      (node, request) -> NodeRepairResponse.getDefaultInstance();
  private IntFunction<Map<String, Long>> moreCounters = node -> Map.of();

  public FakeCluster() {
    this(NODES);
  }

  /** The first three of {@code size} nodes are members of the metadata group. */
  public FakeCluster(int size) {
    this.size = size;
    for (int i = 0; i < size; i++) {
      nodes.add(new NodeId(new UUID(7, i)));
    }
    for (int i = 0; i < NODES; i++) {
      metadataMembers.add(i);
    }
    properties =
        new ClusterProperties(
            new UUID(1, 2), GEOMETRY, NODES, NODES, NODES, "root", "wheel", 1024, Placement.TURN);
    ring = ring(1);
    state = new MetadataState(MetadataSettings.of(GEOMETRY, "alice"), new LedgerAdapter());
  }

  private RingMap ring(long epoch) {
    Map<NodeId, RingNode> table = new HashMap<>();
    for (int i = 0; i < size; i++) {
      table.put(
          nodes.get(i),
          new RingNode(nodes.get(i), host(i), FIRST_PORT + i, 2001 + i, 3001 + i, 0, "/r", 2, 1));
    }
    List<ArcReplicas> arcs = new ArrayList<>();
    for (int arc = 0; arc < GEOMETRY.arcs(); arc++) {
      List<NodeId> serving = new ArrayList<>();
      // as a fresh ring is dealt: owner, successor, predecessor
      for (int offset : List.of(0, 1, size - 1)) {
        serving.add(nodes.get((arc + offset) % size));
      }
      arcs.add(new ArcReplicas(serving, List.of()));
    }
    return new RingMap(epoch, NODES, Placement.TURN, arcs, table);
  }

  public static String host(int node) {
    return "n" + node;
  }

  public static ControlAddress address(int node) {
    return new ControlAddress(host(node), FIRST_PORT + node);
  }

  public NodeId node(int node) {
    return nodes.get(node);
  }

  public ClusterProperties properties() {
    return properties;
  }

  public synchronized RingMap ring() {
    return ring;
  }

  public synchronized void publishNextRing() {
    ring = ring(ring.epoch() + 1);
  }

  public synchronized void leader(int node) {
    leader = node;
  }

  /** Whether nodes that do not lead name the leader to callers. */
  public synchronized void leaderKnown(boolean known) {
    leaderKnown = known;
  }

  public synchronized void fault(int node, Fault fault) {
    faults.put(node, fault);
  }

  public synchronized void user(String name) {
    user = name;
  }

  public synchronized List<Call> calls() {
    return List.copyOf(calls);
  }

  /** Calls of one method since the last {@link #forgetCalls()}. */
  public List<Call> calls(String method) {
    return calls().stream().filter(call -> call.method().equals(method)).toList();
  }

  public synchronized void forgetCalls() {
    calls.clear();
  }

  @Override
  public synchronized byte[] call(ControlAddress address, String method, byte[] body)
      throws IOException {
    int node = address.port() - FIRST_PORT;
    if (node < 0 || node >= size || !address.host().equals(host(node))) {
      throw new VdfsException(ErrorCode.UNAVAILABLE, "no such host: node=" + address);
    }
    Fault fault = faults.getOrDefault(node, Fault.NONE);
    if (fault == Fault.DEAD) {
      calls.add(new Call(node, method, MetaRequest.getDefaultInstance()));
      throw new VdfsException(ErrorCode.UNAVAILABLE, "connection refused: node=" + address);
    }
    if (fault == Fault.LOCKED) {
      throw new VdfsException(ErrorCode.PERMISSION_DENIED, "user not accepted: user=" + user);
    }
    byte[] answer =
        switch (method) {
          case ControlMethods.CLUSTER_INFO -> info(node, body);
          case ControlMethods.META -> meta(node, method, MetaRequest.parseFrom(body), fault);
          case ControlMethods.STREAM_NEXT ->
              execute(
                      node,
                      method,
                      MetaRequest.newBuilder().setLedger(LedgerRequest.parseFrom(body)).build())
                  .toByteArray();
          case ControlMethods.NODE_COUNTERS -> counters(node);
          case ControlMethods.NODE_REPAIR -> beginRepair(node, body);
          case ControlMethods.METADATA_STATUS -> metadataStatus(node);
          case ControlMethods.METADATA_CHANGE -> changeMetadata(node, body);
          default -> throw new AssertionError(method);
        };
    if (fault == Fault.MUTE) {
      throw new VdfsException(ErrorCode.UNAVAILABLE, "no answer in time: node=" + address);
    }
    return answer;
  }

  /** A node whose disks have read 3 GB in runs of 15 MB. */
  private byte[] counters(int node) {
    NodeCountersResponse.Builder response = NodeCountersResponse.newBuilder();
    addCounters(
        response,
        "stream",
        Map.of(
            StreamManagerCounter.DISK_BYTES, 3_000_000_000L,
            StreamManagerCounter.DISK_READS, 3000L,
            StreamManagerCounter.DISCONTINUITIES, 200L,
            StreamManagerCounter.WAITING, 2L,
            StreamManagerCounter.REQUESTS, 500L,
            StreamManagerCounter.MEMORY_HITS, 100L,
            StreamManagerCounter.WAIT_MILLIS, 5000L,
            StreamManagerCounter.REQUEST_BYTES, 4_000_000_000L,
            StreamManagerCounter.MEMORY_HIT_BYTES, 2_000_000_000L));
    addCounters(
        response,
        "stream",
        Map.of(
            StreamManagerCounter.RUNS_BELOW_1M, 11L,
            StreamManagerCounter.RUNS_1M_TO_8M, 12L,
            StreamManagerCounter.RUNS_8M_TO_32M, 13L,
            StreamManagerCounter.RUNS_FROM_32M, 14L,
            StreamManagerCounter.SHARED_SCAN_HITS, 15L,
            StreamManagerCounter.SHARED_SCAN_BYTES, 1_600_000_000L,
            StreamManagerCounter.GRANTS, 17L,
            StreamManagerCounter.SHARED_GRANTS, 18L,
            StreamManagerCounter.TASK_WAIT_MILLIS, 19_100L));
    addCounters(
        response,
        "local",
        Map.of(
            LocalCounter.READ_BYTES,
            2_100_000_000L,
            LocalCounter.FETCHED_BY_CLIENT_BYTES,
            2_200_000_000L));
    addCounters(response, "segment_delivery", Map.of(SegmentCounter.FILLED_BYTES, 2_300_000_000L));
    addCounters(response, "transfer", Map.of(TransferCounter.BYTES_READ, 2_400_000_000L));
    moreCounters
        .apply(node)
        .forEach(
            (name, value) ->
                response.addCounters(
                    CounterProto.newBuilder()
                        .setGroup(name.substring(0, name.indexOf('.')))
                        .setName(name.substring(name.indexOf('.') + 1))
                        .setValue(value)));
    return response.build().toByteArray();
  }

  private static void addCounters(
      NodeCountersResponse.Builder response, String group, Map<? extends Enum<?>, Long> values) {
    values.forEach(
        (counter, value) ->
            response.addCounters(
                CounterProto.newBuilder()
                    .setGroup(group)
                    .setName(counter.name().toLowerCase(Locale.ROOT))
                    .setValue(value)));
  }

  private byte[] metadataStatus(int node) {
    MetadataStatusResponse.Builder status =
        MetadataStatusResponse.newBuilder()
            .setNode(WireIds.encode(nodes.get(node)))
            .setMember(metadataMembers.contains(node))
            .setStarting(starting)
            .setLevel(metadataMembers.contains(node) ? 1 : 0)
            .setNewestLevel(1 + node)
            .setVersion("1." + node)
            .setCommit("0123456789abcdef")
            .setTerm(3)
            .setConfigurationIndex(metadataChanges)
            .setLastIndex(70 + node)
            .setAppliedIndex(70);
    if (!status.getMember()) {
      status.setStopped("node " + node + " is too old");
    }
    if (status.getMember()) {
      status.setRole(leaderKnown && node == leader ? "LEADER" : "FOLLOWER");
    }
    for (int member : metadataMembers) {
      status.addMembers(
          MetadataMemberProto.newBuilder()
              .setId(WireIds.encode(nodes.get(member)))
              .setHost(host(member))
              .setRaftPort(3001 + member));
    }
    if (failedChange != null) {
      status.setLastChange(failedChange);
    }
    return status.build().toByteArray();
  }

  /** Makes the change at once, or notes its failure. */
  private byte[] beginRepair(int node, byte[] body) throws IOException {
    if (!user.equals(SUPERUSER)) {
      throw new VdfsException(ErrorCode.PERMISSION_DENIED, "only a superuser: user=" + user);
    }
    return repairs.apply(node, NodeRepairRequest.parseFrom(body)).toByteArray();
  }

  /** A node's answer to callers that have it look after its copies. */
  public void onRepair(BiFunction<Integer, NodeRepairRequest, NodeRepairResponse> answers) {
    repairs = answers;
  }

  /**
   * Counters of a node besides those of its disks.
   *
   * @param counters by {@code group.name}
   */
  public void counters(IntFunction<Map<String, Long>> counters) {
    moreCounters = counters;
  }

  private byte[] changeMetadata(int node, byte[] body) throws IOException {
    MetadataChangeRequest request = MetadataChangeRequest.parseFrom(body);
    if (node != leader) {
      throw new AssertionError("not the leader: node=" + node);
    }
    if (refusedChange.isEmpty()) {
      metadataChanges++;
      metadataMembers.removeIf(
          member -> WireIds.encode(nodes.get(member)).equals(request.getRemove()));
      for (int i = 0; i < NODES; i++) {
        if (WireIds.encode(nodes.get(i)).equals(request.getAdd())) {
          metadataMembers.add(i);
        }
      }
    } else {
      failedChange =
          MetadataChangeProto.newBuilder()
              .setRemoved(request.getRemove())
              .setAdded(request.getAdd())
              .setState(MetadataChangeProto.State.FAILED)
              .setMessage(refusedChange)
              .build();
    }
    return MetadataChangeResponse.getDefaultInstance().toByteArray();
  }

  /** Members of the metadata group from now on. */
  public void metadataMembers(Integer... members) {
    metadataMembers.clear();
    metadataMembers.addAll(List.of(members));
  }

  /** Deletions so far are acknowledged by all nodes but one, long after they were asked for. */
  public void missDeletions(int missing, long sequence) {
    for (int node = 0; node < size; node++) {
      if (node != missing) {
        acknowledgeDeletions(node, sequence, time);
      }
    }
    int other = missing == 0 ? 1 : 0;
    acknowledgeDeletions(other, sequence, time + Duration.ofDays(8).toMillis());
  }

  private void acknowledgeDeletions(int node, long sequence, long timeMillis) {
    AckDeletionsOp.Builder ack =
        AckDeletionsOp.newBuilder().setNode(WireIds.encode(nodes.get(node))).setSequence(sequence);
    nodes.subList(0, size).forEach(id -> ack.addNodes(WireIds.encode(id)));
    MetaResponse response =
        state.apply(
            MetaRequest.newBuilder()
                .setTimeMillis(timeMillis)
                .setCaller(CallerProto.newBuilder().setUser(SUPERUSER).setSuperuser(true))
                .setAckDeletions(ack)
                .build());
    if (response.hasError()) {
      throw new IllegalStateException(response.getError().getMessage());
    }
  }

  /** A node has failing disks. */
  public void diskProblems(int node, String... problems) {
    diskProblems.put(node, List.of(problems));
  }

  /** All nodes were started recently and have known no leader since. */
  public void starting() {
    starting = true;
  }

  /** Lets changes of the metadata members fail after they have begun. */
  public void failMetadataChanges(String message) {
    refusedChange = message;
  }

  private byte[] info(int node, byte[] body) throws IOException {
    calls.add(new Call(node, ControlMethods.CLUSTER_INFO, MetaRequest.getDefaultInstance()));
    ClusterInfoRequest request = ClusterInfoRequest.parseFrom(body);
    ClusterInfoResponse.Builder response =
        ClusterInfoResponse.newBuilder()
            .setClusterName("test")
            .setCluster(ClusterCodec.toProto(properties))
            .setSelf(WireIds.encode(nodes.get(node)))
            .setSpace(
                NodeSpaceProto.newBuilder()
                    .setCapacity(1000)
                    .setUsed(300)
                    .setFree(600)
                    .setWeight(1 + node)
                    .addVolumes(
                        VolumeSpaceProto.newBuilder()
                            .setDirectory("/d" + node)
                            .setState(VolumeSpaceProto.State.SERVING)
                            .setCapacity(4_000_000_000_000L)
                            .setUsed(1_500_000_000L)
                            .setFree(3_998_000_000_000L))
                    .addAllProblems(diskProblems.getOrDefault(node, List.of())));
    if (request.getKnownRingEpoch() != ring.epoch()) {
      response.setRing(RingCodec.toProto(ring));
    }
    for (int i = 0; i < size; i++) {
      if (faults.get(i) != Fault.DEAD) {
        response.addLiveNodes(WireIds.encode(nodes.get(i)));
      }
    }
    metadataMembers.forEach(
        member -> response.addMetadataMembers(WireIds.encode(nodes.get(member))));
    if (leaderKnown) {
      response.setLeader(WireIds.encode(nodes.get(leader)));
    }
    return response.build().toByteArray();
  }

  private byte[] meta(int node, String method, MetaRequest request, Fault fault) {
    if (fault == Fault.BUSY) {
      calls.add(new Call(node, method, request));
      return Errors.response(ErrorCode.UNAVAILABLE, "no majority").toByteArray();
    }
    if (node != leader) {
      calls.add(new Call(node, method, request));
      Optional<NodeId> named = leaderKnown ? Optional.of(nodes.get(leader)) : Optional.empty();
      return Errors.notLeader(named, "not the leader").toByteArray();
    }
    return execute(node, method, request).toByteArray();
  }

  /** How the leader answers callers that have leases recovered. */
  public void recovery(Function<RecoverLeaseCall, RecoverLeaseResult> answers) {
    recovery = call -> MetaResponse.newBuilder().setRecoverLease(answers.apply(call)).build();
  }

  /** What the leader says of files that cannot be closed. */
  public void waitingRecoveries(WaitingRecoveriesResult waiting) {
    waitingRecoveries = waiting;
  }

  /** The leader accepts every decision about nodes and volumes, and does nothing. */
  public void acceptMarks() {
    marksAccepted = true;
  }

  /** What the leader says of the cluster's copies, computed at each call. */
  public void repairReports(Supplier<MetaResponse> reports) {
    repairReports = reports;
  }

  public void repairReport(RepairReportResult report) {
    repairReports(() -> MetaResponse.newBuilder().setRepairReport(report).build());
  }

  /** A node in the leader's report when nothing is missing. */
  public NodeStateProto.Builder nodeState(int node) {
    NodeId id = nodes.get(node);
    boolean live = faults.get(node) != Fault.DEAD;
    long serving = ring.arcs().stream().filter(arc -> arc.serving().contains(id)).count();
    return NodeStateProto.newBuilder()
        .setId(WireIds.encode(id))
        .setHost(host(node))
        .setLive(live)
        .setServingPlaces((int) serving)
        .setConfirmed(live);
  }

  private MetaResponse wholeCopies() {
    RepairReportResult.Builder report = RepairReportResult.newBuilder().setRingEpoch(ring.epoch());
    for (int node = 0; node < size; node++) {
      report.addNodes(nodeState(node));
    }
    return MetaResponse.newBuilder().setRepairReport(report).build();
  }

  private MetaResponse execute(int node, String method, MetaRequest request) {
    calls.add(new Call(node, method, request));
    MetaRequest.Builder filling = request.toBuilder();
    if (request.hasCreate()) {
      filling.getCreateBuilder().setRingCopies(NODES);
    } else if (request.hasSetAttributes()) {
      filling.getSetAttributesBuilder().setRingCopies(NODES);
    }
    MetaRequest filled =
        filling
            .setCaller(
                CallerProto.newBuilder()
                    .setUser(user)
                    .addGroups("users")
                    .setSuperuser(user.equals(SUPERUSER)))
            .setTimeMillis(time++)
            .build();
    int operation = request.getOpCase().getNumber();
    if (request.hasRecoverLease()) {
      return recovery.apply(request.getRecoverLease());
    }
    if (request.hasWaitingRecoveries()) {
      return MetaResponse.newBuilder().setWaitingRecoveries(waitingRecoveries).build();
    }
    if (request.hasRepairReport()) {
      return repairReports.get();
    }
    if (operation >= FIRST_SOFT_CALL || (marksAccepted && isDecision(request))) {
      return MetaResponse.newBuilder().setEmpty(EmptyResult.getDefaultInstance()).build();
    }
    return operation >= FIRST_QUERY ? state.query(filled) : state.apply(filled);
  }

  private static boolean isDecision(MetaRequest request) {
    return request.hasMarkNodes() || request.hasWeighNodes() || request.hasGiveUpVolumes();
  }

  /** How often each kind of request was carried out or refused. */
  public Map<MetaRequest.OpCase, Integer> operations() {
    Map<MetaRequest.OpCase, Integer> counts = new EnumMap<>(MetaRequest.OpCase.class);
    calls(ControlMethods.META).forEach(c -> counts.merge(c.request().getOpCase(), 1, Integer::sum));
    return counts;
  }
}
