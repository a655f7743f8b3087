package io.vdfs.datanode.repair;

import com.google.protobuf.ByteString;
import io.vdfs.common.checksum.VerifiedChunks;
import io.vdfs.common.cluster.ClusterCodec;
import io.vdfs.common.cluster.ClusterProperties;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.LeaseBound;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.GroupReplicas;
import io.vdfs.common.ring.RingCodec;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.ring.RingPlanner;
import io.vdfs.common.store.BlockRole;
import io.vdfs.common.store.VerifiedGroup;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.AppendOp;
import io.vdfs.common.wire.proto.ChangePipelineOp;
import io.vdfs.common.wire.proto.ChangeRingOp;
import io.vdfs.common.wire.proto.ClusterRecordProto;
import io.vdfs.common.wire.proto.ClusterRecordQuery;
import io.vdfs.common.wire.proto.CompleteOp;
import io.vdfs.common.wire.proto.CreateOp;
import io.vdfs.common.wire.proto.ExclusionProto;
import io.vdfs.common.wire.proto.GroupSyncProto;
import io.vdfs.common.wire.proto.LeftOutProto;
import io.vdfs.common.wire.proto.ListLackingQuery;
import io.vdfs.common.wire.proto.ListLackingResult;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.RecordClusterOp;
import io.vdfs.common.wire.proto.SetAttributesOp;
import io.vdfs.common.wire.proto.StatusProto;
import io.vdfs.datanode.meta.MetadataHarness;
import io.vdfs.datanode.meta.service.ManualLoop;
import io.vdfs.datanode.meta.service.ReplicaProbe;
import io.vdfs.datanode.repair.copy.StoreGroups;
import io.vdfs.datanode.repair.copy.Surroundings;
import io.vdfs.datanode.store.BlockCopy;
import io.vdfs.datanode.store.BlockStore;
import io.vdfs.datanode.store.BlockWriter;
import io.vdfs.datanode.store.StoreConfig;
import io.vdfs.datanode.store.StoreFixture;
import io.vdfs.datanode.store.disk.SimulatedDisk;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
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
  private static final int REPLICATION = 3;
  private static final List<Path> VOLUMES = List.of(Path.of("/d0"));

  final ManualLoop loop = new ManualLoop();
  final MetadataHarness meta = new MetadataHarness();
  final NavigableMap<NodeId, Node> nodes = new TreeMap<>();
  final Map<String, File> files = new TreeMap<>();
  final List<String> trace = new ArrayList<>();

  private final Random random;
  private final Map<NodeId, Long> confirmed = new HashMap<>();
  private RingMap writersRing;
  private int made;

  SimulatedCluster(Random random, int count) throws VdfsException {
    this.random = random;
    for (int i = 0; i < count; i++) {
      addNode();
    }
    RingMap first =
        RingPlanner.plan(Optional.empty(), published(nodes.keySet()), REPLICATION, GEOMETRY.arcs())
            .map();
    ClusterProperties properties =
        new ClusterProperties(
            StoreFixture.CLUSTER, GEOMETRY, REPLICATION, count, 0, "vdfs", "wheel", 1 << 20);
    must(
        MetaRequest.newBuilder()
            .setRecordCluster(
                RecordClusterOp.newBuilder()
                    .setRecord(
                        ClusterRecordProto.newBuilder()
                            .setCluster(ClusterCodec.toProto(properties))
                            .setRing(RingCodec.toProto(first)))));
    writersRing = first;
  }

  /** What a file should hold. */
  static final class File {
    final FileKey key;
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

  /** A node, up or down, with its disk. */
  final class Node {
    final NodeId id;
    final SimulatedDisk disk = new SimulatedDisk();
    private final Set<FileKey> deletions = new HashSet<>();
    private BlockStore store;
    private Repairer repairer;

    Node(NodeId id) {
      this.id = id;
    }

    boolean isUp() {
      return store != null;
    }

    BlockStore store() {
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
                  Set.of(),
                  2,
                  StoreConfig.DEFAULT_WRITE_PATIENCE));
      for (FileKey file : deletions) {
        store.delete(file);
      }
      deletions.clear();
      repairer =
          new Repairer(
              new Surroundings(
                  id,
                  new Probe(),
                  new StoreGroups(store, GEOMETRY, this::fetch),
                  () -> Optional.of(ring()),
                  SimulatedCluster.this::up,
                  GEOMETRY,
                  loop,
                  loop),
              request -> CompletableFuture.completedFuture(asNode(request)),
              new RepairSettings(1L << 40, Duration.ofHours(1), Duration.ofDays(7)));
      repairer.start();
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

    void stop() throws VdfsException {
      repairer.stop();
      disk.kill();
      store.close();
      store = null;
    }

    void delete(FileKey file) throws VdfsException {
      if (isUp()) {
        store.delete(file);
      } else {
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
            requireUp(node).store.verify(file, group, lease, marks));
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
    try {
      return RingCodec.fromProto(
          meta.answer(meta.request().setClusterRecord(ClusterRecordQuery.getDefaultInstance()))
              .getClusterRecord()
              .getRing());
    } catch (VdfsException e) {
      throw new AssertionError(e);
    }
  }

  private static List<RingNode> published(Set<NodeId> ids) {
    List<RingNode> published = new ArrayList<>();
    for (NodeId id : ids) {
      published.add(new RingNode(id, "host", 1, 2, 3, 0, "/r", 1, 1));
    }
    return published;
  }

  private MetaResponse asNode(MetaRequest request) {
    MetaRequest asked =
        request.toBuilder().setCaller(MetadataHarness.ROOT).setTimeMillis(millis()).build();
    return switch (request.getOpCase()) {
      case CONFIRM_HOLDINGS -> {
        confirmed.put(
            id(request.getConfirmHoldings().getNode()),
            request.getConfirmHoldings().getRingEpoch());
        yield MetaResponse.getDefaultInstance();
      }
      case LIST_HOLDINGS, LIST_LACKING, FILE_EXISTS -> meta.state().query(asked);
      default -> meta.state().apply(asked);
    };
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

  private MetaResponse must(MetaRequest.Builder request) {
    MetaResponse response =
        meta.state().apply(request.setCaller(MetadataHarness.ROOT).setTimeMillis(millis()).build());
    if (response.hasError()) {
      throw new AssertionError(response.getError() + " to " + request + "\n" + trace);
    }
    return response;
  }

  /**
   * The leader plans with the nodes that are up and those that it waits for.
   *
   * @param waitedFor of those that are down
   */
  void changeRing(Set<NodeId> waitedFor) {
    RingMap known = ring();
    Set<NodeId> present = up();
    waitedFor.stream().filter(known.nodes()::containsKey).forEach(present::add);
    ChangeRingOp.Builder change =
        ChangeRingOp.newBuilder().setKnownEpoch(known.epoch()).setAcceptMassLoss(true);
    published(present).forEach(node -> change.addPresent(RingCodec.toProto(node)));
    up().stream()
        .filter(node -> confirmed.getOrDefault(node, 0L) == known.epoch())
        .forEach(node -> change.addConfirmed(WireIds.encode(node)));
    must(MetaRequest.newBuilder().setChangeRing(change));
    if (ring().epoch() != known.epoch()) {
      trace.add("ring " + ring().epoch() + " of " + present.size());
    }
  }

  /** Writers learn of the newest ring map. */
  void refreshWriters() {
    writersRing = ring();
  }

  /** Writes a new file where enough nodes live. */
  void write(String path, int length, int replication) throws VdfsException {
    byte[] content = new byte[length];
    random.nextBytes(content);
    long id =
        must(MetaRequest.newBuilder()
                .setCreate(
                    CreateOp.newBuilder()
                        .setPath(path)
                        .setMode(0644)
                        .setHolder(MetadataHarness.id(9))
                        .setRingCopies(REPLICATION)
                        .setReplication(replication)))
            .getOpenFile()
            .getFileId();
    File file = new File(new FileKey(id, 1), content, replication);
    if (!finish(path, file, 0, 1)) {
      delete(path, file.key);
    }
  }

  void append(String path, int length) throws VdfsException {
    File file = files.get(path);
    byte[] added = new byte[length];
    random.nextBytes(added);
    byte[] content = Arrays.copyOf(file.content, file.content.length + length);
    System.arraycopy(added, 0, content, file.content.length, length);
    StatusProto opened =
        must(MetaRequest.newBuilder()
                .setAppend(AppendOp.newBuilder().setPath(path).setHolder(MetadataHarness.id(9))))
            .getOpenFile()
            .getStatus();
    int before = file.content.length;
    file.content = content;
    if (!finish(path, file, before, opened.getWriteEpoch())) {
      // nothing of it was acknowledged; the file goes with it, as nobody recovers it here
      delete(path, file.key);
    }
  }

  /** Sends the bytes from {@code start} on to those keepers that can take them, and closes. */
  private boolean finish(String path, File file, int start, int opened) throws VdfsException {
    Map<Integer, Set<NodeId>> pipelines = new TreeMap<>();
    ChangePipelineOp.Builder change =
        ChangePipelineOp.newBuilder()
            .setFile(WireIds.encode(file.key))
            .setHolder(MetadataHarness.id(9))
            .setWriteEpoch(opened)
            .setLength(start);
    for (int group = GEOMETRY.groupAt(start); group < file.groups(); group++) {
      Set<NodeId> out = new HashSet<>();
      List<NodeId> serving = writersRing.replicas(file.key, group).serving();
      int needed = GroupReplicas.requiredCopies(file.replication, writersRing.replication());
      Set<NodeId> recorded = leftOut(path, group);
      Set<NodeId> takers = new TreeSet<>();
      for (NodeId node : serving) {
        if (takers.size() == Math.min(file.replication, serving.size())
            || recorded.contains(node)) {
          continue;
        }
        if (canTake(node, file.key, group, start)) {
          takers.add(node);
        } else {
          out.add(node);
        }
      }
      if (takers.size() < needed) {
        return false;
      }
      pipelines.put(group, takers);
      if (!out.isEmpty()) {
        LeftOutProto.Builder leftOut = LeftOutProto.newBuilder().setGroup(group);
        out.forEach(node -> leftOut.addNodes(WireIds.encode(node)));
        change.addLeftOut(leftOut);
      }
    }
    int epoch = opened;
    if (change.getLeftOutCount() > 0) {
      epoch = change(change, pipelines, file, start);
    } else {
      send(file, pipelines, start, epoch);
    }
    CompleteOp.Builder complete =
        CompleteOp.newBuilder()
            .setFile(WireIds.encode(file.key))
            .setHolder(MetadataHarness.id(9))
            .setWriteEpoch(epoch)
            .setLength(file.content.length)
            .setRequiredCopies(2);
    pipelines.forEach(
        (group, takers) -> {
          GroupSyncProto.Builder synced = GroupSyncProto.newBuilder().setGroup(group);
          takers.forEach(node -> synced.addNodes(WireIds.encode(node)));
          complete.addSynced(synced);
        });
    must(MetaRequest.newBuilder().setComplete(complete));
    trace.add("closed " + path + " epoch " + epoch + " on " + shown(pipelines));
    files.put(path, file);
    return true;
  }

  /** Leaves nodes out group by group, as a writer may only of the groups it is at. */
  private int change(
      ChangePipelineOp.Builder all, Map<Integer, Set<NodeId>> pipelines, File file, int start)
      throws VdfsException {
    int epoch = all.getWriteEpoch();
    for (Map.Entry<Integer, Set<NodeId>> group : pipelines.entrySet()) {
      int length = Math.max(start, group.getKey() * GROUP);
      Optional<LeftOutProto> out =
          all.getLeftOutList().stream()
              .filter(left -> left.getGroup() == group.getKey())
              .findFirst();
      if (out.isPresent()) {
        epoch =
            must(MetaRequest.newBuilder()
                    .setChangePipeline(
                        all.clone()
                            .setWriteEpoch(epoch)
                            .setLength(length)
                            .clearLeftOut()
                            .addLeftOut(out.get())))
                .getOpenFile()
                .getStatus()
                .getWriteEpoch();
      }
      send(file, Map.of(group.getKey(), group.getValue()), start, epoch);
    }
    return epoch;
  }

  private static String shown(Map<Integer, Set<NodeId>> pipelines) {
    StringBuilder text = new StringBuilder();
    pipelines.forEach(
        (group, takers) -> {
          text.append(' ').append(group).append(':');
          takers.forEach(node -> text.append(node.toString().charAt(17)).append(','));
        });
    return text.toString();
  }

  private boolean canTake(NodeId node, FileKey file, int group, int start) {
    Node taker = nodes.get(node);
    if (taker == null || !taker.isUp()) {
      return false;
    }
    int held = Math.max(0, start - group * GROUP);
    return held == 0 || taker.store.group(file, group).length() >= held;
  }

  private void send(File file, Map<Integer, Set<NodeId>> pipelines, int start, int epoch)
      throws VdfsException {
    for (Map.Entry<Integer, Set<NodeId>> pipeline : pipelines.entrySet()) {
      int group = pipeline.getKey();
      int from = Math.max(group * GROUP, start - start % GEOMETRY.chunkSize());
      int to = Math.min(file.content.length, (group + 1) * GROUP);
      for (NodeId node : pipeline.getValue()) {
        BlockWriter writer =
            StoreFixture.writer(nodes.get(node).store, file.key, group, epoch, from);
        ByteBuffer data = ByteBuffer.wrap(file.content, from, to - from);
        writer.append(from, VerifiedChunks.compute(data, GEOMETRY.chunkSize()));
        writer.close(true);
      }
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

  private void delete(String path, FileKey key) throws VdfsException {
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

  /** Whether a disk has all bytes of a group, sound. */
  boolean holds(Node node, File file, int group) throws VdfsException {
    byte[] wanted = file.group(group);
    if (!node.isUp() || node.store.group(file.key, group).length() < wanted.length) {
      return false;
    }
    try {
      int blockSize = GEOMETRY.blockSize();
      for (int at = 0; at < wanted.length; at += blockSize) {
        int length = Math.min(blockSize, wanted.length - at);
        long block = (long) group * GEOMETRY.groupBlocks() + at / blockSize;
        byte[] found = StoreFixture.read(node.store, file.key, block, 0, length);
        if (!Arrays.equals(wanted, at, at + length, found, 0, length)) {
          return false;
        }
      }
      return true;
    } catch (VdfsException e) {
      if (e.code() == ErrorCode.CORRUPT) {
        return false;
      }
      throw e;
    }
  }

  private List<NodeId> holders(File file, int group) throws VdfsException {
    List<NodeId> holders = new ArrayList<>();
    for (Node node : nodes.values()) {
      if (holds(node, file, group)) {
        holders.add(node.id);
      }
    }
    return holders;
  }

  /** Whether each group has another holder that is up. */
  boolean canSpare(Node lost) throws VdfsException {
    for (File file : files.values()) {
      for (int group = 0; group < file.groups(); group++) {
        boolean held = false;
        for (Node node : nodes.values()) {
          held |= node != lost && holds(node, file, group);
        }
        if (!held) {
          return false;
        }
      }
    }
    return true;
  }

  /**
   * What a node that readers ask gives them is never wrong.
   *
   * @return groups that some node which readers may ask has
   */
  int checkReads() throws VdfsException {
    int readable = 0;
    RingMap ring = ring();
    for (Map.Entry<String, File> entry : files.entrySet()) {
      File file = entry.getValue();
      for (int group = 0; group < file.groups(); group++) {
        boolean found = false;
        GroupReplicas replicas =
            GroupReplicas.of(
                ring.replicas(file.key, group).serving(),
                file.replication,
                leftOut(entry.getKey(), group));
        for (NodeId id : replicas.readOrder()) {
          Node node = nodes.get(id);
          int length = file.group(group).length;
          if (node == null || !node.isUp() || node.store.group(file.key, group).length() < length) {
            continue;
          }
          if (!holds(node, file, group)) {
            throw new AssertionError(
                "wrong bytes: file=%s, group=%d, node=%s, ring=%d%n%s"
                    .formatted(entry.getKey(), group, id, ring.epoch(), trace));
          }
          found = true;
        }
        readable += found ? 1 : 0;
      }
    }
    return readable;
  }

  /** Why not everything is as it should be; empty if it is. */
  List<String> defects() throws VdfsException {
    List<String> defects = new ArrayList<>();
    RingMap ring = ring();
    int copies = Math.min(REPLICATION, up().size());
    for (int arc = 0; arc < ring.arcCount(); arc++) {
      if (!ring.arcs().get(arc).joining().isEmpty()
          || ring.arcs().get(arc).serving().size() != copies
          || !up().containsAll(ring.arcs().get(arc).serving())) {
        defects.add("arc " + arc + ": " + ring.arcs().get(arc));
      }
    }
    ListLackingResult lacking =
        meta.answer(meta.request().setListLacking(ListLackingQuery.getDefaultInstance()))
            .getLacking();
    if (lacking.getGroupsCount() > 0) {
      defects.add("lacking: " + lacking.getGroups(0));
    }
    for (Map.Entry<String, File> entry : files.entrySet()) {
      File file = entry.getValue();
      for (int group = 0; group < file.groups(); group++) {
        List<NodeId> serving = ring.replicas(file.key, group).serving();
        List<NodeId> keepers =
            GroupReplicas.of(serving, file.replication, leftOut(entry.getKey(), group)).keepers();
        if (keepers.size() < Math.min(file.replication, serving.size())) {
          defects.add(
              "too few copies: %s, group %d, listed %s, left out %s, held by %s"
                  .formatted(
                      entry.getKey(),
                      group,
                      serving,
                      leftOut(entry.getKey(), group),
                      holders(file, group)));
        }
        for (NodeId keeper : keepers) {
          if (!holds(nodes.get(keeper), file, group)) {
            defects.add("no copy: " + entry.getKey() + ", group " + group + ", keeper " + keeper);
          }
        }
      }
    }
    return defects;
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
