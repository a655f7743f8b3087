package io.vdfs.it.once;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.VdfsClient;
import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.client.ledger.NodeDraws;
import io.vdfs.client.ledger.StreamStatus;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingNode;
import io.vdfs.it.cluster.Await;
import io.vdfs.it.cluster.ClusterSpec;
import io.vdfs.it.cluster.DaemonProcesses;
import io.vdfs.it.cluster.WorkDirectory;
import io.vdfs.it.cluster.YarnTestCluster;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.Job;

/**
 * Four DataNodes in processes of their own, three of them with a NodeManager, and YARN with VDFS as
 * its default filesystem. Confined to the test's thread.
 */
final class OnceCluster implements AutoCloseable {
  static final int NODES = 4;
  static final int NODE_MANAGERS = 3;
  private static final int FILES = 5;
  private static final long RECORDS = 200_000;
  private static final long REST_MILLIS = 12;

  private final WorkDirectory directory;
  private final DaemonProcesses dataNodes;
  private final YarnTestCluster yarn;
  private final VdfsFileSystem fileSystem;
  private final NumberedFiles input;
  private final List<NodeId> nodeIds = new ArrayList<>();

  private OnceCluster(
      WorkDirectory directory,
      DaemonProcesses dataNodes,
      YarnTestCluster yarn,
      VdfsFileSystem fileSystem,
      NumberedFiles input) {
    this.directory = directory;
    this.dataNodes = dataNodes;
    this.yarn = yarn;
    this.fileSystem = fileSystem;
    this.input = input;
  }

  static OnceCluster start() throws Exception {
    WorkDirectory directory = WorkDirectory.create("once");
    ClusterSpec spec = ClusterSpec.small("once", NODES);
    DaemonProcesses dataNodes = DaemonProcesses.start(spec);
    VdfsFileSystem fileSystem = (VdfsFileSystem) dataNodes.newFileSystem();
    NumberedFiles input = NumberedFiles.write(fileSystem, new Path("/in"), FILES, RECORDS);
    Map<String, String> client = new HashMap<>(dataNodes.clientProperties());
    client.put("fs.defaultFS", dataNodes.uri().toString());
    YarnTestCluster yarn = YarnTestCluster.start(client, spec.hosts().subList(0, NODE_MANAGERS));
    OnceCluster cluster = new OnceCluster(directory, dataNodes, yarn, fileSystem, input);
    for (int node : spec.nodes()) {
      cluster.nodeIds.add(dataNodes.nodeId(node));
    }
    return cluster;
  }

  /** The status of a node in a stream; the node may be dead. */
  NodeDraws status(StreamStatus stream, int node) {
    return stream.nodes().stream()
        .filter(candidate -> candidate.node().equals(nodeIds.get(node)))
        .findFirst()
        .orElseThrow();
  }

  /** Number of the node that leads the metadata group, and so all ledgers, once there is one. */
  int ledgerLeader() throws Exception {
    return Await.value("a leader", RunningOnce.LIMIT, this::lookForLeader);
  }

  private Optional<Integer> lookForLeader() throws IOException {
    VdfsClient client = fileSystem.vdfsClient();
    for (int node = 0; node < nodeIds.size(); node++) {
      try {
        RingNode address = client.cluster().ring().nodes().get(nodeIds.get(node));
        if (client.nodes().metadataStatus(address).getRole().equals("LEADER")) {
          return Optional.of(node);
        }
      } catch (IOException e) {
        // a dead one
      }
    }
    return Optional.empty();
  }

  DaemonProcesses dataNodes() {
    return dataNodes;
  }

  YarnTestCluster yarn() {
    return yarn;
  }

  VdfsFileSystem fileSystem() {
    return fileSystem;
  }

  NumberedFiles input() {
    return input;
  }

  java.nio.file.Path localDirectory(String name) throws IOException {
    return directory.directory(name);
  }

  /**
   * @param oldApi only without reducers
   */
  RunningOnce submit(String name, int reducers, Map<String, String> options, boolean oldApi)
      throws Exception {
    Configuration conf = yarn.configuration();
    conf.setLong(OnceJob.REST_MILLIS, REST_MILLIS);
    options.forEach(conf::set);
    Path output = new Path("/" + name);
    Job job =
        oldApi
            ? OnceJob.makeOld(conf, input.directory(), output)
            : OnceJob.make(conf, input.directory(), output, reducers);
    job.submit();
    return new RunningOnce(this, job, output);
  }

  /** Fails unless the output of a job shows that each record was processed once. */
  void assertExact(Path output) throws IOException {
    OnceVerdict verdict = OnceVerdict.of(fileSystem, output, input.records());
    assertTrue(verdict.isExact(), output + ": " + verdict);
  }

  @Override
  public void close() throws IOException {
    yarn.close();
    fileSystem.close();
    dataNodes.close();
    directory.close();
  }
}
