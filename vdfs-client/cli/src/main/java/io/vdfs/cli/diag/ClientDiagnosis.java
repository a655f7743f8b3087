package io.vdfs.cli.diag;

import io.vdfs.client.VdfsClient;
import io.vdfs.client.meta.cluster.ClusterDescription;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Looks at the clusters of VDFS that Hadoop's configuration names, as a client would. */
final class ClientDiagnosis {
  private final Collection<String> clusters;
  private final Optional<String> defaultFileSystem;
  private final Opener opener;

  /**
   * @param defaultFileSystem {@code fs.defaultFS}
   */
  ClientDiagnosis(Collection<String> clusters, Optional<String> defaultFileSystem, Opener opener) {
    this.clusters = List.copyOf(clusters);
    this.defaultFileSystem = defaultFileSystem;
    this.opener = opener;
  }

  /** Reaches a cluster. */
  @FunctionalInterface
  interface Opener {
    /**
     * @return a client that has contacted no server yet
     */
    VdfsClient open(String cluster) throws IOException;
  }

  /** Everything that was checked, in the order of the checks. */
  List<Finding> findings() {
    List<Finding> findings = new ArrayList<>();
    if (clusters.isEmpty()) {
      findings.add(
          Finding.error(
              "client",
              "core-site.xml names no cluster of VDFS",
              "set fs.vdfs.cluster.NAME.zookeeper=HOST:PORT,..."));
    }
    findings.add(Finding.ok("client", "fs.defaultFS=" + defaultFileSystem.orElse("not set")));
    clusters.forEach(cluster -> findings.addAll(look(cluster)));
    return findings;
  }

  private List<Finding> look(String name) {
    String subject = "vdfs://" + name + "/";
    List<Finding> findings = new ArrayList<>();
    try (VdfsClient client = opener.open(name)) {
      ClusterDescription cluster = client.cluster();
      int nodes = cluster.ring().nodes().size();
      client.names().status("/");
      findings.add(
          Finding.ok(subject, cluster.live().size() + " of " + nodes + " DataNodes are alive"));
      if (!cluster.live().containsAll(cluster.ring().nodes().keySet())) {
        findings.add(
            Finding.warning(
                subject, "DataNodes are missing", "'vdfs report' tells which; start them"));
      }
    } catch (IOException e) {
      findings.add(
          Finding.error(
              subject,
              "not reached: " + e.getMessage(),
              ("see that DataNodes run, and that fs.vdfs.cluster.%s.zookeeper or .nodes names"
                      + " where they are")
                  .formatted(name)));
    }
    return findings;
  }
}
