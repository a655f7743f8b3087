package io.vdfs.client.dataplane;

import io.vdfs.client.fake.QuietHolder;
import io.vdfs.client.files.ContentReader;
import io.vdfs.client.files.ContentWriter;
import io.vdfs.client.files.Files;
import io.vdfs.client.io.Delivery;
import io.vdfs.client.io.IoCounter;
import io.vdfs.client.io.IoSettings;
import io.vdfs.client.meta.ClientLeases;
import io.vdfs.client.meta.LeaseRenewer;
import io.vdfs.client.meta.MetadataCalls;
import io.vdfs.client.meta.cluster.ClusterAccess;
import io.vdfs.client.meta.cluster.ClusterDescription;
import io.vdfs.client.meta.cluster.ClusterSpace;
import io.vdfs.client.names.FileInfo;
import io.vdfs.client.place.BlockPlace;
import io.vdfs.client.place.BlockPlaces;
import io.vdfs.client.place.LocalNode;
import io.vdfs.common.cluster.record.ClusterProperties;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataAddress;
import io.vdfs.common.ring.Placement;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.ring.RingPlanner;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.AppendOp;
import io.vdfs.common.wire.proto.CallerProto;
import io.vdfs.common.wire.proto.CreateOp;
import io.vdfs.common.wire.proto.DeleteOp;
import io.vdfs.common.wire.proto.GetStatusQuery;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.OpenFileResult;
import io.vdfs.common.wire.proto.SetAttributesOp;
import io.vdfs.common.wire.proto.StatusProto;
import io.vdfs.common.wire.proto.WriteTicketProto;
import io.vdfs.datanode.meta.LedgerAdapter;
import io.vdfs.datanode.meta.MetadataState;
import io.vdfs.datanode.meta.level.FeatureLevels;
import io.vdfs.datanode.meta.state.settings.MetadataSettings;
import io.vdfs.datanode.rpc.request.RequestPreparer;
import io.vdfs.datanode.transfer.PeerLimits;
import io.vdfs.datanode.transfer.TestPeers;
import io.vdfs.datanode.transfer.TransferSettings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;

/**
 * Nodes with real stores, placed by a ring as a cluster's controller deals it, the metadata's real
 * operations on one replica, and the client's own writers and readers. Only the calls between them
 * are short cuts.
 */
final class WriterCluster implements AutoCloseable, MetadataCalls, ClusterAccess {
  static final ClusterGeometry GEOMETRY = new ClusterGeometry(2048, 4, 512, 12);
  static final int GROUP = (int) GEOMETRY.groupSize();
  static final String PATH = "/f";
  static final Duration CONNECT_LIMIT = Duration.ofMillis(800);

  /** So long that a node on a busy machine does not count as gone. */
  static final Duration LONG = Duration.ofSeconds(30);

  private static final TransferSettings NODE =
      new TransferSettings(
          Duration.ofSeconds(10),
          Duration.ofSeconds(5),
          Duration.ofSeconds(20),
          4,
          4096,
          65_536,
          65_536,
          64,
          PeerLimits.DEFAULT);

  final List<WriterNode> nodes = new ArrayList<>();
  final MetadataState metadata;
  private final UUID id = UUID.randomUUID();
  private final ClusterProperties properties;
  private final RingMap ring;
  private final RequestPreparer preparer;
  private final Set<NodeId> calledDead = new HashSet<>();
  private final DataPlaneContent content;
  private final List<MetaRequest> changes = new ArrayList<>();

  /**
   * @param listed nodes of each arc's list
   */
  WriterCluster(Path directory, int nodeCount, int listed) throws IOException {
    this(directory, nodeCount, listed, LONG);
  }

  /**
   * @param nodesWait how long writers wait for nodes that they cannot spare
   */
  WriterCluster(Path directory, int nodeCount, int listed, Duration nodesWait) throws IOException {
    this(directory, nodeCount, listed, nodesWait, LONG);
  }

  /**
   * @param nodesWait how long writers wait for nodes that they cannot spare
   * @param badNodeMemory how long at most a failed try counts for later groups
   */
  WriterCluster(
      Path directory, int nodeCount, int listed, Duration nodesWait, Duration badNodeMemory)
      throws IOException {
    for (int i = 0; i < nodeCount; i++) {
      nodes.add(new WriterNode(directory.resolve("node" + i), id, GEOMETRY, NODE, this::address));
    }
    List<RingNode> table = nodes.stream().map(WriterNode::ringNode).toList();
    ring = RingPlanner.plan(Optional.empty(), table, listed, GEOMETRY.arcs()).map();
    properties =
        new ClusterProperties(
            id, GEOMETRY, listed, nodeCount, 3, "root", "wheel", 1024, Placement.TURN);
    metadata = new MetadataState(MetadataSettings.of(GEOMETRY, "root"), new LedgerAdapter());
    preparer =
        new RequestPreparer(
            Clock.systemUTC(),
            () -> Optional.of(ring),
            () -> FeatureLevels.GROUP_CHECKSUMS,
            1 << 20);
    content =
        new DataPlaneContent(
            this,
            this,
            new LocalNode(Optional.empty(), Set::of),
            CONNECT_LIMIT,
            settings(nodesWait, badNodeMemory));
  }

  private Optional<DataAddress> address(NodeId wanted) {
    return Optional.of(node(wanted).address());
  }

  private static IoSettings settings(Duration nodesWait, Duration badNodeMemory) {
    return new IoSettings(
        1024,
        8192,
        LONG,
        LONG,
        nodesWait,
        Duration.ZERO,
        Duration.ofMillis(40),
        Duration.ofSeconds(2),
        badNodeMemory,
        4096,
        2,
        Delivery.SOCKET,
        50,
        false);
  }

  /** Opens {@link #PATH} again. */
  ContentWriter create(int replication) throws IOException {
    ClientLeases lease = new QuietHolder();
    MetaResponse made =
        call(
            MetaRequest.newBuilder()
                .setCreate(
                    CreateOp.newBuilder()
                        .setPath(PATH)
                        .setMode(0644)
                        .setReplication(replication)
                        .setHolder(WireIds.encode(lease.holder())))
                .build());
    return writer(made, lease);
  }

  ContentWriter append() throws IOException {
    ClientLeases lease = new QuietHolder();
    MetaResponse opened =
        call(
            MetaRequest.newBuilder()
                .setAppend(
                    AppendOp.newBuilder().setPath(PATH).setHolder(WireIds.encode(lease.holder())))
                .build());
    return writer(opened, lease);
  }

  private ContentWriter writer(MetaResponse opened, ClientLeases lease) throws IOException {
    OpenFileResult file = opened.getOpenFile();
    return content.writer(new FileInfo(file.getStatus()), file.getTicket(), lease);
  }

  /** Makes a file that is never written, and deletes it. */
  FileKey makeAndDelete(String path) throws IOException {
    StatusProto made =
        call(MetaRequest.newBuilder()
                .setCreate(
                    CreateOp.newBuilder()
                        .setPath(path)
                        .setMode(0644)
                        .setHolder(WireIds.encode(new QuietHolder().holder())))
                .build())
            .getOpenFile()
            .getStatus();
    delete(path);
    return new FileKey(made.getInodeId(), made.getGeneration());
  }

  void delete(String path) throws IOException {
    call(MetaRequest.newBuilder().setDelete(DeleteOp.newBuilder().setPath(path)).build());
  }

  void setReplication(int replication) throws IOException {
    call(
        MetaRequest.newBuilder()
            .setSetAttributes(
                SetAttributesOp.newBuilder().setPath(PATH).setReplication(replication))
            .build());
  }

  FileInfo file() throws IOException {
    return new FileInfo(
        call(MetaRequest.newBuilder()
                .setGetStatus(GetStatusQuery.newBuilder().setPath(PATH))
                .build())
            .getStatus());
  }

  /** Of the first bytes of a file, as applications ask for it. */
  int checksum(FileInfo file, long length) throws IOException {
    try (LeaseRenewer leases = new LeaseRenewer(this, this, UUID.randomUUID(), LONG)) {
      return new Files(this, this, content, leases).checksum(file, length);
    }
  }

  byte[] read() throws IOException {
    return read(0, Math.toIntExact(file().length()));
  }

  byte[] read(int from, int length) throws IOException {
    ContentReader reader = content.reader(file());
    ByteBuffer bytes = ByteBuffer.allocate(length);
    while (bytes.hasRemaining() && reader.read(from + bytes.position(), bytes) > 0) {
      // reads on
    }
    return bytes.array();
  }

  WriterNode node(NodeId wanted) {
    return nodes.stream().filter(node -> node.id.equals(wanted)).findFirst().orElseThrow();
  }

  /** The nodes of a group's list, in its order. */
  List<WriterNode> listed(int group) throws IOException {
    List<WriterNode> listed = new ArrayList<>();
    for (NodeId wanted : ring.replicas(file().key(), group).serving()) {
      listed.add(node(wanted));
    }
    return listed;
  }

  /** The nodes that hold bytes of a group, in the list's order. */
  List<WriterNode> holding(int group) throws IOException {
    FileInfo file = file();
    return listed(group).stream()
        .filter(node -> node.isUp() && node.held(file.key(), group) > 0)
        .toList();
  }

  List<BlockPlace> places() throws IOException {
    FileInfo file = file();
    return BlockPlaces.byGroup(current(), file, 0, file.length());
  }

  /** What ZooKeeper says of a node from now on. */
  synchronized void call(WriterNode node, boolean live) {
    if (live) {
      calledDead.remove(node.id);
    } else {
      calledDead.add(node.id);
    }
  }

  long counter(IoCounter counter) {
    return content.counters().get(counter.name().toLowerCase(Locale.ROOT));
  }

  /** The pipeline changes that were recorded. */
  synchronized List<MetaRequest> changes() {
    return List.copyOf(changes);
  }

  static byte[] bytes(long seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  @Override
  public synchronized MetaResponse call(MetaRequest request) throws VdfsException {
    CallerProto root = CallerProto.newBuilder().setUser("root").setSuperuser(true).build();
    MetaRequest prepared = preparer.prepare(request, root);
    MetaResponse response =
        request.hasGetStatus() || request.hasOpen()
            ? metadata.query(prepared)
            : metadata.apply(prepared);
    if (response.hasError()) {
      throw WireIds.exception(response.getError());
    }
    if (request.hasChangePipeline()) {
      changes.add(request);
    }
    return withProof(response);
  }

  /** As the leader does it. */
  private MetaResponse withProof(MetaResponse response) {
    OpenFileResult opened = response.getOpenFile();
    if (!opened.hasTicket()) {
      return response;
    }
    StatusProto status = opened.getStatus();
    WriteTicketProto ticket =
        TestPeers.tickets(id)
            .issue(
                new FileKey(status.getInodeId(), status.getGeneration()),
                status.getWriteEpoch(),
                opened.getTicket().getLastDeletion());
    return response.toBuilder().setOpenFile(opened.toBuilder().setTicket(ticket)).build();
  }

  @Override
  public synchronized ClusterDescription current() {
    List<NodeId> live = new ArrayList<>();
    nodes.forEach(node -> live.add(node.id));
    live.removeAll(calledDead);
    return new ClusterDescription("test", properties, ring, live, live, Optional.empty(), 0);
  }

  @Override
  public Optional<ClusterDescription> known() {
    return Optional.of(current());
  }

  @Override
  public ClusterDescription current(Duration limit) {
    return current();
  }

  @Override
  public ClusterDescription refresh(ClusterDescription stale) {
    return current();
  }

  @Override
  public ClusterDescription refresh(ClusterDescription stale, Duration limit) {
    return current();
  }

  @Override
  public ClusterSpace space() {
    throw new UnsupportedOperationException("no writer asks");
  }

  @Override
  public void close() throws IOException {
    content.close();
    for (WriterNode node : nodes) {
      node.close();
    }
  }
}
