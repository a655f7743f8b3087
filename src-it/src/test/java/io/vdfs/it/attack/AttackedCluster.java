package io.vdfs.it.attack;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vdfs.common.cluster.record.ClusterCodec;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.net.DataAddress;
import io.vdfs.common.net.DataConnections;
import io.vdfs.common.net.NetCounter;
import io.vdfs.common.net.ReplicaCalls;
import io.vdfs.common.ring.RingCodec;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.rpc.ControlClient;
import io.vdfs.common.rpc.ControlClientSettings;
import io.vdfs.common.rpc.ControlMethods;
import io.vdfs.common.rpc.Errors;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ClusterInfoRequest;
import io.vdfs.common.wire.proto.ClusterInfoResponse;
import io.vdfs.common.wire.proto.GetStatusQuery;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.MetadataStatusRequest;
import io.vdfs.common.wire.proto.MetadataStatusResponse;
import io.vdfs.common.wire.proto.NodeCountersRequest;
import io.vdfs.common.wire.proto.NodeCountersResponse;
import io.vdfs.common.wire.proto.ReplicaRequest;
import io.vdfs.common.wire.proto.ReplicaResponse;
import io.vdfs.it.cluster.Await;
import io.vdfs.it.cluster.VdfsTestCluster;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * The cluster that is the target of all attacks, and its state before the first one: files of this
 * JVM's user below {@link #ROOT}, which no other user may write. Confined to the thread of the
 * test.
 */
final class AttackedCluster implements AutoCloseable {
  static final Path ROOT = new Path("/attacked");

  /** Two groups of the cluster's geometry; every user may read it. */
  static final Path LARGE = new Path(ROOT, "large");

  /** One chunk; no other user may read it. */
  static final Path SECRET = new Path(ROOT, "secret");

  /** The attacker; an ordinary user. */
  static final String MALLORY = "mallory";

  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(10);
  private static final FsPermission ALL_MAY_READ = new FsPermission((short) 0755);
  private static final FsPermission OWNER_ONLY = new FsPermission((short) 0600);

  private final VdfsTestCluster cluster;
  private final FileSystem files;
  private final DataConnections connections =
      new DataConnections(Duration.ofSeconds(5), new Counters<>(NetCounter.class));
  private final ReplicaCalls replicas = new ReplicaCalls(connections, ANSWER_LIMIT);
  private final Map<String, ControlClient> clients = new TreeMap<>();
  private final Map<Path, byte[]> contents = new TreeMap<>();
  private final UUID clusterId;
  private final RingMap ring;
  private final Map<Path, FileKey> keys = new TreeMap<>();
  private List<String> names = List.of();
  private Map<String, ReplicaResponse> copies = Map.of();

  private AttackedCluster(VdfsTestCluster cluster, FileSystem files) throws Exception {
    this.cluster = cluster;
    this.files = files;
    ClusterInfoResponse info = info();
    this.clusterId = ClusterCodec.fromProto(info.getCluster()).clusterId();
    this.ring = RingCodec.fromProto(info.getRing());
  }

  /** Fills a running cluster. */
  static AttackedCluster of(VdfsTestCluster cluster) throws Exception {
    AttackedCluster attacked = new AttackedCluster(cluster, cluster.newFileSystem());
    attacked.fill();
    return attacked;
  }

  private void fill() throws Exception {
    files.delete(ROOT, true);
    files.mkdirs(ROOT, ALL_MAY_READ);
    write(LARGE, 1_500_000, ALL_MAY_READ);
    write(SECRET, 1_000, OWNER_ONLY);
    names = names();
    copies = copies();
  }

  private void write(Path path, int bytes, FsPermission permission) throws Exception {
    byte[] content = new byte[bytes];
    new Random(bytes).nextBytes(content);
    try (FSDataOutputStream out = files.create(path)) {
      out.write(content);
    }
    files.setPermission(path, permission);
    contents.put(path, content);
    keys.put(path, key(path));
  }

  private FileKey key(Path path) throws Exception {
    MetaResponse status =
        ask(
            owner(),
            MetaRequest.newBuilder()
                .setGetStatus(GetStatusQuery.newBuilder().setPath(path.toString()))
                .build());
    Errors.check(status);
    return new FileKey(status.getStatus().getInodeId(), status.getStatus().getGeneration());
  }

  /** The user of this JVM, which owns all files and runs the daemons. */
  static String owner() throws IOException {
    return UserGroupInformation.getCurrentUser().getShortUserName();
  }

  VdfsTestCluster cluster() {
    return cluster;
  }

  UUID clusterId() {
    return clusterId;
  }

  /** The ring map, which names all nodes and their ports. */
  RingMap ring() {
    return ring;
  }

  /** A node; the same one each time. */
  RingNode node() {
    return ring.nodes().values().iterator().next();
  }

  FileKey file(Path path) {
    return keys.get(path);
  }

  /** Where the control calls of a node go. */
  static InetSocketAddress control(RingNode node) {
    return new InetSocketAddress(node.host(), node.controlPort());
  }

  /** A client that claims to be {@code user}; closed with the cluster. */
  ControlClient client(String user) {
    return clients.computeIfAbsent(
        user,
        name ->
            new ControlClient(
                new Configuration(false),
                UserGroupInformation.createRemoteUser(name),
                ControlClientSettings.DEFAULT));
  }

  /** The answer to {@code user} of whichever node leads by now. */
  MetaResponse ask(String user, MetaRequest request) throws Exception {
    return Await.value(
        "an answer of the metadata leader",
        LIMIT,
        () -> {
          MetaResponse answer =
              client(user)
                  .call(control(leader()), ControlMethods.META, request, MetaResponse.parser());
          return Errors.leader(answer.getError()).isPresent()
              ? Optional.empty()
              : Optional.of(answer);
        });
  }

  /** The node that leads the metadata group. */
  RingNode leader() throws Exception {
    return Await.value(
        "a leader of the metadata",
        LIMIT,
        () -> {
          for (RingNode node : ring.nodes().values()) {
            if (status(node).getRole().equals("LEADER")) {
              return Optional.of(node);
            }
          }
          return Optional.empty();
        });
  }

  private MetadataStatusResponse status(RingNode node) throws VdfsException {
    return client("anybody")
        .call(
            control(node),
            ControlMethods.METADATA_STATUS,
            MetadataStatusRequest.getDefaultInstance(),
            MetadataStatusResponse.parser());
  }

  private ClusterInfoResponse info() throws Exception {
    return client("anybody")
        .call(
            new InetSocketAddress(cluster.host(0), cluster.controlPort(0)),
            ControlMethods.CLUSTER_INFO,
            ClusterInfoRequest.getDefaultInstance(),
            ClusterInfoResponse.parser());
  }

  /** What a node has counted under {@code name} in {@code group}. */
  long counter(RingNode node, String group, String name) throws Exception {
    return client("anybody")
        .call(
            control(node),
            ControlMethods.NODE_COUNTERS,
            NodeCountersRequest.getDefaultInstance(),
            NodeCountersResponse.parser())
        .getCountersList()
        .stream()
        .filter(counter -> counter.getGroup().equals(group) && counter.getName().equals(name))
        .findFirst()
        .orElseThrow()
        .getValue();
  }

  /**
   * Checks that every file can be read and has the bytes that were written, on every node; names
   * and attributes are those from before; all nodes live, all members of the metadata group follow
   * one leader; and files can be written, read and deleted.
   */
  void requireWhole() throws Exception {
    requireNodes();
    assertEquals(names, names(), "names");
    for (Map.Entry<Path, byte[]> file : contents.entrySet()) {
      assertArrayEquals(file.getValue(), read(file.getKey()), "bytes of " + file.getKey());
    }
    assertEquals(copies, copies(), "copies on the nodes");
    requireWritable();
  }

  private void requireNodes() throws Exception {
    Await.until("all members to follow one leader", LIMIT, () -> allFollow(leader().id()));
    assertEquals(ring.nodes().size(), info().getLiveNodesCount(), "nodes that live");
  }

  private boolean allFollow(NodeId leader) throws Exception {
    boolean all = true;
    for (RingNode node : ring.nodes().values()) {
      MetadataStatusResponse status = status(node);
      assertEquals("", status.getStopped(), "the member of " + node.host() + " runs");
      all &= status.getMember() && status.getLeader().equals(WireIds.encode(leader));
    }
    return all;
  }

  private List<String> names() throws IOException {
    List<String> found = new ArrayList<>();
    list(new Path("/"), found);
    return found;
  }

  private void list(Path directory, List<String> found) throws IOException {
    for (FileStatus status : files.listStatus(directory)) {
      found.add(describe(status));
      if (status.isDirectory()) {
        list(status.getPath(), found);
      }
    }
  }

  private static String describe(FileStatus status) {
    return "%s %s %s:%s length=%d copies=%d modified=%d"
        .formatted(
            status.getPath(),
            status.getPermission(),
            status.getOwner(),
            status.getGroup(),
            status.getLen(),
            status.getReplication(),
            status.getModificationTime());
  }

  private byte[] read(Path path) throws IOException {
    byte[] content = new byte[(int) files.getFileStatus(path).getLen()];
    try (FSDataInputStream in = files.open(path)) {
      in.readFully(0, content);
    }
    return content;
  }

  /** Each node's answer for each group of each file: length, write epoch, checksums of blocks. */
  private Map<String, ReplicaResponse> copies() throws Exception {
    Map<String, ReplicaResponse> found = new TreeMap<>();
    int groupBytes = cluster.geometry().blockSize() * cluster.geometry().groupBlocks();
    for (Map.Entry<Path, FileKey> file : keys.entrySet()) {
      for (int group = 0; group * groupBytes < contents.get(file.getKey()).length; group++) {
        for (RingNode node : ring.nodes().values()) {
          ReplicaRequest question =
              question(node, file.getValue()).setGroup(group).setChecksums(true).build();
          found.put(file.getKey() + " group " + group + " on " + node.host(), ask(node, question));
        }
      }
    }
    return found;
  }

  /** The start of a question to {@code node} about {@code file}. */
  ReplicaRequest.Builder question(RingNode node, FileKey file) {
    return ReplicaRequest.newBuilder()
        .setClusterId(WireIds.encode(clusterId))
        .setNode(WireIds.encode(node.id()))
        .setFile(WireIds.encode(file));
  }

  private ReplicaResponse ask(RingNode node, ReplicaRequest question) throws Exception {
    return replicas
        .call(new DataAddress(node.host(), node.dataPort()), question)
        .get(ANSWER_LIMIT.toSeconds(), TimeUnit.SECONDS);
  }

  private void requireWritable() throws IOException {
    // not among the files that are compared, as it changes the time of its directory
    Path path = new Path("/attacked-written");
    byte[] content = {1, 2, 3};
    try (FSDataOutputStream out = files.create(path)) {
      out.write(content);
    }
    try (FSDataOutputStream out = files.append(path)) {
      out.write(content);
    }
    assertArrayEquals(new byte[] {1, 2, 3, 1, 2, 3}, read(path));
    files.delete(path, false);
  }

  @Override
  public void close() throws IOException {
    files.delete(ROOT, true);
    files.close();
    connections.close();
    clients.values().forEach(ControlClient::close);
  }
}
