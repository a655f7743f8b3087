package io.vdfs.datanode.meta.raft;

import io.vdfs.datanode.meta.group.GroupMemberSettings.Tuning;
import io.vdfs.datanode.meta.raft.disk.LogCheck;
import io.vdfs.datanode.meta.raft.lease.LeasedGrpcType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.RaftConfigKeys;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;

/** Ratis' settings for one small group on a node that has other things to do. */
public final class RatisProperties {
  /** Bytes that Ratis adds to a request batch in a log entry, generously. */
  private static final int ENTRY_OVERHEAD = 4 << 10;

  /** Most entries in one message, each of which takes some bytes besides itself. */
  private static final int MESSAGE_ENTRIES = 4_096;

  /** Bytes of a message besides its entries or its piece of a snapshot, generously. */
  private static final int MESSAGE_OVERHEAD = 64 << 10;

  /** Largest entries in a log file; only whole files are purged. */
  private static final int SEGMENT_ENTRIES = 8;

  /**
   * Most bytes of a snapshot under way to a member. Where all fit, a member that can't be reached
   * is noticed at once; where they don't, Ratis notices when the time below is over, and asks
   * nothing else of the member meanwhile.
   */
  private static final int SNAPSHOT_WINDOW = 128 << 20;

  /** Within which a member answers to a piece of a snapshot; to the last one when it is read. */
  private static final Duration SNAPSHOT_LIMIT = Duration.ofSeconds(24);

  /**
   * How long the leader waits before it tries again to reach a member that failed: hardly at all at
   * first, then about a third of a second each time. Ratis' own waits grow to five seconds and stay
   * so until the member, long back, has taken an entry; if another one goes meanwhile, the leader
   * has no majority.
   */
  private static final String APPENDER_RETRIES = "1ms,10, 300ms,2000000000";

  private RatisProperties() {}

  /** Most bytes that a member sends another one at once. */
  static int maxMessageBytes(Tuning tuning) {
    return tuning.maxEntryBytes() + ENTRY_OVERHEAD + MESSAGE_OVERHEAD;
  }

  /**
   * @param abstinence how long this member votes for no candidate; before that is over it does not
   *     stand for election either, as the others have likely started with it
   */
  public static RaftProperties of(
      Path directory,
      String host,
      int port,
      Tuning tuning,
      RaftServerConfigKeys.Read.Option reads,
      Duration abstinence) {
    RaftProperties properties = new RaftProperties();
    RaftConfigKeys.Rpc.setType(properties, new LeasedGrpcType());
    GrpcConfigKeys.Server.setHost(properties, host);
    GrpcConfigKeys.Server.setPort(properties, port);
    RaftServerConfigKeys.setStorageDir(properties, List.of(directory.toFile()));
    log(properties, tuning.maxEntryBytes() + ENTRY_OVERHEAD);
    threads(properties);
    elections(properties, tuning, abstinence);
    snapshots(properties, tuning);
    RaftServerConfigKeys.Read.setOption(properties, reads);
    RaftServerConfigKeys.Read.setLeaderLeaseEnabled(properties, true);
    // requests are made idempotent by the state itself; Ratis' memory of them is never asked
    RaftServerConfigKeys.RetryCache.setExpiryTime(
        properties, TimeDuration.valueOf(10, TimeUnit.SECONDS));
    return properties;
  }

  private static void log(RaftProperties properties, int maxEntry) {
    RaftServerConfigKeys.Log.Appender.setBufferByteLimit(properties, SizeInBytes.valueOf(maxEntry));
    RaftServerConfigKeys.Log.Appender.setBufferElementLimit(properties, MESSAGE_ENTRIES);
    RaftServerConfigKeys.Log.Appender.setRetryPolicy(properties, APPENDER_RETRIES);
    RaftServerConfigKeys.Log.setWriteBufferSize(
        properties, SizeInBytes.valueOf(maxEntry + ENTRY_OVERHEAD));
    RaftServerConfigKeys.Log.setSegmentSizeMax(
        properties, SizeInBytes.valueOf(maxEntry * (long) SEGMENT_ENTRIES));
    RaftServerConfigKeys.Log.setPreallocatedSize(properties, SizeInBytes.valueOf("256KB"));
    forcing(properties);
    RaftServerConfigKeys.Log.setSegmentCacheNumMax(properties, 2);
    RaftServerConfigKeys.Log.setSegmentCacheSizeMax(properties, SizeInBytes.valueOf("16MB"));
    RaftServerConfigKeys.Log.setLogMetadataEnabled(properties, false);
    // else a follower hands each entry to Java's common pool, which on two cores or fewer starts a
    // thread for it; entries come in order from one stream and wait for nothing of ours
    RaftServerConfigKeys.Log.setAppendEntriesComposeEnabled(properties, false);
  }

  /**
   * Settings that are relied on, whatever Ratis' defaults are: an entry is on disk, forced, before
   * it counts as this member's; the names of log files are forced with it, as part of what Ratis
   * calls the state machine's data; a damaged log is never read as a shorter one.
   */
  private static void forcing(RaftProperties properties) {
    RaftServerConfigKeys.Log.setUseMemory(properties, false);
    RaftServerConfigKeys.Log.setUnsafeFlushEnabled(properties, false);
    RaftServerConfigKeys.Log.setAsyncFlushEnabled(properties, false);
    RaftServerConfigKeys.Log.setForceSyncNum(properties, LogCheck.UNFORCED_ENTRIES);
    RaftServerConfigKeys.Log.StateMachineData.setSync(properties, true);
    RaftServerConfigKeys.Log.setCorruptionPolicy(
        properties, RaftServerConfigKeys.Log.CorruptionPolicy.EXCEPTION);
  }

  private static void threads(RaftProperties properties) {
    RaftServerConfigKeys.ThreadPool.setProxyCached(properties, false);
    RaftServerConfigKeys.ThreadPool.setProxySize(properties, 4);
    RaftServerConfigKeys.ThreadPool.setServerCached(properties, false);
    RaftServerConfigKeys.ThreadPool.setServerSize(properties, 2);
    RaftServerConfigKeys.ThreadPool.setClientCached(properties, false);
    RaftServerConfigKeys.ThreadPool.setClientSize(properties, 4);
    GrpcConfigKeys.Server.setAsyncRequestThreadPoolCached(properties, false);
    GrpcConfigKeys.Server.setAsyncRequestThreadPoolSize(properties, 4);
  }

  private static void elections(RaftProperties properties, Tuning tuning, Duration abstinence) {
    RaftServerConfigKeys.Rpc.setTimeoutMin(properties, duration(tuning.electionTimeoutMin()));
    RaftServerConfigKeys.Rpc.setTimeoutMax(properties, duration(tuning.electionTimeoutMax()));
    RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMin(
        properties, duration(abstinence.plus(tuning.electionTimeoutMin().dividedBy(5))));
    RaftServerConfigKeys.Rpc.setFirstElectionTimeoutMax(
        properties, duration(abstinence.plus(tuning.electionTimeoutMax().dividedBy(5))));
  }

  private static void snapshots(RaftProperties properties, Tuning tuning) {
    RaftServerConfigKeys.Snapshot.setAutoTriggerEnabled(properties, true);
    RaftServerConfigKeys.Snapshot.setAutoTriggerThreshold(properties, tuning.snapshotEntries());
    int chunk = tuning.maxEntryBytes();
    int underWay = SNAPSHOT_WINDOW / chunk;
    RaftServerConfigKeys.Log.Appender.setSnapshotChunkSizeMax(
        properties, SizeInBytes.valueOf(chunk));
    GrpcConfigKeys.Server.setInstallSnapshotRequestElementLimit(properties, underWay);
    // Ratis multiplies this by the number above
    GrpcConfigKeys.Server.setInstallSnapshotRequestTimeout(
        properties, duration(SNAPSHOT_LIMIT.dividedBy(underWay)));
    RaftServerConfigKeys.Snapshot.setRetentionFileNum(properties, 2);
    RaftServerConfigKeys.Log.setPurgeUptoSnapshotIndex(properties, true);
    RaftServerConfigKeys.Log.setPurgeGap(properties, 1);
  }

  private static TimeDuration duration(Duration value) {
    return TimeDuration.valueOf(value.toMillis(), TimeUnit.MILLISECONDS);
  }
}
