package io.vdfs.datanode;

import io.vdfs.common.cluster.ZooKeeperSettings;
import io.vdfs.common.cluster.record.ClusterProperties;
import io.vdfs.common.config.Parsers;
import io.vdfs.common.config.Setting;
import io.vdfs.common.config.SettingsReader;
import io.vdfs.common.config.SiteFile;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.NodeWeight;
import io.vdfs.common.rpc.CallLimits;
import io.vdfs.common.security.ClusterKeyFile;
import io.vdfs.datanode.host.ClusterCopyFile;
import io.vdfs.datanode.host.HostSettings;
import io.vdfs.datanode.machine.HostNames;
import io.vdfs.datanode.meta.ring.RingPatience;
import io.vdfs.datanode.repair.RepairSettings;
import io.vdfs.datanode.repair.garbage.GarbageSettings;
import io.vdfs.datanode.store.AcceptedLosses;
import io.vdfs.datanode.store.StoreConfig;
import io.vdfs.datanode.store.memory.MappedBuffers;
import io.vdfs.datanode.stream.StreamSettings;
import io.vdfs.datanode.transfer.PeerLimits;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * All settings of the daemon by the part that they are for, read once from {@code vdfs-site.xml}.
 * Immutable. The file in {@code conf/} documents each key.
 */
record DaemonSettings(
    Access cluster,
    Node node,
    Storage storage,
    Reading reading,
    HostSettings metadata,
    Copies copies) {

  /**
   * The way to the cluster.
   *
   * @param name under which the cluster was formatted
   * @param keyFile holds the secret by which nodes of the cluster know each other
   */
  record Access(String name, Path keyFile, ZooKeeperSettings zooKeeper) {}

  /**
   * How this node appears to others.
   *
   * @param host name under which others reach this node and YARN knows it
   * @param bindAddress where this node listens; see {@link HostNames#listenAt}
   * @param cores cores that jobs may plan with on this node
   * @param weight with which it joins the ring; 0 where that follows from its volumes
   * @param metricsPort where monitoring reads the counters; 0 for none
   */
  record Node(
      String host,
      String bindAddress,
      String rack,
      int cores,
      double weight,
      Ports ports,
      int metricsPort,
      int controlHandlers,
      Shares shares) {}

  /**
   * Where blocks lie.
   *
   * @param reserve bytes of each volume that stay free
   * @param writePatience how long a forced write waits for its turn beside the reads of its disk
   */
  record Storage(List<Path> directories, long reserve, Duration writePatience) {}

  /**
   * How blocks get to readers.
   *
   * @param streams how the disks are read
   * @param sharedScan whether jobs that read the same files are led to the same places
   * @param local whether readers on this machine may read block files by themselves
   * @param segments memory that readers on this machine share with the node
   * @param bufferMemory bytes that the node maps for what is on its way to readers; 0 for none
   */
  record Reading(
      StreamSettings streams,
      boolean sharedScan,
      boolean local,
      Segments segments,
      long bufferMemory) {}

  /** How the copies on this node are kept complete, sound, and no more than they should be. */
  record Copies(RepairSettings repair, GarbageSettings garbage) {}

  /** Ports to listen on; 0 lets the system choose. */
  record Ports(int control, int data, int raft) {}

  /**
   * Limits of one host and of one user.
   *
   * @param dataConnections of one host to the data port
   * @param controlCalls of one user under way
   */
  record Shares(int dataConnections, int controlCalls) {}

  /**
   * Shared memory for readers on this machine.
   *
   * @param directory on a filesystem in memory
   * @param group whose members may be readers, besides the daemon's own user; empty for no group
   * @param memory most bytes of all segments
   */
  record Segments(boolean on, Path directory, Optional<String> group, long memory) {}

  static final String SITE_FILE = "vdfs-site.xml";

  private static final Duration MOST_WRITE_PATIENCE = Duration.ofSeconds(2);

  /** At a lower rate the copies of a large node would take years. */
  private static final long LEAST_REPAIR_RATE = 64 << 10;

  private static final Duration LEAST_AUDIT_PERIOD = Duration.ofSeconds(10);
  private static final Duration LEAST_SCRUB_PERIOD = Duration.ofMinutes(1);
  private static final Duration LEAST_GARBAGE_TIME = Duration.ofSeconds(1);

  private static final String KEY_FILE = "cluster.key";

  static final Setting<String> CLUSTER_NAME =
      new Setting<>("vdfs.cluster.name", "vdfs", Parsers::text);
  static final Setting<String> CLUSTER_KEY_FILE =
      new Setting<>("vdfs.cluster.key.file", "", Parsers::optionalText);
  static final Setting<Boolean> INSECURE_RAFT =
      new Setting<>("vdfs.raft.insecure", "false", Parsers::bool);
  static final Setting<String> ZOOKEEPER =
      new Setting<>("vdfs.zookeeper", "localhost:2181", Parsers::text);
  static final Setting<String> ZOOKEEPER_ROOT =
      new Setting<>("vdfs.zookeeper.root", "/vdfs", Parsers::text);
  static final Setting<Duration> ZOOKEEPER_SESSION_TIMEOUT =
      new Setting<>("vdfs.zookeeper.session.timeout", "10s", Parsers::duration);
  static final Setting<Duration> ZOOKEEPER_CONNECT_TIMEOUT =
      new Setting<>("vdfs.zookeeper.connect.timeout", "15s", Parsers::duration);
  static final Setting<String> HOST = new Setting<>("vdfs.node.host", "", Parsers::optionalText);
  static final Setting<String> BIND_ADDRESS =
      new Setting<>("vdfs.node.bind.address", "", Parsers::optionalText);
  static final Setting<String> RACK =
      new Setting<>("vdfs.node.rack", "/default-rack", Parsers::text);
  static final Setting<Integer> CORES =
      new Setting<>("vdfs.node.cores", "0", Parsers.integer(0, 65_536));
  static final Setting<Double> WEIGHT =
      new Setting<>(
          "vdfs.node.weight", "0", Parsers.decimalOrZero(NodeWeight.LEAST, NodeWeight.MOST));
  static final Setting<List<Path>> DATA_DIRECTORIES =
      new Setting<>("vdfs.data.dirs", "", Parsers::directories);
  static final Setting<String> METADATA_DIRECTORY =
      new Setting<>("vdfs.metadata.dir", "", Parsers::optionalText);
  static final Setting<Long> VOLUME_RESERVE =
      new Setting<>("vdfs.volume.reserve", "256m", Parsers::size);
  static final Setting<Duration> WRITE_PATIENCE =
      new Setting<>("vdfs.write.patience", "200ms", Parsers::duration);
  static final Setting<Long> READ_AHEAD = new Setting<>("vdfs.read.ahead", "100m", Parsers::size);
  static final Setting<StreamSettings.ReadOrder> READ_ORDER =
      new Setting<>("vdfs.read.order", "elevator", Parsers.oneOf(StreamSettings.ReadOrder.class));
  static final Setting<Duration> READ_ROUND =
      new Setting<>("vdfs.read.round", "3s", Parsers::duration);
  static final Setting<Boolean> SHARED_SCAN =
      new Setting<>("vdfs.shared.scan", "true", Parsers::bool);
  static final Setting<Boolean> LOCAL_DELIVERY =
      new Setting<>("vdfs.delivery.local", "true", Parsers::bool);
  static final Setting<Boolean> SEGMENT_DELIVERY =
      new Setting<>("vdfs.delivery.segment", "false", Parsers::bool);
  static final Setting<Path> SEGMENT_DIRECTORY =
      new Setting<>("vdfs.delivery.segment.directory", "/dev/shm", Parsers::directory);
  static final Setting<String> SEGMENT_GROUP =
      new Setting<>("vdfs.delivery.segment.group", "", Parsers::optionalText);
  static final Setting<Long> SEGMENT_MEMORY =
      new Setting<>("vdfs.delivery.segment.memory", "512m", Parsers::size);
  static final Setting<Long> BUFFER_MEMORY =
      new Setting<>("vdfs.read.buffer.memory", "32m", Parsers::size);
  static final Setting<Integer> CONTROL_PORT =
      new Setting<>("vdfs.control.port", "9860", Parsers::port);
  static final Setting<Integer> DATA_PORT = new Setting<>("vdfs.data.port", "9861", Parsers::port);
  static final Setting<Integer> RAFT_PORT = new Setting<>("vdfs.raft.port", "9862", Parsers::port);
  static final Setting<Integer> METRICS_PORT =
      new Setting<>("vdfs.metrics.port", "0", Parsers::port);
  static final Setting<Integer> CONTROL_HANDLERS =
      new Setting<>("vdfs.control.handlers", "10", Parsers.integer(1, 1_000));
  static final Setting<Integer> CONTROL_USER_CALLS =
      new Setting<>(
          "vdfs.control.calls.per.user",
          Integer.toString(CallLimits.DEFAULT_USER_CALLS),
          Parsers.integer(1, 1_000_000));
  static final Setting<Integer> DATA_HOST_CONNECTIONS =
      new Setting<>(
          "vdfs.data.connections.per.host",
          Integer.toString(PeerLimits.DEFAULT_HOST_CONNECTIONS),
          Parsers.integer(1, 1_000_000));
  static final Setting<Duration> ELECTION_TIMEOUT_MIN =
      new Setting<>("vdfs.metadata.election.timeout.min", "1s", Parsers::duration);
  static final Setting<Duration> ELECTION_TIMEOUT_MAX =
      new Setting<>("vdfs.metadata.election.timeout.max", "2s", Parsers::duration);
  static final Setting<Integer> SNAPSHOT_ENTRIES =
      new Setting<>("vdfs.metadata.snapshot.entries", "100000", Parsers.integer(100, 100_000_000));
  static final Setting<Duration> REPLACE_AFTER =
      new Setting<>("vdfs.metadata.replace.after", "10m", Parsers::duration);
  static final Setting<Duration> NODE_MISSING_AFTER =
      new Setting<>("vdfs.node.missing.after", "45s", Parsers::duration);
  static final Setting<Duration> NODE_REPLACE_AFTER =
      new Setting<>("vdfs.node.replace.after", "10m", Parsers::duration);
  static final Setting<Duration> MASS_LOSS_AFTER =
      new Setting<>("vdfs.mass.loss.after", "10m", Parsers::duration);
  static final Setting<Long> REPAIR_RATE = new Setting<>("vdfs.repair.rate", "64m", Parsers::size);
  static final Setting<Duration> AUDIT_PERIOD =
      new Setting<>("vdfs.repair.audit.period", "1h", Parsers::duration);
  static final Setting<Duration> SCRUB_PERIOD =
      new Setting<>("vdfs.scrub.period", "7d", Parsers::duration);
  static final Setting<Duration> GARBAGE_AFTER =
      new Setting<>("vdfs.garbage.after", "1h", Parsers::duration);
  static final Setting<Duration> GARBAGE_KEEP =
      new Setting<>("vdfs.garbage.keep", "1d", Parsers::duration);

  static final List<Setting<?>> ALL =
      List.of(
          CLUSTER_NAME,
          CLUSTER_KEY_FILE,
          INSECURE_RAFT,
          ZOOKEEPER,
          ZOOKEEPER_ROOT,
          ZOOKEEPER_SESSION_TIMEOUT,
          ZOOKEEPER_CONNECT_TIMEOUT,
          HOST,
          BIND_ADDRESS,
          RACK,
          CORES,
          WEIGHT,
          DATA_DIRECTORIES,
          METADATA_DIRECTORY,
          VOLUME_RESERVE,
          WRITE_PATIENCE,
          READ_AHEAD,
          READ_ORDER,
          READ_ROUND,
          SHARED_SCAN,
          LOCAL_DELIVERY,
          SEGMENT_DELIVERY,
          SEGMENT_DIRECTORY,
          SEGMENT_GROUP,
          SEGMENT_MEMORY,
          BUFFER_MEMORY,
          CONTROL_PORT,
          DATA_PORT,
          RAFT_PORT,
          METRICS_PORT,
          CONTROL_HANDLERS,
          CONTROL_USER_CALLS,
          DATA_HOST_CONNECTIONS,
          ELECTION_TIMEOUT_MIN,
          ELECTION_TIMEOUT_MAX,
          SNAPSHOT_ENTRIES,
          REPLACE_AFTER,
          NODE_MISSING_AFTER,
          NODE_REPLACE_AFTER,
          MASS_LOSS_AFTER,
          REPAIR_RATE,
          AUDIT_PERIOD,
          SCRUB_PERIOD,
          GARBAGE_AFTER,
          GARBAGE_KEEP);

  /**
   * @param confDirectory directory that holds {@code vdfs-site.xml}
   * @throws VdfsException MISCONFIGURED naming key, value and cure
   */
  static DaemonSettings load(Path confDirectory) throws VdfsException {
    Path file = confDirectory.resolve(SITE_FILE);
    return of(SiteFile.read(file), file.toString(), confDirectory);
  }

  /**
   * @param source where the properties come from, for messages
   * @param confDirectory where files are whose names are not set
   * @throws VdfsException MISCONFIGURED naming key, value and cure
   */
  static DaemonSettings of(Map<String, String> properties, String source, Path confDirectory)
      throws VdfsException {
    SettingsReader reader = new SettingsReader(properties, source);
    reader.requireKnown("vdfs.", ALL);
    List<Path> dataDirectories = reader.get(DATA_DIRECTORIES);
    String host = reader.get(HOST).isEmpty() ? localHost() : reader.get(HOST);
    int cores = reader.get(CORES);
    String bindAddress =
        reader.get(BIND_ADDRESS).isEmpty()
            ? HostNames.SYSTEM.listenAt(host)
            : reader.get(BIND_ADDRESS);
    DaemonSettings settings =
        new DaemonSettings(
            new Access(
                reader.get(CLUSTER_NAME),
                clusterKeyFile(reader, confDirectory).path(),
                zooKeeper(reader)),
            new Node(
                host,
                bindAddress,
                reader.get(RACK),
                cores > 0 ? cores : Runtime.getRuntime().availableProcessors(),
                reader.get(WEIGHT),
                new Ports(reader.get(CONTROL_PORT), reader.get(DATA_PORT), reader.get(RAFT_PORT)),
                reader.get(METRICS_PORT),
                reader.get(CONTROL_HANDLERS),
                new Shares(reader.get(DATA_HOST_CONNECTIONS), reader.get(CONTROL_USER_CALLS))),
            new Storage(dataDirectories, reader.get(VOLUME_RESERVE), writePatience(reader, source)),
            new Reading(
                streams(reader, source),
                reader.get(SHARED_SCAN),
                reader.get(LOCAL_DELIVERY),
                segments(reader),
                bufferMemory(reader, source)),
            new HostSettings(
                metadataDirectory(reader, dataDirectories),
                bindAddress,
                RAFT_PORT.key(),
                reader.get(INSECURE_RAFT),
                reader.get(ELECTION_TIMEOUT_MIN),
                reader.get(ELECTION_TIMEOUT_MAX),
                reader.get(SNAPSHOT_ENTRIES),
                reader.get(REPLACE_AFTER),
                new RingPatience(
                    reader.get(NODE_MISSING_AFTER),
                    reader.get(NODE_REPLACE_AFTER),
                    reader.get(MASS_LOSS_AFTER))),
            copies(reader, source));
    settings.checkRelations(source);
    return settings;
  }

  /** Reads only what is needed to reach ZooKeeper, for commands that need no node. */
  static ZooKeeperSettings zooKeeper(SettingsReader reader) throws VdfsException {
    return new ZooKeeperSettings(
        reader.get(ZOOKEEPER),
        ZOOKEEPER.key(),
        reader.get(ZOOKEEPER_ROOT),
        reader.get(ZOOKEEPER_SESSION_TIMEOUT),
        reader.get(ZOOKEEPER_CONNECT_TIMEOUT));
  }

  /** Reads only where the key of the cluster is. */
  static ClusterKeyFile clusterKeyFile(SettingsReader reader, Path confDirectory)
      throws VdfsException {
    String named = reader.get(CLUSTER_KEY_FILE);
    return new ClusterKeyFile(
        named.isEmpty()
            ? confDirectory.resolve(KEY_FILE)
            : reader.get(
                new Setting<>(
                    CLUSTER_KEY_FILE.key(), CLUSTER_KEY_FILE.defaultText(), Parsers::file)));
  }

  private static Segments segments(SettingsReader reader) throws VdfsException {
    String group = reader.get(SEGMENT_GROUP);
    return new Segments(
        reader.get(SEGMENT_DELIVERY),
        reader.get(SEGMENT_DIRECTORY),
        group.isEmpty() ? Optional.empty() : Optional.of(group),
        reader.get(SEGMENT_MEMORY));
  }

  private static long bufferMemory(SettingsReader reader, String source) throws VdfsException {
    long memory = reader.get(BUFFER_MEMORY);
    if (memory > MappedBuffers.MAX_BYTES) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          "%s=%s is above the most of %s; lower it in %s"
              .formatted(BUFFER_MEMORY.key(), memory, MappedBuffers.MAX_BYTES, source));
    }
    return memory;
  }

  private static Duration writePatience(SettingsReader reader, String source) throws VdfsException {
    Duration patience = reader.get(WRITE_PATIENCE);
    if (patience.compareTo(MOST_WRITE_PATIENCE) > 0) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          ("%s=%sms is above the most of %sms, as each close of a file may wait so long;"
                  + " lower it in %s")
              .formatted(
                  WRITE_PATIENCE.key(),
                  patience.toMillis(),
                  MOST_WRITE_PATIENCE.toMillis(),
                  source));
    }
    return patience;
  }

  private static StreamSettings streams(SettingsReader reader, String source) throws VdfsException {
    long readAhead = reader.get(READ_AHEAD);
    if (readAhead > StreamSettings.MAX_READ_AHEAD) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          "%s=%s is above the most of %s per volume; lower it in %s"
              .formatted(READ_AHEAD.key(), readAhead, StreamSettings.MAX_READ_AHEAD, source));
    }
    return StreamSettings.of(reader.get(READ_ORDER), readAhead, reader.get(READ_ROUND));
  }

  private static Copies copies(SettingsReader reader, String source) throws VdfsException {
    long rate = reader.get(REPAIR_RATE);
    if (rate < LEAST_REPAIR_RATE) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          "%s=%s is below the least of %s bytes per second; raise it in %s"
              .formatted(REPAIR_RATE.key(), rate, LEAST_REPAIR_RATE, source));
    }
    return new Copies(
        new RepairSettings(
            rate,
            atLeast(LEAST_AUDIT_PERIOD, AUDIT_PERIOD, reader, source),
            atLeast(LEAST_SCRUB_PERIOD, SCRUB_PERIOD, reader, source)),
        new GarbageSettings(
            atLeast(LEAST_GARBAGE_TIME, GARBAGE_AFTER, reader, source),
            atLeast(LEAST_GARBAGE_TIME, GARBAGE_KEEP, reader, source)));
  }

  private static Duration atLeast(
      Duration least, Setting<Duration> setting, SettingsReader reader, String source)
      throws VdfsException {
    Duration period = reader.get(setting);
    if (period.compareTo(least) < 0) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          "%s=%sms is below the least of %sms; raise it in %s"
              .formatted(setting.key(), period.toMillis(), least.toMillis(), source));
    }
    return period;
  }

  private static Path metadataDirectory(SettingsReader reader, List<Path> dataDirectories)
      throws VdfsException {
    if (reader.get(METADATA_DIRECTORY).isEmpty()) {
      return dataDirectories.get(0).resolve("metadata");
    }
    return reader.get(
        new Setting<>(
            METADATA_DIRECTORY.key(), METADATA_DIRECTORY.defaultText(), Parsers::directory));
  }

  /**
   * Where a node keeps its index of blocks: beside the metadata, which may have a disk of their
   * own, since the system writes scattered pages of the index back, each with a seek; and apart
   * from the index of any other node.
   */
  Path indexDirectory(NodeId node) {
    return metadata.directory().resolve("index-" + node);
  }

  /** How a node of the cluster opens its blocks. */
  StoreConfig store(ClusterProperties cluster, NodeId node, AcceptedLosses accepted) {
    return new StoreConfig(
        cluster.clusterId(),
        node,
        cluster.geometry(),
        storage.directories(),
        indexDirectory(node),
        storage.reserve(),
        StoreConfig.DEFAULT_WRITE_BACK,
        StoreConfig.DEFAULT_MAX_OPEN_FILES,
        accepted,
        StoreConfig.DEFAULT_BLANK_FILES,
        storage.writePatience());
  }

  /** Where a node keeps what it knows of its cluster, in case ZooKeeper loses it. */
  ClusterCopyFile clusterCopy() {
    return new ClusterCopyFile(metadata.directory().resolve("cluster.copy"));
  }

  private void checkRelations(String source) throws VdfsException {
    Duration shortest = metadata.electionTimeoutMin();
    Duration longest = metadata.electionTimeoutMax();
    if (shortest.compareTo(longest) >= 0) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          "%s=%sms must be below %s=%sms; correct one of them in %s"
              .formatted(
                  ELECTION_TIMEOUT_MIN.key(),
                  shortest.toMillis(),
                  ELECTION_TIMEOUT_MAX.key(),
                  longest.toMillis(),
                  source));
    }
    checkPatience(source);
    Ports ports = node.ports();
    checkDistinct(CONTROL_PORT, ports.control(), DATA_PORT, ports.data(), source);
    checkDistinct(CONTROL_PORT, ports.control(), RAFT_PORT, ports.raft(), source);
    checkDistinct(DATA_PORT, ports.data(), RAFT_PORT, ports.raft(), source);
  }

  /** The wait for an arc that is down to one node is never longer than for one that has more. */
  private void checkPatience(String source) throws VdfsException {
    Duration scarce = metadata.ringPatience().scarce();
    Duration usual = metadata.ringPatience().usual();
    if (!usual.isZero() && (scarce.isZero() || scarce.compareTo(usual) > 0)) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          "%s=%dms must not be above %s=%dms, and 0 counts as for ever; correct one of them in %s"
              .formatted(
                  NODE_MISSING_AFTER.key(),
                  scarce.toMillis(),
                  NODE_REPLACE_AFTER.key(),
                  usual.toMillis(),
                  source));
    }
  }

  private static void checkDistinct(
      Setting<Integer> a, int portA, Setting<Integer> b, int portB, String source)
      throws VdfsException {
    if (portA != 0 && portA == portB) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          a.key() + " and " + b.key() + " are both " + portA + "; change one of them in " + source);
    }
  }

  private static String localHost() throws VdfsException {
    try {
      return InetAddress.getLocalHost().getCanonicalHostName();
    } catch (UnknownHostException e) {
      throw new VdfsException(
          ErrorCode.MISCONFIGURED,
          "this machine's name cannot be resolved; set " + HOST.key() + " in " + SITE_FILE,
          e);
    }
  }
}
