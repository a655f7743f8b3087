package io.vdfs.client.hadoop.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vdfs.client.hadoop.VdfsFileSystem;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

class UnknownKeysTest {
  private final UnknownKeys keys = new UnknownKeys();

  @Test
  void shouldNameTheNearestKeyOnce() {
    Configuration configuration = new Configuration(false);
    configuration.set("fs.vdfs.replicaton", "2");

    assertEquals(
        List.of(
            "unknown key in the configuration, it changes nothing: fs.vdfs.replicaton; did you mean"
                + " fs.vdfs.replication?"),
        keys.complaints(configuration));
    assertEquals(List.of(), keys.complaints(configuration));
  }

  @Test
  void shouldNameTheNearestKeyOfTheSameCluster() {
    Configuration configuration = new Configuration(false);
    configuration.set("fs.vdfs.cluster.main.zookeper", "zk:2181");

    assertEquals(
        List.of(
            "unknown key in the configuration, it changes nothing: fs.vdfs.cluster.main.zookeper;"
                + " did you mean fs.vdfs.cluster.main.zookeeper?"),
        keys.complaints(configuration));
  }

  @Test
  void shouldKnowTheClusterThatAKeyLacks() {
    Configuration configuration = new Configuration(false);
    configuration.set("fs.vdfs.cluster.zookeeper", "zk:2181");

    assertEquals(1, keys.complaints(configuration).size());
  }

  @Test
  void shouldSayNothingOfKeysThatAreRead() {
    Configuration configuration = new Configuration(false);
    configuration.addResource("vdfs-default.xml");
    configuration.set("fs.vdfs.impl.disable.cache", "true");
    configuration.set("fs.vdfs.cluster.main.zookeeper", "zk:2181");
    configuration.set("fs.vdfs.cluster.a.b.zookeeper", "zk:2181");
    configuration.set("fs.vdfs.cluster.main.nodes", "dn1:9860");
    configuration.set("fs.vdfs.cluster.main.node.hints", "x");
    configuration.set("fs.hdfs.impl", VdfsFileSystem.class.getName());

    assertEquals(List.of(), keys.complaints(configuration));
  }
}
