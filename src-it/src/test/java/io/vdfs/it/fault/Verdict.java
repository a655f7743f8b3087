package io.vdfs.it.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.VdfsClient;
import io.vdfs.client.admin.CopiesReport;
import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.client.meta.cluster.ClusterDescription;
import io.vdfs.common.ring.RingNode;
import io.vdfs.it.cluster.Await;
import io.vdfs.it.cluster.ClientJvm;
import io.vdfs.it.cluster.DaemonProcesses;
import io.vdfs.it.cluster.LoggedProcess;
import io.vdfs.it.cluster.VdfsCommands;
import io.vdfs.it.tools.FileManifest;
import io.vdfs.it.tools.VerifyFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.apache.hadoop.fs.FileSystem;

/** Whether a cluster whose nodes were disturbed is whole, and holds what it should. */
final class Verdict {
  private static final Duration LIMIT = Duration.ofMinutes(5);
  private static final Duration JVM_LIMIT = Duration.ofMinutes(3);

  private final DaemonProcesses cluster;
  private final int nodes;

  /**
   * @param nodes of the cluster, all of which are metadata members
   */
  Verdict(DaemonProcesses cluster, int nodes) {
    this.cluster = cluster;
    this.nodes = nodes;
  }

  /** Waits until so many nodes hold everything, and all are metadata members if none is away. */
  void awaitWhole(int count) throws Exception {
    AtomicReference<CopiesReport> last = new AtomicReference<>();
    try (FileSystem fileSystem = cluster.newFileSystem()) {
      VdfsClient client = ((VdfsFileSystem) fileSystem).vdfsClient();
      Await.until(
          "copies to be whole again",
          LIMIT,
          () -> {
            last.set(client.copies());
            List<CopiesReport.Node> serving =
                last.get().nodes().stream().filter(node -> node.servingPlaces() > 0).toList();
            return (count != nodes || hasAllSeatsTaken(client))
                && last.get().isWhole()
                && serving.size() == count
                && serving.stream().allMatch(CopiesReport.Node::confirmed);
          });
    } catch (IOException | IllegalStateException e) {
      throw new AssertionError(last.get() + "\n" + cluster.logs(), e);
    }
  }

  private boolean hasAllSeatsTaken(VdfsClient client) throws IOException {
    ClusterDescription seen = client.cluster();
    return seen.metadataMembers().size() == nodes
        && seen.live().containsAll(seen.metadataMembers());
  }

  void verify(FileManifest files) throws Exception {
    ClientJvm jvm = cluster.newClientJvm("verifier");
    Path list = jvm.confDirectory().resolve("manifest");
    files.save(list);
    try (LoggedProcess reader = jvm.start(VerifyFiles.class.getName(), List.of(list.toString()))) {
      int exitCode = reader.awaitExit(JVM_LIMIT);
      assertEquals(0, exitCode, reader.output());
      assertTrue(reader.output().contains("verified files=" + files.size()), reader.output());
    }
  }

  /** The verdict on a cluster that is whole; it does not run afterwards. */
  void judge(FileManifest files) throws Exception {
    verify(files);
    new VdfsCommands(cluster, Duration.ofMinutes(1)).vdfs(0, "fsck");
    DiskCopies copies = DiskCopies.of(cluster, IntStream.range(0, nodes).boxed().toList());
    assertTrue(copies.groups() > 0, "there are no groups");
    assertEquals(List.of(), copies.defects());
  }

  /** Number of the node that leads the metadata, as soon as one does. */
  int leader() throws Exception {
    try (FileSystem fileSystem = cluster.newFileSystem()) {
      VdfsClient client = ((VdfsFileSystem) fileSystem).vdfsClient();
      return Await.value("a leader", LIMIT, () -> leader(client));
    }
  }

  private Optional<Integer> leader(VdfsClient client) throws IOException {
    for (RingNode node : client.cluster().ring().nodes().values()) {
      try {
        if (client.nodes().metadataStatus(node).getRole().equals("LEADER")) {
          return IntStream.range(0, nodes)
              .filter(number -> cluster.host(number).equals(node.host()))
              .boxed()
              .findFirst();
        }
      } catch (IOException e) {
        // a node that is away
      }
    }
    return Optional.empty();
  }
}
