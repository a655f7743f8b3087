package io.vdfs.client.hadoop.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.client.hadoop.trace.TraceSettings;
import io.vdfs.client.hadoop.trace.TracingFileSystem;
import io.vdfs.client.io.Delivery;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;

class ClientSettingsTest {
  private static Configuration shipped() {
    Configuration configuration = new Configuration(false);
    configuration.addResource("vdfs-default.xml");
    return configuration;
  }

  private static String shippedText() throws IOException {
    try (InputStream in = ClientSettingsTest.class.getResourceAsStream("/vdfs-default.xml")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void shouldHaveTheDefaultsThatTheFileDocuments() throws VdfsException {
    assertEquals(ClientSettings.DEFAULT, ClientSettings.read(shipped()));
    assertEquals(ClientSettings.DEFAULT, ClientSettings.read(new Configuration(false)));
  }

  @Test
  void shouldDocumentEveryKeyAndNoOther() throws IOException {
    Set<String> keys = new TreeSet<>(ClientSettings.KEYS);
    keys.add(ClusterKeys.DEFAULT_CLUSTER);
    keys.add(ClusterKeys.ROOT);
    keys.add("fs.vdfs.impl");
    keys.add("fs.AbstractFileSystem.vdfs.impl");
    keys.addAll(TraceSettings.KEYS);
    keys.add("fs.trace.impl");
    keys.add("fs.AbstractFileSystem.trace.impl");

    Set<String> documented = new TreeSet<>();
    Matcher names = Pattern.compile("<name>(.*?)</name>").matcher(shippedText());
    while (names.find()) {
      documented.add(names.group(1));
    }

    assertEquals(keys, documented);
    assertEquals(VdfsFileSystem.class.getName(), shipped().get("fs.vdfs.impl"));
    assertEquals(TracingFileSystem.class.getName(), shipped().get("fs.trace.impl"));
  }

  @Test
  void shouldListenToTheKeysOfHdfsWhereItsOwnAreNotSet() throws VdfsException {
    Configuration configuration = new Configuration(false);
    configuration.set("dfs.replication", "1");
    configuration.set("dfs.blocksize", "64m");
    assertEquals(1, ClientSettings.read(configuration).replication());
    assertEquals(64 << 20, ClientSettings.read(configuration).blockSize());

    configuration.set(ClientSettings.REPLICATION, "2");
    configuration.set(ClientSettings.BLOCK_SIZE, "1m");
    assertEquals(2, ClientSettings.read(configuration).replication());
    assertEquals(1 << 20, ClientSettings.read(configuration).blockSize());
  }

  @Test
  void shouldWaitLongerForNodesThanARestartTakes() {
    assertEquals(Duration.ofMinutes(2), ClientSettings.DEFAULT.nodesWait());
  }

  @Test
  void shouldMapEachKeyToItsField() throws VdfsException {
    Configuration configuration = new Configuration(false);
    configuration.set(ClientSettings.RETRY_TIME, "1s");
    configuration.set(ClientSettings.CALL_TIMEOUT, "2s");
    configuration.set(ClientSettings.CONNECT_TIMEOUT, "3s");
    configuration.set(ClientSettings.CLUSTER_REFRESH, "4s");
    configuration.set(ClientSettings.LEASE_RENEWAL, "5s");
    configuration.set(ClientSettings.ZOOKEEPER_TIMEOUT, "6s");
    configuration.set(ClientSettings.BLOCK_SIZE, "1m");
    configuration.set(ClientSettings.REPLICATION, "2");
    configuration.set(ClientSettings.LIST_PAGE, "7");
    configuration.set(ClientSettings.NODES_WAIT, "10s");
    configuration.set(ClientSettings.READERS_WAIT, "11s");
    configuration.set(ClientSettings.READ_TIMEOUT, "8s");
    configuration.set(ClientSettings.DELIVERY, "local");
    configuration.set(ClientSettings.LOCAL_FETCH_PERCENT, "9");
    configuration.set(ClientSettings.BUFFER_PERCENT, "10");
    configuration.set(ClientSettings.CLOSE_UNFORCED, "true");

    assertEquals(
        new ClientSettings(
            Duration.ofSeconds(1),
            Duration.ofSeconds(2),
            Duration.ofSeconds(3),
            Duration.ofSeconds(4),
            Duration.ofSeconds(5),
            Duration.ofSeconds(6),
            1 << 20,
            2,
            7,
            Duration.ofSeconds(10),
            Duration.ofSeconds(11),
            Duration.ofSeconds(8),
            Delivery.LOCAL,
            9,
            10,
            true),
        ClientSettings.read(configuration));
  }

  @Test
  void shouldNameKeyAndValueOfWhatIsMalformed() {
    for (String key : ClientSettings.KEYS) {
      for (String value : new String[] {"abc", "-1", "0"}) {
        Configuration configuration = new Configuration(false);
        configuration.set(key, value);

        VdfsException e =
            assertThrows(
                VdfsException.class, () -> ClientSettings.read(configuration), key + "=" + value);

        assertEquals(ErrorCode.MISCONFIGURED, e.code());
        assertTrue(e.getMessage().contains(key + "=" + value), e.getMessage());
      }
    }
  }
}
