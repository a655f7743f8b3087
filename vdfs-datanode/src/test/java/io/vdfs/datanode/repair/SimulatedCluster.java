package io.vdfs.datanode.repair;

import com.google.protobuf.ByteString;
import io.vdfs.common.checksum.VerifiedChunks;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.LeaseBound;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingCodec;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.ring.RingPlanner;
import io.vdfs.common.store.BlockRole;
import io.vdfs.common.store.VerifiedGroup;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ChangeRingOp;
import io.vdfs.common.wire.proto.ClusterRecordQuery;
import io.vdfs.common.wire.proto.ConfirmHoldingsCall;
import io.vdfs.common.wire.proto.ConfirmHoldingsResult;
import io.vdfs.common.wire.proto.ExclusionProto;
import io.vdfs.common.wire.proto.ListLackingQuery;
import io.vdfs.common.wire.proto.MarkNodesOp;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.NodeMarkProto;
import io.vdfs.common.wire.proto.NodeStateProto;
import io.vdfs.common.wire.proto.NodeWeightProto;
import io.vdfs.common.wire.proto.RepairReportResult;
import io.vdfs.common.wire.proto.SetAttributesOp;
import io.vdfs.common.wire.proto.WeighNodesOp;
import io.vdfs.datanode.meta.MetadataHarness;
import io.vdfs.datanode.meta.ring.Confirmations;
import io.vdfs.datanode.meta.service.ManualLoop;
import io.vdfs.datanode.meta.service.edge.ReplicaProbe;
import io.vdfs.datanode.meta.state.nodes.NodeMarks;
import io.vdfs.datanode.repair.copy.StoreGroups;
import io.vdfs.datanode.repair.copy.Surroundings;
import io.vdfs.datanode.repair.garbage.GarbageCollector;
import io.vdfs.datanode.repair.garbage.GarbageCounter;
import io.vdfs.datanode.repair.garbage.GarbageSettings;
import io.vdfs.datanode.store.AcceptedLosses;
import io.vdfs.datanode.store.BlockCopy;
import io.vdfs.datanode.store.BlockLocation;
import io.vdfs.datanode.store.ReadPace;
import io.vdfs.datanode.store.StoreConfig;
import io.vdfs.datanode.store.StoreFixture;
import io.vdfs.datanode.store.disk.SimulatedDisk;
import io.vdfs.datanode.store.group.DiskBlockStore;
import io.vdfs.datanode.store.volume.CombinedFileName;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/**
 * Metadata, nodes with disks, and writers, all in one thread by one clock: the production's state,
 * planner, stores and repairers. Confined to a test.
 */
final class SimulatedCluster implements AutoCloseable {
  static final ClusterGeometry GEOMETRY = MetadataHarness.GEOMETRY;
  static final int GROUP = (int) GEOMETRY.groupSize();
  static final int REPLICATION = 3;
  private static final long RATE = 1L << 40;
  private static final GarbageSettings GARBAGE =
      new GarbageSettings(Duration.ofSeconds(20), Duration.ofSeconds(10));
  private static final List<Path> VOLUMES = List.of(Path.of("/d0"), Path.of("/d1"));

  final ManualLoop loop = new ManualLoop();
  final MetadataHarness meta = new MetadataHarness();
  final NavigableMap<NodeId, Node> nodes = new TreeMap<>();
  final Map<String, File> files = new TreeMap<>();
  final List<String> trace = new ArrayList<>();

  private final Random random;
  private final Confirmations confirmations = new Confirmations(1);
  private final Map<GarbageCounter, Long> garbageOfTheDead = new EnumMap<>(GarbageCounter.class);
  private int made;

  SimulatedCluster(Random random, int count) throws VdfsException {
    this.random = random;
    for (int i = 0; i < count; i++) {
      addNode();
    }
    RingMap first =
        RingPlanner.plan(Optional.empty(), published(nodes.keySet()), REPLICATION, GEOMETRY.arcs())
            .map();
    meta.recordRing(0, first);
  }

  /** The right contents of a file. */
  static final class File {
    final FileKey key;

    /**
     * Whether a group was closed that none of the nodes has which the recorded map lists for it.
     */
    boolean astray;

    byte[] content;
    int replication;

    File(FileKey key, byte[] content, int replication) {
      this.key = key;
      this.content = content;
      this.replication = replication;
    }

    int groups() {
      return GEOMETRY.groupCount(content.length);
    }

    byte[] group(int group) {
      return Arrays.copyOfRange(
          content, group * GROUP, Math.min(content.length, (group + 1) * GROUP));
    }
  }

  /**
   * A bit that turned over.
   *
   * @param cure puts it back
   */
  record Rot(FileKey file, Runnable cure) {}

  /** A node, up or down, with its disk. */
  final class Node {
    final NodeId id;
    private SimulatedDisk disk = new SimulatedDisk();
    private Optional<SimulatedDisk> kept = Optional.empty();
    private final Set<FileKey> deletions = new HashSet<>();
    private DiskBlockStore store;
    private Repairer repairer;
    private GarbageCollector garbage;
    private Optional<Path> failedVolume = Optional.empty();

    Node(NodeId id) {
      this.id = id;
    }

    boolean isUp() {
      return store != null;
    }

    GarbageCollector garbage() {
      return garbage;
    }

    DiskBlockStore store() {
      return store;
    }

    Repairer repairer() {
      return repairer;
    }

    void start() throws VdfsException {
      store =
          StoreFixture.open(
              disk,
              new StoreConfig(
                  StoreFixture.CLUSTER,
                  id,
                  GEOMETRY,
                  VOLUMES,
                  Path.of("/index"),
                  0,
                  Long.MAX_VALUE,
                  8,
                  AcceptedLosses.NONE,
                  2,
                  StoreConfig.DEFAULT_WRITE_PATIENCE));
      for (FileKey file : deletions) {
        store.delete(file);
      }
      deletions.clear();
      Surroundings around =
          new Surroundings(
              id,
              new Probe(),
              new StoreGroups(store, GEOMETRY, this::fetch),
              () -> Optional.of(ring()),
              SimulatedCluster.this::up,
              GEOMETRY,
              loop,
              loop,
              loop);
      repairer =
          new Repairer(
              around,
              request -> CompletableFuture.completedFuture(asNode(request)),
              new RepairSettings(RATE, Duration.ofHours(1), Duration.ofDays(7)));
      repairer.start();
      garbage =
          new GarbageCollector(
              around,
              store,
              repairer,
              RATE,
              GARBAGE,
              () -> Instant.ofEpochMilli(millis()),
              file -> {});
      garbage.start();
    }

    private void fetch(
        NodeId source, FileKey file, long block, int length, BlockRole role, long epoch)
        throws VdfsException {
      Node from = requireUp(source);
      try (BlockCopy copy = store.openCopy(file, role, block, epoch)) {
        byte[] bytes = StoreFixture.read(from.store, file, block, 0, length);
        copy.append(
            VerifiedChunks.compute(ByteBuffer.wrap(bytes, 0, length), GEOMETRY.chunkSize()));
        copy.finish();
      }
    }

    boolean hasFailedVolume() {
      return failedVolume.isPresent();
    }

    /** One of the volumes fails: from now on it neither reads nor writes. */
    void failVolume(int volume) {
      failedVolume = Optional.of(VOLUMES.get(volume));
      disk.breakDown(VOLUMES.get(volume));
    }

    void stop() throws VdfsException {
      repairer.stop();
      garbage.stop();
      for (GarbageCounter counter : GarbageCounter.values()) {
        garbageOfTheDead.merge(counter, garbage.read(counter), Long::sum);
      }
      disk.kill();
      store.close();
      store = null;
    }

    /** Stops as the power fails: of what was not forced, only some is there afterwards. */
    void cutPower() throws VdfsException {
      stop();
      disk.cutPower(random);
    }

    /** Keeps what the disk holds now, for {@link #rollBack}. */
    void keep() {
      kept = Optional.of(disk.copy());
    }

    boolean isKept() {
      return kept.isPresent();
    }

    /** Puts what was kept in the place of the disk; called while the node is stopped. */
    void rollBack() {
      disk = kept.orElseThrow().copy();
    }

    /** Flips a bit of a file with blocks; empty if there is no such file. */
    Optional<Rot> rot() {
      List<Path> blocks =
          disk.files().stream()
              .filter(file -> file.toString().endsWith(CombinedFileName.DATA_SUFFIX))
              .filter(file -> !file.toString().contains("/garbage/"))
              .toList();
      if (blocks.isEmpty()) {
        return Optional.empty();
      }
      Path rotten = blocks.get(random.nextInt(blocks.size()));
      byte[] before = disk.bytes(rotten);
      if (before.length == 0) {
        return Optional.empty();
      }
      disk.flip(rotten, random.nextInt(before.length * 8));
      FileKey file =
          CombinedFileName.parse(rotten.getFileName().toString()).map(CombinedFileName::key).get();
      return Optional.of(new Rot(file, () -> disk.setBytes(rotten, before)));
    }

    /** Flips a bit of a block that the node holds. */
    void rot(FileKey file, long block) {
      BlockLocation place = store.locate(file, block).orElseThrow();
      disk.flip(
          place.path(),
          (int) (place.position() + random.nextInt(place.length())) * 8 + random.nextInt(8));
    }

    /** From now on the node has other bytes in a group, as sound and as new as those it had. */
    void alter(FileKey file, int group, byte[] bytes) throws VdfsException {
      int blockSize = GEOMETRY.blockSize();
      for (int at = 0; at < bytes.length; at += blockSize) {
        long block = (long) group * GEOMETRY.groupBlocks() + at / blockSize;
        BlockLocation held = store.locate(file, block).orElseThrow();
        long epoch = Math.max(held.writeEpoch(), store.group(file, group).fenceEpoch());
        try (BlockCopy copy = store.openCopy(file, held.role(), block, epoch)) {
          ByteBuffer all = ByteBuffer.wrap(bytes, at, Math.min(blockSize, bytes.length - at));
          copy.append(VerifiedChunks.compute(all.slice(), GEOMETRY.chunkSize()));
          copy.finish();
        }
      }
    }

    void delete(FileKey file) throws VdfsException {
      if (!isUp()) {
        // one that is away for long never learns of some
        if (random.nextInt(4) > 0) {
          deletions.add(file);
        }
        return;
      }
      try {
        store.delete(file);
      } catch (VdfsException e) {
        if (!hasFailedVolume()) {
          throw e;
        }
        deletions.add(file);
      }
    }
  }

  private final class Probe implements ReplicaProbe {
    @Override
    public CompletableFuture<VerifiedGroup> verify(
        NodeId node, FileKey file, int group, LeaseBound lease, List<Long> marks, Duration limit) {
      try {
        return CompletableFuture.completedFuture(
            requireUp(node).store.verify(file, group, lease, marks, ReadPace.IN_TURNS));
      } catch (VdfsException e) {
        return CompletableFuture.failedFuture(e);
      }
    }

    @Override
    public CompletableFuture<Extent> fence(
        NodeId node, FileKey file, int group, int epoch, LeaseBound lease) {
      throw new AssertionError("repair fences nobody");
    }

    @Override
    public CompletableFuture<Extent> truncateGroup(
        NodeId node, FileKey file, int group, long length, int epoch) {
      throw new AssertionError("repair cuts no other node");
    }

    @Override
    public CompletableFuture<Extent> copy(
        NodeId node, FileKey file, int group, Copy copy, Duration limit) {
      throw new AssertionError("repair copies to no other node");
    }
  }

  private Node requireUp(NodeId id) throws VdfsException {
    Node node = nodes.get(id);
    if (node == null || !node.isUp()) {
      throw new VdfsException(ErrorCode.UNAVAILABLE, "down: node=" + id);
    }
    return node;
  }

  Node addNode() throws VdfsException {
    made++;
    Node node = new Node(new NodeId(new UUID(made, made)));
    nodes.put(node.id, node);
    node.start();
    trace.add("new " + made);
    return node;
  }

  Set<NodeId> up() {
    Set<NodeId> up = new TreeSet<>();
    nodes.values().stream().filter(Node::isUp).forEach(node -> up.add(node.id));
    return up;
  }

  RingMap ring() {
    return meta.ring();
  }

  private static List<RingNode> published(Set<NodeId> ids) {
    List<RingNode> published = new ArrayList<>();
    for (NodeId id : ids) {
      published.add(new RingNode(id, "host", 1, 2, 3, 0, "/r", 1, 1));
    }
    return published;
  }

  private MetaResponse asNode(MetaRequest request) {
    MetaRequest.Builder prepared =
        request.toBuilder().setCaller(MetadataHarness.ROOT).setTimeMillis(millis());
    if (prepared.hasReportLacking()) {
      prepared.getReportLackingBuilder().setSparesLack(true);
    }
    MetaRequest asked = prepared.build();
    return switch (request.getOpCase()) {
      case CONFIRM_HOLDINGS -> {
        ConfirmHoldingsCall call = request.getConfirmHoldings();
        NodeId node = id(call.getNode());
        ConfirmHoldingsResult.Builder result = ConfirmHoldingsResult.newBuilder();
        if (call.getRingEpoch() == 0) {
          result.setSeries(confirmations.begin(node));
        } else {
          result.setCounts(confirmations.confirm(node, call.getSeries(), call.getRingEpoch()));
        }
        yield MetaResponse.newBuilder().setConfirmHoldings(result).build();
      }
      case REPAIR_REPORT -> MetaResponse.newBuilder().setRepairReport(report()).build();
      case LIST_HOLDINGS, LIST_LACKING, FILE_EXISTS, REVIEW_FILES, DELETION_PROGRESS ->
          meta.state().query(asked);
      default -> meta.state().apply(asked);
    };
  }

  /** The answer that the leader would give. */
  private RepairReportResult report() {
    RingMap ring = ring();
    Set<NodeId> confirmed = confirmations.of(ring);
    confirmed.retainAll(up());
    RepairReportResult.Builder report =
        RepairReportResult.newBuilder()
            .setRingEpoch(ring.epoch())
            .setGroupsLacking(
                meta.answer(meta.request().setListLacking(ListLackingQuery.getDefaultInstance()))
                    .getLacking()
                    .getGroupsCount())
            .setJoiningPlaces(ring.arcs().stream().mapToInt(arc -> arc.joining().size()).sum());
    for (NodeId node : ring.members()) {
      report.addNodes(
          NodeStateProto.newBuilder()
              .setId(WireIds.encode(node))
              .setServingPlaces(1)
              .setConfirmed(confirmed.contains(node)));
    }
    return report.build();
  }

  /** As nodes counted it, those that are gone included. */
  long garbage(GarbageCounter counter) {
    return garbageOfTheDead.getOrDefault(counter, 0L)
        + nodes.values().stream()
            .filter(Node::isUp)
            .mapToLong(node -> node.garbage().read(counter))
            .sum();
  }

  private long millis() {
    return loop.nanoTime() / 1_000_000;
  }

  private static NodeId id(ByteString bytes) {
    try {
      return WireIds.nodeId(bytes);
    } catch (VdfsException e) {
      throw new AssertionError(e);
    }
  }

  MetaResponse must(MetaRequest.Builder request) {
    MetaResponse response =
        meta.state().apply(request.setCaller(MetadataHarness.ROOT).setTimeMillis(millis()).build());
    if (response.hasError()) {
      throw new AssertionError(response.getError() + " to " + request + "\n" + trace);
    }
    return response;
  }

  NodeMarks marks() {
    return NodeMarks.of(
        meta.answer(meta.request().setClusterRecord(ClusterRecordQuery.getDefaultInstance()))
            .getClusterRecord());
  }

  /** Whether all nodes of the ring found by the present map that they hold what they should. */
  boolean isConfirmed() {
    RingMap ring = ring();
    return up().containsAll(ring.members()) && confirmations.of(ring).containsAll(ring.members());
  }

  /** Marks a node, unless that is refused. */
  void mark(NodeId node, NodeMarkProto mark) {
    MetaResponse response =
        asNode(
            MetaRequest.newBuilder()
                .setMarkNodes(MarkNodesOp.newBuilder().addNodes(WireIds.encode(node)).setMark(mark))
                .build());
    if (!response.hasError()) {
      trace.add(mark + " " + node);
    }
  }

  /** An operator gives a node another share of the ring, if that is taken. */
  boolean weigh(NodeId node, double weight) {
    MetaResponse response =
        asNode(
            MetaRequest.newBuilder()
                .setWeighNodes(
                    WeighNodesOp.newBuilder()
                        .addWeights(
                            NodeWeightProto.newBuilder()
                                .setNode(WireIds.encode(node))
                                .setWeight(weight)))
                .build());
    if (response.hasError()) {
      return false;
    }
    trace.add("weight " + weight + " " + node);
    return true;
  }

  /**
   * The leader plans with the nodes that are up and those that it waits for.
   *
   * @param waitedFor of those that are down
   */
  void changeRing(Set<NodeId> waitedFor) {
    RingMap known = ring();
    Set<NodeId> present = up();
    Set<NodeId> gone = marks().gone();
    waitedFor.stream()
        .filter(known.nodes()::containsKey)
        .filter(node -> !gone.contains(node))
        .forEach(present::add);
    ChangeRingOp.Builder change =
        ChangeRingOp.newBuilder().setKnownEpoch(known.epoch()).setAcceptMassLoss(true);
    published(present).forEach(node -> change.addPresent(RingCodec.toProto(node)));
    Set<NodeId> confirmed = confirmations.of(known);
    up().stream()
        .filter(confirmed::contains)
        .forEach(node -> change.addConfirmed(WireIds.encode(node)));
    up().stream().filter(gone::contains).forEach(node -> change.addBack(WireIds.encode(node)));
    must(MetaRequest.newBuilder().setChangeRing(change));
    if (ring().epoch() != known.epoch()) {
      trace.add("ring " + ring().epoch() + " of " + present.size());
    }
  }

  Set<NodeId> leftOut(String path, int group) {
    Set<NodeId> out = new HashSet<>();
    for (ExclusionProto range : meta.status(path).getExclusionsList()) {
      if (range.getFirstGroup() <= group
          && Integer.compareUnsigned(group, range.getEndGroup()) < 0) {
        out.add(id(range.getNode()));
      }
    }
    return out;
  }

  void delete(String path) throws VdfsException {
    delete(path, files.get(path).key);
  }

  void delete(String path, FileKey key) throws VdfsException {
    files.remove(path);
    must(meta.delete(path, false));
    for (Node node : nodes.values()) {
      node.delete(key);
    }
  }

  void setReplication(String path, int replication) {
    must(
        MetaRequest.newBuilder()
            .setSetAttributes(
                SetAttributesOp.newBuilder()
                    .setPath(path)
                    .setReplication(replication)
                    .setRingCopies(REPLICATION)));
    files.get(path).replication = replication;
    trace.add("replication " + path + " " + replication);
  }

  long copied() {
    return nodes.values().stream()
        .filter(Node::isUp)
        .mapToLong(node -> node.repairer().read(RepairCounter.GROUPS_COPIED))
        .sum();
  }

  /** The nodes that are down, in a random order. */
  List<Node> down() {
    List<Node> down =
        new ArrayList<>(nodes.values().stream().filter(node -> !node.isUp()).toList());
    Collections.shuffle(down, random);
    return down;
  }

  @Override
  public void close() throws VdfsException {
    for (Node node : nodes.values()) {
      if (node.isUp()) {
        node.stop();
      }
    }
  }
}
