package io.vdfs.datanode;

import io.vdfs.common.cluster.ClusterDirectory;
import io.vdfs.common.cluster.record.ClusterCopy;
import io.vdfs.common.cluster.record.ClusterProperties;
import io.vdfs.common.cluster.record.ClusterSnapshot;
import io.vdfs.common.cluster.record.MetadataGroup;
import io.vdfs.common.concurrent.DaemonThreads;
import io.vdfs.common.concurrent.Parts;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.metrics.MetricGroup;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataConnections;
import io.vdfs.common.net.NetCounter;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.rpc.CallLimits;
import io.vdfs.common.rpc.ControlHandler;
import io.vdfs.common.rpc.ControlMethods;
import io.vdfs.common.rpc.ControlServer;
import io.vdfs.common.rpc.ControlServerSettings;
import io.vdfs.common.security.ClusterKey;
import io.vdfs.common.security.ClusterKeyFile;
import io.vdfs.common.security.KeyPurposes;
import io.vdfs.common.security.MacKey;
import io.vdfs.common.security.NodeProofs;
import io.vdfs.common.security.WriteTickets;
import io.vdfs.datanode.hadoop.TrashEmptier;
import io.vdfs.datanode.host.ClusterAddresses;
import io.vdfs.datanode.host.ClusterCopyWriter;
import io.vdfs.datanode.host.ClusterRecorder;
import io.vdfs.datanode.host.HostedMember;
import io.vdfs.datanode.host.LevelKeeper;
import io.vdfs.datanode.host.MemberChanges;
import io.vdfs.datanode.host.MemberReach;
import io.vdfs.datanode.host.MemberReplacer;
import io.vdfs.datanode.host.MetadataHost;
import io.vdfs.datanode.host.MetadataMetrics;
import io.vdfs.datanode.host.MetadataSeat;
import io.vdfs.datanode.local.LocalDelivery;
import io.vdfs.datanode.loop.ThreadServiceLoop;
import io.vdfs.datanode.machine.DiskLoads;
import io.vdfs.datanode.machine.FreePort;
import io.vdfs.datanode.machine.HostNames;
import io.vdfs.datanode.machine.OpenFileLimit;
import io.vdfs.datanode.machine.WholeFile;
import io.vdfs.datanode.membership.Membership;
import io.vdfs.datanode.meta.group.GroupMember;
import io.vdfs.datanode.meta.group.LevelRaiser;
import io.vdfs.datanode.meta.group.Peers;
import io.vdfs.datanode.meta.level.FeatureLevels;
import io.vdfs.datanode.meta.service.DeletionWorker;
import io.vdfs.datanode.repair.copy.RepairThreads;
import io.vdfs.datanode.repair.copy.StoreGroups;
import io.vdfs.datanode.repair.copy.Surroundings;
import io.vdfs.datanode.report.ArcLevel;
import io.vdfs.datanode.report.NodeMetrics;
import io.vdfs.datanode.report.NodeVolumes;
import io.vdfs.datanode.rpc.ClusterInfoHandler;
import io.vdfs.datanode.rpc.ControlPlane;
import io.vdfs.datanode.rpc.LeaderGateway;
import io.vdfs.datanode.rpc.MemberHandlers;
import io.vdfs.datanode.rpc.MetaHandler;
import io.vdfs.datanode.rpc.NodeCallHandler;
import io.vdfs.datanode.rpc.NodeClient;
import io.vdfs.datanode.rpc.NodeCountersHandler;
import io.vdfs.datanode.rpc.NodeRepairHandler;
import io.vdfs.datanode.rpc.StreamNextHandler;
import io.vdfs.datanode.rpc.request.CallIds;
import io.vdfs.datanode.rpc.request.Callers;
import io.vdfs.datanode.scrub.ScrubFile;
import io.vdfs.datanode.segment.SegmentDelivery;
import io.vdfs.datanode.segment.SegmentSettings;
import io.vdfs.datanode.store.AcceptedLosses;
import io.vdfs.datanode.store.BlockBuffers;
import io.vdfs.datanode.store.DoubtedBlocks;
import io.vdfs.datanode.store.ReadPace;
import io.vdfs.datanode.store.group.DiskBlockStore;
import io.vdfs.datanode.store.load.StoreOpener;
import io.vdfs.datanode.store.memory.MappedBuffers;
import io.vdfs.datanode.stream.OrderedReads;
import io.vdfs.datanode.stream.StreamManager;
import io.vdfs.datanode.stream.StreamManagerCounter;
import io.vdfs.datanode.transfer.DataPeers;
import io.vdfs.datanode.transfer.PeerLimits;
import io.vdfs.datanode.transfer.TransferSettings;
import io.vdfs.datanode.transfer.replica.NettyReplicaProbe;
import io.vdfs.datanode.transfer.server.Deliveries;
import io.vdfs.datanode.transfer.server.TransferServer;
import io.vdfs.datanode.web.JmxBeans;
import io.vdfs.datanode.web.MetricsServer;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One node of a cluster: opens its volumes, listens, joins. Metadata are served as soon as enough
 * nodes are there; {@link #start} does not wait for that.
 *
 * <p>Thread-safe.
 */
public final class DataNode implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DataNode.class);
  private static final Duration CONNECT_LIMIT = Duration.ofSeconds(5);
  private static final Duration PROBE_LIMIT = Duration.ofSeconds(8);
  private static final Duration GATEWAY_LIMIT = Duration.ofSeconds(20);
  private static final Duration CALL_LIMIT = Duration.ofSeconds(25);
  private static final Duration FILE_LIMIT = Duration.ofSeconds(5);
  private static final Duration REMOVALS_GATHER = Duration.ofSeconds(30);
  private static final Duration DELETION_PERIOD = Duration.ofSeconds(2);
  private static final Duration FOUNDATION_LIMIT = Duration.ofDays(365);
  private static final Duration CLOSE_LIMIT = Duration.ofSeconds(10);
  private static final int REPAIR_THREADS = 8;
  private static final Path DEVICES = Path.of("/sys/dev/block");

  private final DaemonSettings settings;
  private final Set<Path> acceptedEmpty;
  private final Consumer<Throwable> onFatal;
  private final Parts parts = new Parts();
  private final MetadataMetrics metadataMetrics = MetadataMetrics.create();
  private final LateHandler metaHandler = new LateHandler("the metadata group");
  private final LateHandler nodeMetaHandler = new LateHandler("the metadata group");
  private final LateHandler streamHandler = new LateHandler("the metadata group");
  private final DoubtedBlocks doubts = new DoubtedBlocks();

  private ClusterKey key;
  private Optional<ClusterCopy> known = Optional.empty();
  private ClusterDirectory directory;
  private ClusterAddresses addresses;
  private OwnNode own;
  private DiskBlockStore store;
  private Optional<String> metadataProblem = Optional.empty();
  private StreamManager streams;
  private Optional<LocalDelivery> local = Optional.empty();
  private Optional<SegmentDelivery> segments = Optional.empty();
  private DataConnections connections;
  private TransferServer transfer;
  private ControlPlane controlPlane;
  private RingNode self;
  private volatile Optional<MetadataHost> host = Optional.empty();
  private volatile Optional<MemberChanges> changes = Optional.empty();
  private volatile Optional<DeletionWorker> deletions = Optional.empty();
  private volatile Optional<Upkeep> upkeep = Optional.empty();

  private DataNode(DaemonSettings settings, Set<Path> acceptedEmpty, Consumer<Throwable> onFatal) {
    this.settings = settings;
    this.acceptedEmpty = acceptedEmpty;
    this.onFatal = onFatal;
  }

  /**
   * Starts a node in this process.
   *
   * @param properties {@code vdfs.*} keys as in {@code vdfs-site.xml}
   * @throws VdfsException as {@link #start(DaemonSettings, Set, Consumer)}
   */
  public static DataNode start(Map<String, String> properties) throws VdfsException {
    return start(
        DaemonSettings.of(properties, "the given properties", Path.of("")),
        Set.of(),
        cause -> LOG.error("This node must stop", cause));
  }

  /**
   * @param acceptedEmpty data directories that become new volumes if they are empty, whatever the
   *     node had there
   * @param onFatal told when the node must stop serving; returns soon, closes on another thread
   * @throws VdfsException one line naming value and cure; nothing keeps running, and nothing was
   *     written where a setting is wrong
   */
  static DataNode start(
      DaemonSettings settings, Set<Path> acceptedEmpty, Consumer<Throwable> onFatal)
      throws VdfsException {
    DataNode node = new DataNode(settings, acceptedEmpty, onFatal);
    boolean started = false;
    try {
      node.open();
      started = true;
      return node;
    } finally {
      if (!started) {
        node.close();
      }
    }
  }

  private void open() throws VdfsException {
    String address = settings.node().bindAddress();
    FreePort.require(DaemonSettings.CONTROL_PORT, address, settings.node().ports().control());
    FreePort.require(DaemonSettings.DATA_PORT, address, settings.node().ports().data());
    FreePort.require(DaemonSettings.RAFT_PORT, address, settings.node().ports().raft());
    FreePort.require(DaemonSettings.METRICS_PORT, address, settings.node().metricsPort());
    if (address.equals(HostNames.ALL)) {
      LOG.warn(
          "Listens at all addresses. The cluster key keeps strangers from being nodes, and tickets"
              + " keep them from writing; but names of users are believed, and blocks are read by"
              + " whoever connects: let only machines that you trust reach the ports, or name one"
              + " address by {}",
          DaemonSettings.BIND_ADDRESS.key());
    } else {
      LOG.info("Listens at one address: host={}, address={}", settings.node().host(), address);
    }
    key = new ClusterKeyFile(settings.cluster().keyFile()).load();
    LOG.info("This node's cluster key: fingerprints={}", key.fingerprints());
    known = readCopy();
    directory = parts.add(openDirectory());
    addresses = new ClusterAddresses(this::cluster);
    ClusterProperties cluster = directory.properties();
    own = new OwnNode(settings, directory);
    NodeId id = own.id(acceptedEmpty);
    own.requireReachable(id);
    BlockBuffers buffers = MappedBuffers.open(settings.reading().bufferMemory());
    AcceptedLosses accepted = new AcceptedLosses(acceptedEmpty, own::givenUp);
    store = parts.add(StoreOpener.open(settings.store(cluster, id, accepted), buffers));
    metadataProblem =
        MetadataDisk.problemWith(settings.metadata().directory(), store.report().failedVolumes());
    metadataProblem.ifPresent(LOG::error);
    streams =
        parts.add(
            StreamManager.start(
                store,
                settings.storage().directories().size(),
                settings.reading().streams(),
                buffers,
                onFatal));
    Counters<NetCounter> net = new Counters<>(NetCounter.class);
    connections = parts.add(new DataConnections(CONNECT_LIMIT, net));
    OrderedReads reads =
        parts.add(new OrderedReads(store, streams, cluster.geometry().chunkSize()));
    local = openLocalDelivery(cluster, reads);
    segments = openSegments(cluster, id);
    transfer =
        parts.add(
            TransferServer.start(
                new InetSocketAddress(address, settings.node().ports().data()),
                new DataPeers(
                    cluster.clusterId(),
                    id,
                    new WriteTickets(key, cluster.clusterId()),
                    new NodeProofs(key),
                    addresses::dataAddress),
                cluster.geometry(),
                store,
                doubts,
                reads,
                new Deliveries(local, segments),
                connections,
                TransferSettings.DEFAULT.with(peerLimits())));
    List<MetricGroup> metrics = metrics(id, net);
    parts.add(JmxBeans.register(id, metrics));
    int webPort = serveMetrics(address, metrics);
    controlPlane = parts.add(ControlPlane.open());
    ControlServer control = parts.add(listen(cluster, id, metrics));
    boolean keepsMetadata = metadataProblem.isEmpty();
    DaemonSettings.Ports ports =
        new DaemonSettings.Ports(
            control.address().getPort(), transfer.port(), own.raftPort(keepsMetadata));
    self = own.describe(id, ports, webPort, own.weight(store));
    parts.add(
        Membership.start(
            directory,
            self,
            known.isPresent(),
            own.started(Clock.systemUTC(), keepsMetadata),
            onFatal::accept));
    if (keepsMetadata) {
      parts.add(ClusterCopyWriter.start(directory, settings.clusterCopy(), known));
    }
    startMetadata();
  }

  /** The cluster as this node remembers it; a copy that can't be read is simply made again. */
  private Optional<ClusterCopy> readCopy() {
    try {
      return settings.clusterCopy().read();
    } catch (VdfsException e) {
      LOG.warn("This node's memory of the cluster is lost: {}", e.getMessage());
      return Optional.empty();
    }
  }

  private ClusterDirectory openDirectory() throws VdfsException {
    try {
      return ClusterDirectory.openAsNode(
          settings.cluster().zooKeeper(), settings.cluster().name(), key, known);
    } catch (VdfsException e) {
      if (known.isEmpty() || e.code() != ErrorCode.MISCONFIGURED) {
        throw e;
      }
      throw new VdfsException(
          e.code(), e.getMessage() + ": metadata=" + settings.metadata().directory(), e);
    }
  }

  private List<MetricGroup> metrics(NodeId nodeId, Counters<NetCounter> net) {
    List<MetricGroup> metrics = new ArrayList<>();
    metrics.add(MetricGroup.of("stream", StreamManagerCounter.class, streams.counters()::get));
    metrics.addAll(
        NodeMetrics.ofStore(
            store,
            () -> deletions.map(DeletionWorker::missed).orElse(0L),
            watchDisks(),
            settings.reading().streams().readAhead()));
    metrics.addAll(Upkeep.metrics(() -> upkeep));
    metrics.add(
        MetricGroup.of("ring", ArcLevel.class, level -> level.of(cluster().ringMap(), nodeId)));
    metrics.addAll(NodeMetrics.ofTransfer(transfer, local, segments, net));
    metrics.addAll(metadataMetrics.groups());
    metrics.add(MetricGroup.of("feature_level", () -> NodeMetrics.featureLevel(host)));
    return metrics;
  }

  private DiskLoads watchDisks() {
    ThreadServiceLoop loop = parts.add(new ThreadServiceLoop("vdfs-disk-loads"));
    DiskLoads disks = new DiskLoads(settings.storage().directories(), DEVICES, loop);
    disks.start();
    return disks;
  }

  /** The port of the monitoring page; 0 if there is none. */
  private int serveMetrics(String address, List<MetricGroup> metrics) throws VdfsException {
    if (settings.node().metricsPort() == 0) {
      return 0;
    }
    InetSocketAddress page = new InetSocketAddress(address, settings.node().metricsPort());
    return parts.add(MetricsServer.start(page, DaemonSettings.METRICS_PORT.key(), metrics)).port();
  }

  private Optional<LocalDelivery> openLocalDelivery(ClusterProperties cluster, OrderedReads reads) {
    LocalDelivery opened =
        parts.add(
            LocalDelivery.open(
                store, cluster.geometry(), settings.storage().directories(), reads.forOthers()));
    return settings.reading().local() ? Optional.of(opened) : Optional.empty();
  }

  private Optional<SegmentDelivery> openSegments(ClusterProperties cluster, NodeId id) {
    SegmentSettings shared =
        new SegmentSettings(
            settings.reading().segments().directory(),
            settings.reading().segments().group(),
            settings.reading().segments().memory(),
            SegmentSettings.layoutFor(cluster.geometry().blockSize()));
    if (!settings.reading().segments().on()) {
      SegmentDelivery.clear(shared, id);
      return Optional.empty();
    }
    Optional<SegmentDelivery> opened = SegmentDelivery.open(shared, id);
    opened.ifPresent(parts::add);
    return opened;
  }

  private ControlServer listen(ClusterProperties cluster, NodeId id, List<MetricGroup> metrics)
      throws VdfsException {
    ClusterInfoHandler info =
        new ClusterInfoHandler(
            directory.name(),
            cluster,
            this::cluster,
            () -> host.flatMap(MetadataHost::member).flatMap(GroupMember::leader),
            id,
            () -> Optional.of(NodeVolumes.toProto(store, own.weight(store), metadataProblem)),
            TrashEmptier.intervalMinutes(controlPlane.configuration()));
    Map<String, ControlHandler> handlers = new HashMap<>();
    handlers.put(ControlMethods.CLUSTER_INFO, info);
    handlers.put(ControlMethods.NODE_COUNTERS, new NodeCountersHandler(metrics));
    handlers.put(ControlMethods.META, metaHandler);
    handlers.put(ControlMethods.STREAM_NEXT, streamHandler);
    Callers callers = controlPlane.callers(directory.properties().supergroup());
    handlers.put(
        ControlMethods.NODE_REPAIR, new NodeRepairHandler(new NodeRepairs(() -> upkeep), callers));
    MemberHandlers members =
        new MemberHandlers(new HostedMember(() -> host, () -> changes), id, callers);
    handlers.putAll(members.byMethod());
    Map<String, ControlHandler> ofNodes = new HashMap<>(members.ofNodes());
    ofNodes.put(ControlMethods.META, nodeMetaHandler);
    handlers.put(ControlMethods.NODE, new NodeCallHandler(id, nodeKey(), ofNodes));
    return controlPlane.listen(
        new ControlServerSettings(
            settings.node().bindAddress(),
            settings.node().ports().control(),
            DaemonSettings.CONTROL_PORT.key(),
            settings.node().controlHandlers(),
            CALL_LIMIT,
            CallLimits.within(
                Runtime.getRuntime().maxMemory(),
                OpenFileLimit.ofThisProcess(),
                settings.node().shares().controlCalls())),
        handlers);
  }

  private MacKey nodeKey() {
    return key.derive(KeyPurposes.NODE);
  }

  /** A quarter of the files that the process may have open is left to peers of the data port. */
  private PeerLimits peerLimits() {
    PeerLimits usual = PeerLimits.DEFAULT;
    long connections = Math.min(usual.connections(), OpenFileLimit.ofThisProcess() / 4);
    return new PeerLimits(
        usual.frame(),
        usual.idle(),
        usual.crowdedStall(),
        settings.node().shares().dataConnections(),
        (int) Math.max(1, connections),
        parts.add(new RingHosts(this::cluster)));
  }

  private ClusterSnapshot cluster() {
    return host.map(MetadataHost::snapshot).orElseGet(directory::snapshot);
  }

  /** Waits for the metadata group on a thread of its own, then serves metadata. */
  private void startMetadata() {
    Thread starter = DaemonThreads.of("vdfs-metadata-start", this::serveMetadata);
    starter.start();
    parts.add(
        () -> {
          starter.interrupt();
          // bounded, because Ratis may end the process from there, which waits for this
          starter.join(CLOSE_LIMIT.toMillis());
        });
  }

  private void serveMetadata() {
    try {
      serve(
          directory.await("the metadata group", ClusterSnapshot::metadataGroup, FOUNDATION_LIMIT));
    } catch (VdfsException e) {
      if (!Thread.currentThread().isInterrupted()) {
        onFatal.accept(e);
      }
    }
  }

  private void serve(MetadataGroup group) throws VdfsException {
    Callers callers = controlPlane.callers(directory.properties().supergroup());
    CallIds callIds = new CallIds(UUID.randomUUID());
    NodeClient nodes = new NodeClient(controlPlane.client(), id(), nodeKey());
    MetadataHost hosting = parts.add(MetadataHost.start(surroundings(callers, callIds), group));
    host = Optional.of(hosting);
    changes = Optional.of(parts.add(new MemberChanges(hosting, MemberChanges.by(nodes))));
    parts.add(
        MemberReplacer.start(
            hosting, changes.get(), directory.properties(), settings.metadata().replaceAfter()));
    parts.add(
        LevelKeeper.start(
            hosting,
            new LevelRaiser(
                LevelKeeper.by(id(), addresses, controlPlane.client()),
                callers.self(),
                Clock.systemUTC())));
    parts.add(ClusterRecorder.start(hosting, directory));
    LeaderGateway gateway =
        parts.add(
            new LeaderGateway(
                hosting::dispatcher, id(), addresses, nodes, callers, callIds, GATEWAY_LIMIT));
    MetaHandler meta = new MetaHandler(hosting::dispatcher, id(), callers);
    metaHandler.set(meta);
    nodeMetaHandler.set(meta.ofNodes());
    streamHandler.set(
        new StreamNextHandler(
            gateway,
            id(),
            callers,
            settings.reading().sharedScan() ? Optional.of(streams.sharedScan()) : Optional.empty(),
            streams::onGranted,
            streams.counters()));
    store.ask(new MetadataFiles(gateway::call, FILE_LIMIT));
    startDeletions(gateway);
    startUpkeep(gateway);
    parts.add(
        TrashEmptier.start(
            controlPlane.configuration(), new TrashAccess(hosting, gateway), callers));
  }

  private MetadataSeat.Surroundings surroundings(Callers callers, CallIds callIds) {
    MemberReach reach = parts.add(new MemberReach(id(), addresses, controlPlane.client()));
    return new MetadataSeat.Surroundings(
        settings.metadata(),
        peerKey(),
        metadataProblem,
        directory,
        self,
        probe(ReadPace.AT_ONCE),
        new Peers(reach, reach),
        new WriteTickets(key, directory.properties().clusterId()),
        callers,
        callIds,
        FeatureLevels.ofThisRelease(),
        metadataMetrics);
  }

  private NettyReplicaProbe probe(ReadPace pace) {
    return new NettyReplicaProbe(
        connections,
        new NodeProofs(key),
        directory.properties().clusterId(),
        directory.properties().geometry(),
        addresses::dataAddress,
        PROBE_LIMIT,
        pace);
  }

  private Optional<MacKey> peerKey() {
    if (settings.metadata().insecure()) {
      LOG.warn(
          "{}: whoever reaches this node's Raft port can change and delete all metadata",
          DaemonSettings.INSECURE_RAFT.key());
      return Optional.empty();
    }
    return Optional.of(key.derive(KeyPurposes.RAFT));
  }

  private void startDeletions(LeaderGateway gateway) {
    ThreadServiceLoop loop = parts.add(new ThreadServiceLoop("vdfs-deletions"));
    DeletionWorker worker =
        new DeletionWorker(
            id(),
            gateway::call,
            new StoreRemover(store, local),
            DELETION_PERIOD,
            REMOVALS_GATHER,
            loop);
    parts.add(worker::stop);
    worker.start();
    deletions = Optional.of(worker);
  }

  private void startUpkeep(LeaderGateway gateway) {
    ThreadServiceLoop loop = parts.add(new ThreadServiceLoop("vdfs-repair"));
    ClusterGeometry geometry = directory.properties().geometry();
    Surroundings around =
        new Surroundings(
            id(),
            probe(ReadPace.IN_TURNS),
            new StoreGroups(store, geometry, transfer.copies()::copy),
            () -> cluster().ringMap(),
            () -> cluster().liveNodes().keySet(),
            geometry,
            loop,
            parts.add(new RepairThreads("vdfs-repair", REPAIR_THREADS)),
            parts.add(new RepairThreads("vdfs-volume-look", 1)));
    upkeep =
        Optional.of(
            Upkeep.start(
                parts,
                around,
                store,
                doubts,
                gateway::call,
                settings.copies(),
                new ScrubFile(
                    settings.metadata().directory().resolve("scrub.position"), WholeFile::write),
                file -> local.ifPresent(delivery -> delivery.onDeleted(file))));
  }

  public NodeId id() {
    return self.id();
  }

  /** Name under which others reach this node. */
  public String host() {
    return self.host();
  }

  public int controlPort() {
    return self.controlPort();
  }

  public int dataPort() {
    return self.dataPort();
  }

  /** Leaves the cluster and closes all parts, the last one started first. Idempotent. */
  @Override
  public void close() {
    parts.close();
  }
}
