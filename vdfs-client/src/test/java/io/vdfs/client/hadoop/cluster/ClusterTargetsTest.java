package io.vdfs.client.hadoop.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.meta.control.ControlAddress;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

class ClusterTargetsTest {
  private final Configuration configuration = new Configuration(false);

  private ClusterTarget resolve(String uri) throws VdfsException {
    return ClusterTargets.resolve(URI.create(uri), configuration);
  }

  private static ClusterTarget named(String name, String zooKeeper) {
    return named(name, List.of(), zooKeeper);
  }

  private static ClusterTarget named(String name, List<ControlAddress> nodes, String zooKeeper) {
    return new ClusterTarget.Named(
        name, nodes, zooKeeper, "fs.vdfs.cluster." + name + ".zookeeper", "/vdfs");
  }

  @Test
  void shouldFindANamedClusterByItsKey() throws VdfsException {
    configuration.set("fs.vdfs.cluster.main.zookeeper", " a:1,b:2 ");

    assertEquals(named("main", "a:1,b:2"), resolve("vdfs://main/x/y"));
  }

  @Test
  void shouldTakeAListOfNodesBesideOrInsteadOfZooKeeper() throws VdfsException {
    List<ControlAddress> nodes = List.of(new ControlAddress("n", 9), new ControlAddress("m", 9));
    configuration.set("fs.vdfs.cluster.main.nodes", " n:9, m:9 ");
    assertEquals(named("main", nodes, ""), resolve("vdfs://main/x"));
    assertEquals(named("main", nodes, ""), resolve("vdfs:///"));
    assertEquals(1, places(resolve("vdfs://main/")));

    configuration.set("fs.vdfs.cluster.main.zookeeper", "a:1");
    assertEquals(named("main", nodes, "a:1"), resolve("vdfs://main/x"));
    assertEquals(2, places(resolve("vdfs://main/")));
  }

  private int places(ClusterTarget target) {
    return target.sources(configuration, Optional.empty(), Duration.ofSeconds(1)).finders().size();
  }

  @Test
  void shouldNameTheKeyWhenAListedNodeHasNoPort() {
    configuration.set("fs.vdfs.cluster.main.nodes", "n:9,m");

    VdfsException e = assertThrows(VdfsException.class, () -> resolve("vdfs://main/"));

    assertEquals(ErrorCode.MISCONFIGURED, e.code());
    assertEquals(
        "expected host:port: address=m, key=fs.vdfs.cluster.main.nodes; give control ports of"
            + " DataNodes: host:port,...",
        e.getMessage());
  }

  @Test
  void shouldTakeAPortForANode() throws VdfsException {
    assertEquals(
        new ClusterTarget.OfNode(new ControlAddress("h.example", 9860)),
        resolve("vdfs://h.example:9860/x"));
  }

  @Test
  void shouldUseTheOnlyClusterWhereNoneIsNamed() throws VdfsException {
    configuration.set("fs.vdfs.cluster.main.zookeeper", "a:1");

    assertEquals(named("main", "a:1"), resolve("vdfs:///"));
  }

  @Test
  void shouldUseTheDefaultClusterWhereThereAreMore() throws VdfsException {
    configuration.set("fs.vdfs.cluster.a.zookeeper", "a:1");
    configuration.set("fs.vdfs.cluster.b.zookeeper", "b:1");
    VdfsException e = assertThrows(VdfsException.class, () -> resolve("vdfs:///"));
    assertTrue(e.getMessage().contains("known=[a, b]"), e.getMessage());
    assertTrue(e.getMessage().contains("fs.vdfs.default.cluster"), e.getMessage());

    configuration.set("fs.vdfs.default.cluster", "b");
    assertEquals(named("b", "b:1"), resolve("vdfs:///"));
    configuration.set("fs.vdfs.default.cluster", "node:99");
    assertEquals(new ClusterTarget.OfNode(new ControlAddress("node", 99)), resolve("vdfs:///"));
  }

  @Test
  void shouldNameTheCureWhenAClusterIsUnknown() {
    configuration.set("fs.vdfs.cluster.main.zookeeper", "a:1");

    VdfsException e = assertThrows(VdfsException.class, () -> resolve("vdfs://mian/"));

    assertEquals(ErrorCode.MISCONFIGURED, e.code());
    assertEquals(
        "unknown cluster: name=mian, uri=vdfs://mian/, known=[main]; set"
            + " fs.vdfs.cluster.mian.zookeeper=host:port,... in core-site.xml, or write"
            + " vdfs://host:port/",
        e.getMessage());
  }

  @Test
  void shouldRefuseAnImpossiblePort() {
    assertThrows(VdfsException.class, () -> resolve("vdfs://h:0/"));
    assertThrows(VdfsException.class, () -> resolve("vdfs://h:70000/"));
  }
}
