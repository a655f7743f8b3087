package io.vdfs.client.hadoop.cluster;

import io.vdfs.client.io.BufferBudget;
import io.vdfs.client.io.Delivery;
import io.vdfs.client.io.IoSettings;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FsServerDefaults;
import org.apache.hadoop.util.DataChecksum;

/**
 * The client's settings, read once from {@code fs.vdfs.*} keys; {@code vdfs-default.xml} documents
 * each. Immutable.
 *
 * @param retryTime how long a metadata call is tried
 * @param callTimeout of a single control call
 * @param connectTimeout of a connection to a control or data port
 * @param clusterRefresh age after which the knowledge of the cluster is renewed
 * @param leaseRenewal period of renewing leases
 * @param zooKeeperTimeout of finding a named cluster
 * @param blockSize as reported of new files
 * @param replication of new files
 * @param listPage entries asked for at once
 * @param nodesWait how long a writer waits for nodes that it cannot spare
 * @param readersWait how long a reader goes on asking where no replica can serve
 * @param readTimeout silence after which a read turns to the next replica
 * @param delivery how bytes of blocks are read
 * @param localFetchPercent share of local reads that may come from the disk
 * @param bufferPercent share of the direct memory of the JVM that its readers and writers may use
 * @param closeUnforced whether files are closed without forcing them to the disks of their nodes
 */
public record ClientSettings(
    Duration retryTime,
    Duration callTimeout,
    Duration connectTimeout,
    Duration clusterRefresh,
    Duration leaseRenewal,
    Duration zooKeeperTimeout,
    long blockSize,
    int replication,
    int listPage,
    Duration nodesWait,
    Duration readersWait,
    Duration readTimeout,
    Delivery delivery,
    int localFetchPercent,
    int bufferPercent,
    boolean closeUnforced) {
  private static final int PACKET_BYTES = 1 << 20;
  private static final int IO_BUFFER_BYTES = 64 << 10;

  static final String RETRY_TIME = "fs.vdfs.retry.time";
  static final String CALL_TIMEOUT = "fs.vdfs.call.timeout";
  static final String CONNECT_TIMEOUT = "fs.vdfs.connect.timeout";
  static final String CLUSTER_REFRESH = "fs.vdfs.cluster.refresh.time";
  static final String LEASE_RENEWAL = "fs.vdfs.lease.renewal.time";
  static final String ZOOKEEPER_TIMEOUT = "fs.vdfs.zookeeper.timeout";
  static final String BLOCK_SIZE = "fs.vdfs.block.size";
  static final String REPLICATION = "fs.vdfs.replication";
  static final String LIST_PAGE = "fs.vdfs.list.page";

  /** Used where the keys of VDFS are not set, so that a job's settings for HDFS apply here too. */
  static final String DFS_BLOCK_SIZE = "dfs.blocksize";

  static final String DFS_REPLICATION = "dfs.replication";

  static final String NODES_WAIT = "fs.vdfs.write.nodes.wait";
  static final String READERS_WAIT = "fs.vdfs.read.nodes.wait";
  static final String READ_TIMEOUT = "fs.vdfs.read.timeout";
  static final String DELIVERY = "fs.vdfs.delivery";
  static final String LOCAL_FETCH_PERCENT = "fs.vdfs.delivery.local.fetch.percent";
  static final String BUFFER_PERCENT = "fs.vdfs.buffer.memory.percent";
  static final String CLOSE_UNFORCED = "fs.vdfs.write.close.unforced";

  /** Every key that {@link #read} looks at. */
  static final List<String> KEYS =
      List.of(
          RETRY_TIME,
          CALL_TIMEOUT,
          CONNECT_TIMEOUT,
          CLUSTER_REFRESH,
          LEASE_RENEWAL,
          ZOOKEEPER_TIMEOUT,
          BLOCK_SIZE,
          REPLICATION,
          LIST_PAGE,
          NODES_WAIT,
          READERS_WAIT,
          READ_TIMEOUT,
          DELIVERY,
          LOCAL_FETCH_PERCENT,
          BUFFER_PERCENT,
          CLOSE_UNFORCED);

  static final ClientSettings DEFAULT =
      new ClientSettings(
          Duration.ofSeconds(60),
          Duration.ofSeconds(30),
          Duration.ofSeconds(3),
          Duration.ofSeconds(60),
          Duration.ofSeconds(20),
          Duration.ofSeconds(10),
          128L << 20,
          3,
          1000,
          IoSettings.DEFAULT.nodesWait(),
          IoSettings.DEFAULT.readersWait(),
          IoSettings.DEFAULT.readTimeout(),
          Delivery.AUTO,
          IoSettings.DEFAULT.localFetchPercent(),
          BufferBudget.USUAL_PERCENT,
          false);

  /**
   * What the configuration says, and the defaults where it says nothing.
   *
   * @throws VdfsException MISCONFIGURED naming key and value of what is malformed or out of range
   */
  public static ClientSettings read(Configuration configuration) throws VdfsException {
    return new ClientSettings(
        time(configuration, RETRY_TIME, DEFAULT.retryTime),
        time(configuration, CALL_TIMEOUT, DEFAULT.callTimeout),
        time(configuration, CONNECT_TIMEOUT, DEFAULT.connectTimeout),
        time(configuration, CLUSTER_REFRESH, DEFAULT.clusterRefresh),
        time(configuration, LEASE_RENEWAL, DEFAULT.leaseRenewal),
        time(configuration, ZOOKEEPER_TIMEOUT, DEFAULT.zooKeeperTimeout),
        number(
            configuration,
            setOf(configuration, BLOCK_SIZE, DFS_BLOCK_SIZE),
            DEFAULT.blockSize,
            512,
            Long.MAX_VALUE),
        (int)
            number(
                configuration,
                setOf(configuration, REPLICATION, DFS_REPLICATION),
                DEFAULT.replication,
                1,
                512),
        (int) number(configuration, LIST_PAGE, DEFAULT.listPage, 1, 10_000),
        time(configuration, NODES_WAIT, DEFAULT.nodesWait),
        time(configuration, READERS_WAIT, DEFAULT.readersWait),
        time(configuration, READ_TIMEOUT, DEFAULT.readTimeout),
        delivery(configuration),
        (int) number(configuration, LOCAL_FETCH_PERCENT, DEFAULT.localFetchPercent, 1, 100),
        (int) number(configuration, BUFFER_PERCENT, DEFAULT.bufferPercent, 1, 90),
        bool(configuration, CLOSE_UNFORCED, DEFAULT.closeUnforced));
  }

  private static boolean bool(Configuration configuration, String key, boolean fallback)
      throws VdfsException {
    String text = configuration.getTrimmed(key, Boolean.toString(fallback));
    return switch (text) {
      case "true" -> true;
      case "false" -> false;
      default -> throw malformed(configuration, key, "give true or false", null);
    };
  }

  private static String setOf(Configuration configuration, String own, String dfs) {
    return configuration.getTrimmed(own, "").isEmpty() ? dfs : own;
  }

  private static Delivery delivery(Configuration configuration) throws VdfsException {
    String text = configuration.getTrimmed(DELIVERY, name(DEFAULT.delivery));
    for (Delivery delivery : Delivery.values()) {
      if (name(delivery).equals(text)) {
        return delivery;
      }
    }
    throw malformed(configuration, DELIVERY, "give auto, local, segment or socket", null);
  }

  private static String name(Delivery delivery) {
    return delivery.name().toLowerCase(Locale.ROOT);
  }

  private static Duration time(Configuration configuration, String key, Duration fallback)
      throws VdfsException {
    long millis;
    try {
      millis = configuration.getTimeDuration(key, fallback.toMillis(), TimeUnit.MILLISECONDS);
    } catch (NumberFormatException e) {
      throw malformed(configuration, key, "give a time such as 500ms, 30s or 2m", e);
    }
    if (millis < 1 || millis > Integer.MAX_VALUE) {
      throw malformed(configuration, key, "give a time between 1ms and 24d", null);
    }
    return Duration.ofMillis(millis);
  }

  private static long number(
      Configuration configuration, String key, long fallback, long min, long max)
      throws VdfsException {
    long value;
    try {
      value = configuration.getLongBytes(key, fallback);
    } catch (IllegalArgumentException e) {
      throw malformed(configuration, key, "give a number such as 3 or 128m", e);
    }
    if (value < min || value > max) {
      throw malformed(configuration, key, "give a number between " + min + " and " + max, null);
    }
    return value;
  }

  private static VdfsException malformed(
      Configuration configuration, String key, String cure, IllegalArgumentException cause) {
    return new VdfsException(
        ErrorCode.MISCONFIGURED,
        "malformed setting: " + key + "=" + configuration.get(key) + "; " + cure,
        cause);
  }

  /**
   * What Hadoop calls the defaults of a server.
   *
   * @param chunkBytes of files' checksums
   * @param trashMinutes that the cluster keeps what is in the trash
   */
  public FsServerDefaults serverDefaults(int chunkBytes, long trashMinutes) {
    return new FsServerDefaults(
        blockSize,
        chunkBytes,
        PACKET_BYTES,
        (short) replication,
        IO_BUFFER_BYTES,
        false,
        trashMinutes,
        DataChecksum.Type.CRC32C);
  }
}
