package io.vdfs.datanode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.security.ClusterKey;
import io.vdfs.common.security.ClusterKeyFile;
import io.vdfs.datanode.command.Commands;
import io.vdfs.datanode.command.ExitCodes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.stream.Stream;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class FormatCommandTest {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @TempDir private Path conf;

  private ClusterKeyFile key;

  @BeforeEach
  void nameKey() {
    key = new ClusterKeyFile(conf.resolve("cluster.key"));
  }

  private int run(String... arguments) {
    return Commands.run(Commands.frame(new CommandLine(new FormatCommand())), arguments, out, err);
  }

  private String error() {
    return err.toString(StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @CsvSource({
    "'', --nodes=N | --roll-key",
    "--nodes, --nodes",
    "--nodes none, --nodes",
    "--nodes 0, expectedNodes",
    "--nodes 3 --replication 99, replication",
    "--nodes 3 --metadata-members 4, metadataMembers",
    "--nodes 3 --block-size 8x, a size in bytes",
    "--nodes 3 --chunk-size 8t, integer overflow",
    "--nodes 3 --placement golden, unknown placement: placement=golden",
    "--nodes 3 --replicas 2, --replicas",
    "--nodes 3 now, now"
  })
  void shouldRefuseWrongUsageBeforeItReadsSettings(String arguments, String named) {
    assertEquals(ExitCodes.USAGE, run(arguments.isEmpty() ? new String[0] : arguments.split(" ")));
    assertEquals(1, error().lines().count(), error());
    assertTrue(error().startsWith("format: "), error());
    assertTrue(error().contains(named), error());
  }

  @Test
  void shouldNameTheUnknownKey() throws Exception {
    Files.writeString(
        conf.resolve("vdfs-site.xml"),
        "<configuration><property><name>vdfs.zookeper</name><value>x</value></property>"
            + "</configuration>");
    assertEquals(ExitCodes.FAILED, run("--nodes", "3", "--conf", conf.toString()));
    assertEquals(1, error().lines().count(), error());
    assertTrue(error().contains("did you mean vdfs.zookeeper?"), error());
  }

  @Test
  void shouldMakeTheKeyThatDaemonsNeed() throws Exception {
    try (TestingServer server =
        new TestingServer(-1, Files.createDirectory(conf.resolve("zk")).toFile())) {
      site(server.getConnectString());
      assertThrows(VdfsException.class, key::load);

      assertEquals(0, format("--nodes", "1"));
      List<String> first = key.load().fingerprints();
      assertTrue(said(out).contains("wrote the cluster's key: file=" + key.path()), said(out));
      assertTrue(said(out).contains("fingerprint=" + first.get(0)), said(out));

      // a cluster that runs keeps its key
      assertEquals(1, format("--nodes", "1"));
      assertTrue(said(err).contains("is formatted already"), said(err));
      assertEquals(first, key.load().fingerprints());
      assertEquals(0, format("--nodes", "1", "--force"));
      assertTrue(said(out).contains("found the cluster's key"), said(out));
      assertEquals(first, key.load().fingerprints());

      // on another machine, by mistake
      key.delete();
      assertEquals(1, format("--nodes", "1"));
      assertFalse(key.exists(), "a key of no cluster was left");
    }
  }

  @Test
  void shouldReplaceTheKeyInTwoStepsWithoutZooKeeper() throws IOException {
    site("localhost:1");
    assertEquals(1, format("--roll-key"));
    assertTrue(said(err).contains("no cluster key: file=" + key.path()), said(err));
    key.create(ClusterKey.generate(new SecureRandom()));
    String old = key.load().fingerprints().get(0);

    assertEquals(0, format("--roll-key"));
    List<String> both = key.load().fingerprints();
    assertEquals(2, both.size());
    assertEquals(old, both.get(1));
    assertTrue(said(out).contains("step 1 of 2"), said(out));
    assertTrue(said(out).contains("once more"), said(out));

    assertEquals(0, format("--roll-key"));
    assertEquals(both.subList(0, 1), key.load().fingerprints());
    assertTrue(said(out).contains("step 2 of 2"), said(out));
    assertFalse(said(out).contains("once more"), said(out));

    for (String other : List.of("--force", "--replication=2", "--nodes=3")) {
      assertEquals(ExitCodes.USAGE, format("--roll-key", other));
      assertTrue(said(err).contains("--roll-key"), said(err));
    }
    assertEquals(both.subList(0, 1), key.load().fingerprints());
  }

  @Test
  void shouldFindTheKeyWhereItIsNamed() throws IOException {
    Path elsewhere = conf.resolve("secret").resolve("key");
    Files.writeString(
        conf.resolve("vdfs-site.xml"),
        "<configuration>"
            + property("vdfs.zookeeper", "localhost:1")
            + property("vdfs.cluster.key.file", elsewhere.toString())
            + "</configuration>");
    assertEquals(elsewhere, ClusterSettings.load(conf).keyFile().path());
  }

  private void site(String zooKeeper) throws IOException {
    Files.writeString(
        conf.resolve("vdfs-site.xml"),
        "<configuration>" + property("vdfs.zookeeper", zooKeeper) + "</configuration>");
  }

  private static String property(String name, String value) {
    return "<property><name>%s</name><value>%s</value></property>".formatted(name, value);
  }

  private int format(String... arguments) {
    out.reset();
    err.reset();
    return run(
        Stream.concat(Stream.of("--conf", conf.toString()), Stream.of(arguments))
            .toArray(String[]::new));
  }

  private static String said(ByteArrayOutputStream stream) {
    return stream.toString(StandardCharsets.UTF_8);
  }
}
