package io.vdfs.datanode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.cluster.ZooKeeperSettings;
import io.vdfs.common.config.Setting;
import io.vdfs.common.config.SiteFile;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.datanode.host.HostSettings;
import io.vdfs.datanode.machine.HostNames;
import io.vdfs.datanode.meta.ring.RingPatience;
import io.vdfs.datanode.repair.RepairSettings;
import io.vdfs.datanode.repair.garbage.GarbageSettings;
import io.vdfs.datanode.stream.StreamSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class DaemonSettingsTest {
  private static final Path CONF = Path.of("..", "conf");
  private static final Pattern PROPERTY =
      Pattern.compile("<name>([^<]+)</name>\\s*<value>([^<]*)</value>");

  @Test
  void shouldDocumentEveryKeyWithItsDefault() throws IOException {
    Map<String, String> documented = new TreeMap<>();
    Matcher matcher = PROPERTY.matcher(Files.readString(CONF.resolve(DaemonSettings.SITE_FILE)));
    while (matcher.find()) {
      documented.put(matcher.group(1), matcher.group(2));
    }
    Map<String, String> expected = new TreeMap<>();
    for (Setting<?> setting : DaemonSettings.ALL) {
      expected.put(setting.key(), setting.defaultText());
    }
    expected.put("vdfs.data.dirs", "/var/lib/vdfs");
    assertEquals(expected, documented);
  }

  @Test
  void shouldLoadTheShippedFile() throws IOException {
    Map<String, String> properties = SiteFile.read(CONF.resolve(DaemonSettings.SITE_FILE));
    assertEquals(Map.of("vdfs.data.dirs", "/var/lib/vdfs"), properties);
    DaemonSettings settings = DaemonSettings.load(CONF);
    assertEquals("vdfs", settings.cluster().name());
    assertEquals(CONF.resolve("cluster.key"), settings.cluster().keyFile());
    assertFalse(settings.metadata().insecure());
    assertEquals("localhost:2181", settings.cluster().zooKeeper().connect());
    assertEquals("/vdfs", settings.cluster().zooKeeper().prefix());
    assertEquals(Duration.ofSeconds(10), settings.cluster().zooKeeper().sessionTimeout());
    assertEquals(Duration.ofSeconds(15), settings.cluster().zooKeeper().connectionTimeout());
    assertEquals(HostNames.SYSTEM.listenAt(settings.node().host()), settings.node().bindAddress());
    assertEquals("/default-rack", settings.node().rack());
    assertEquals(Runtime.getRuntime().availableProcessors(), settings.node().cores());
    assertEquals(List.of(Path.of("/var/lib/vdfs")), settings.storage().directories());
    assertEquals(Path.of("/var/lib/vdfs/metadata"), settings.metadata().directory());
    NodeId node = NodeId.random();
    assertEquals(Path.of("/var/lib/vdfs/metadata/index-" + node), settings.indexDirectory(node));
    assertEquals(256L << 20, settings.storage().reserve());
    assertEquals(Duration.ofMillis(200), settings.storage().writePatience());
    assertEquals(StreamSettings.DEFAULT, settings.reading().streams());
    assertTrue(settings.reading().sharedScan());
    assertEquals(0, settings.node().metricsPort());
    assertTrue(settings.reading().local());
    assertEquals(
        new DaemonSettings.Segments(false, Path.of("/dev/shm"), Optional.empty(), 512L << 20),
        settings.reading().segments());
    assertEquals(32L << 20, settings.reading().bufferMemory());
    assertEquals(new DaemonSettings.Ports(9860, 9861, 9862), settings.node().ports());
    assertEquals(10, settings.node().controlHandlers());
    assertEquals(new DaemonSettings.Shares(4_000, 2_000), settings.node().shares());
    assertEquals(Duration.ofSeconds(1), settings.metadata().electionTimeoutMin());
    assertEquals(Duration.ofSeconds(2), settings.metadata().electionTimeoutMax());
    assertEquals(100_000, settings.metadata().snapshotEntries());
    assertEquals(Duration.ofMinutes(10), settings.metadata().replaceAfter());
    assertEquals(RingPatience.DEFAULT, settings.metadata().ringPatience());
    assertEquals(
        new DaemonSettings.Copies(
            new RepairSettings(64L << 20, Duration.ofHours(1), Duration.ofDays(7)),
            new GarbageSettings(Duration.ofHours(1), Duration.ofDays(1))),
        settings.copies());
  }

  @Test
  void shouldMapEveryKeyToItsField() throws IOException {
    Map<String, String> properties = new HashMap<>();
    properties.put("vdfs.cluster.name", "c");
    properties.put("vdfs.cluster.key.file", "/k/key");
    properties.put("vdfs.raft.insecure", "true");
    properties.put("vdfs.zookeeper", "zk:1");
    properties.put("vdfs.zookeeper.root", "/r");
    properties.put("vdfs.zookeeper.session.timeout", "1s");
    properties.put("vdfs.zookeeper.connect.timeout", "2s");
    properties.put("vdfs.node.host", "h");
    properties.put("vdfs.node.bind.address", "b");
    properties.put("vdfs.node.rack", "/k");
    properties.put("vdfs.node.cores", "3");
    properties.put("vdfs.node.weight", "2.5");
    properties.put("vdfs.data.dirs", "/d1,/d2");
    properties.put("vdfs.metadata.dir", "/m");
    properties.put("vdfs.volume.reserve", "4k");
    properties.put("vdfs.read.ahead", "512m");
    properties.put("vdfs.read.order", "arrival");
    properties.put("vdfs.read.round", "7s");
    properties.put("vdfs.shared.scan", "false");
    properties.put("vdfs.delivery.local", "false");
    properties.put("vdfs.delivery.segment", "true");
    properties.put("vdfs.delivery.segment.directory", "/s");
    properties.put("vdfs.delivery.segment.group", "g");
    properties.put("vdfs.delivery.segment.memory", "1m");
    properties.put("vdfs.read.buffer.memory", "2m");
    properties.put("vdfs.control.port", "5");
    properties.put("vdfs.data.port", "6");
    properties.put("vdfs.raft.port", "7");
    properties.put("vdfs.control.handlers", "8");
    properties.put("vdfs.control.calls.per.user", "21");
    properties.put("vdfs.data.connections.per.host", "22");
    properties.put("vdfs.metrics.port", "4");
    properties.put("vdfs.metadata.election.timeout.min", "9s");
    properties.put("vdfs.metadata.election.timeout.max", "10s");
    properties.put("vdfs.metadata.snapshot.entries", "123");
    properties.put("vdfs.metadata.replace.after", "11s");
    properties.put("vdfs.node.missing.after", "31s");
    properties.put("vdfs.node.replace.after", "32s");
    properties.put("vdfs.mass.loss.after", "33s");
    properties.put("vdfs.write.patience", "23ms");
    properties.put("vdfs.repair.rate", "24m");
    properties.put("vdfs.repair.audit.period", "25m");
    properties.put("vdfs.scrub.period", "3d");
    properties.put("vdfs.garbage.after", "26m");
    properties.put("vdfs.garbage.keep", "4d");
    assertEquals(DaemonSettings.ALL.size(), properties.size());
    assertEquals(
        new DaemonSettings(
            new DaemonSettings.Access(
                "c",
                Path.of("/k/key"),
                new ZooKeeperSettings(
                    "zk:1", "vdfs.zookeeper", "/r", Duration.ofSeconds(1), Duration.ofSeconds(2))),
            new DaemonSettings.Node(
                "h",
                "b",
                "/k",
                3,
                2.5,
                new DaemonSettings.Ports(5, 6, 7),
                4,
                8,
                new DaemonSettings.Shares(22, 21)),
            new DaemonSettings.Storage(
                List.of(Path.of("/d1"), Path.of("/d2")), 4096, Duration.ofMillis(23)),
            new DaemonSettings.Reading(
                StreamSettings.of(
                    StreamSettings.ReadOrder.ARRIVAL, 512L << 20, Duration.ofSeconds(7)),
                false,
                false,
                new DaemonSettings.Segments(true, Path.of("/s"), Optional.of("g"), 1 << 20),
                2 << 20),
            new HostSettings(
                Path.of("/m"),
                "b",
                "vdfs.raft.port",
                true,
                Duration.ofSeconds(9),
                Duration.ofSeconds(10),
                123,
                Duration.ofSeconds(11),
                new RingPatience(
                    Duration.ofSeconds(31), Duration.ofSeconds(32), Duration.ofSeconds(33))),
            new DaemonSettings.Copies(
                new RepairSettings(24 << 20, Duration.ofMinutes(25), Duration.ofDays(3)),
                new GarbageSettings(Duration.ofMinutes(26), Duration.ofDays(4)))),
        DaemonSettings.of(properties, "test", CONF));
  }

  @Test
  void shouldRefuseMorePatienceWhereOneNodeIsLeftThanWhereMoreAre() {
    String suffix =
        " must not be above vdfs.node.replace.after=30000ms, and 0 counts as for ever;"
            + " correct one of them in test";
    assertMessage(
        Map.of("vdfs.data.dirs", "/d", "vdfs.node.replace.after", "30s"),
        "vdfs.node.missing.after=45000ms" + suffix);
    assertMessage(
        Map.of(
            "vdfs.data.dirs",
            "/d",
            "vdfs.node.replace.after",
            "30s",
            "vdfs.node.missing.after",
            "0s"),
        "vdfs.node.missing.after=0ms" + suffix);
  }

  @Test
  void shouldRefuseMorePatienceThanWritersHave() {
    assertMessage(
        Map.of("vdfs.data.dirs", "/d", "vdfs.write.patience", "3s"),
        "vdfs.write.patience=3000ms is above the most of 2000ms, as each close of a file may wait"
            + " so long; lower it in test");
  }

  @Test
  void shouldRefuseMoreReadAheadThanIsUseful() {
    assertMessage(
        Map.of("vdfs.data.dirs", "/d", "vdfs.read.ahead", "1g"),
        "vdfs.read.ahead=1073741824 is above the most of 536870912 per volume; lower it in test");
  }

  @Test
  void shouldRefuseMoreBufferMemoryThanOneMappingHas() {
    assertMessage(
        Map.of("vdfs.data.dirs", "/d", "vdfs.read.buffer.memory", "2g"),
        "vdfs.read.buffer.memory=2147483648 is above the most of 1073741824; lower it in test");
  }

  @Test
  void shouldRefuseRepairThatWouldNotEndOrNeverRest() {
    assertMessage(
        Map.of("vdfs.data.dirs", "/d", "vdfs.repair.rate", "1k"),
        "vdfs.repair.rate=1024 is below the least of 65536 bytes per second; raise it in test");
    assertMessage(
        Map.of("vdfs.data.dirs", "/d", "vdfs.repair.audit.period", "1s"),
        "vdfs.repair.audit.period=1000ms is below the least of 10000ms; raise it in test");
  }

  @Test
  void shouldRefuseEqualPorts() {
    assertMessage(
        Map.of("vdfs.data.dirs", "/d", "vdfs.control.port", "9861"),
        "vdfs.control.port and vdfs.data.port are both 9861; change one of them in test");
  }

  @Test
  void shouldRefuseElectionTimeoutsThatDoNotRise() {
    assertMessage(
        Map.of("vdfs.data.dirs", "/d", "vdfs.metadata.election.timeout.min", "2s"),
        "vdfs.metadata.election.timeout.min=2000ms must be below"
            + " vdfs.metadata.election.timeout.max=2000ms; correct one of them in test");
  }

  @Test
  void shouldAskForDataDirectories() {
    VdfsException e =
        assertThrows(VdfsException.class, () -> DaemonSettings.of(Map.of(), "test", CONF));
    assertTrue(e.getMessage().startsWith("vdfs.data.dirs="), e.getMessage());
  }

  private static void assertMessage(Map<String, String> properties, String message) {
    VdfsException e =
        assertThrows(VdfsException.class, () -> DaemonSettings.of(properties, "test", CONF));
    assertEquals(message, e.getMessage());
  }
}
