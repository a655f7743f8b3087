package io.vdfs.mapreduce;

import com.google.common.io.BaseEncoding;
import com.google.protobuf.ByteString;
import io.vdfs.client.LedgerClient;
import io.vdfs.client.hadoop.ClusterHints;
import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.client.meta.ClusterSnapshot;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.wire.proto.CreateStreamChunkOp;
import io.vdfs.common.wire.proto.SealStreamOp;
import io.vdfs.mapreduce.SplitPlanner.NodeShare;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates the stream of a job: plans the splits, pins the files, writes both into the ledger.
 * Stateless.
 */
final class StreamCreator {
  private static final Logger LOG = LoggerFactory.getLogger(StreamCreator.class);
  private static final int STREAM_ID_BYTES = 16;

  /** Of one stream; the ledger refuses more. */
  static final int MOST_TASKS = 100_000;

  private StreamCreator() {}

  /**
   * @param files not empty, all of one {@code vdfs://} filesystem and none of length 0
   * @return the logical splits; the stream is sealed and ready to be drawn from
   */
  static List<LogicalSplit> create(Configuration conf, List<FileStatus> files) throws IOException {
    boolean audited = conf.getBoolean(InputKeys.AUDIT, true);
    long taskBytes = taskBytes(conf, audited);
    boolean stealing = stealing(conf, audited);
    Path first = files.get(0).getPath();
    VdfsFileSystem fileSystem = StreamFileSystems.of(first.toUri(), conf);
    requireOneFileSystem(fileSystem, files);
    ClusterSnapshot cluster = fileSystem.vdfsClient().cluster();
    PinnedInput input = PinnedInput.of(fileSystem, cluster, files);
    requireFewTasks(taskBytes, input.bytes());
    List<String> hosts =
        SplitPlanner.plan(
            shares(cluster, input),
            input.bytes(),
            cluster.properties().minimumSplitBytes(),
            taskBytes);
    if (hosts.isEmpty()) {
      throw new IOException(
          "no DataNode of " + cluster.name() + " is alive, so no task can be placed; start them");
    }
    byte[] streamId = randomId();
    StreamChunks chunks =
        new StreamChunks(
            streamId, hosts.size(), cluster, input, wholeGroups(conf), audited, stealing);
    LedgerClient ledger = fileSystem.vdfsClient().ledger();
    for (CreateStreamChunkOp chunk : chunks.requests()) {
      ledger.createChunk(chunk);
    }
    ledger.seal(seal(streamId, input));
    publish(conf, fileSystem, streamId, audited);
    ClusterHints.publish(conf, cluster);
    return splits(streamId, hosts, input.bytes(), first, PlannedShare.cut(files, hosts.size()));
  }

  private static List<NodeShare> shares(ClusterSnapshot cluster, PinnedInput input) {
    List<NodeShare> shares = new ArrayList<>();
    for (NodeId live : cluster.live()) {
      RingNode node = cluster.ring().node(live).orElse(null);
      if (node != null) {
        shares.add(new NodeShare(node.host(), node.cores(), input.bytesOwnedBy(live)));
      }
    }
    return shares;
  }

  private static SealStreamOp seal(byte[] streamId, PinnedInput input) {
    return SealStreamOp.newBuilder()
        .setStreamId(ByteString.copyFrom(streamId))
        .setFiles(input.files().size())
        .setBlocks(input.blocks())
        .setBytes(input.bytes())
        .build();
  }

  private static void publish(
      Configuration conf, VdfsFileSystem fileSystem, byte[] streamId, boolean audited) {
    String id = BaseEncoding.base16().lowerCase().encode(streamId);
    LOG.info("logical splits draw from stream {} at {}", id, fileSystem.getUri());
    conf.set(InputKeys.STREAM_ID, id);
    conf.set(InputKeys.STREAM_JOB, conf.get(MRJobConfig.MAPREDUCE_JOB_DIR, ""));
    conf.set(InputKeys.STREAM_FILESYSTEM, fileSystem.getUri().toString());
    if (audited) {
      AuditingCommitterFactory.install(conf);
      AuditingOutputCommitter.install(conf);
    }
  }

  private static List<LogicalSplit> splits(
      byte[] streamId, List<String> hosts, long bytes, Path first, List<List<TaskRun>> shares) {
    List<LogicalSplit> splits = new ArrayList<>();
    for (int ordinal = 0; ordinal < hosts.size(); ordinal++) {
      String[] where = {hosts.get(ordinal)};
      splits.add(
          new LogicalSplit(
              streamId, ordinal, bytes / hosts.size(), first, where, shares.get(ordinal)));
    }
    return splits;
  }

  private static long taskBytes(Configuration conf, boolean audited) throws IOException {
    long taskBytes = conf.getLongBytes(InputKeys.TASK_BYTES, Long.MAX_VALUE);
    if (taskBytes < 1) {
      throw new IOException(
          InputKeys.TASK_BYTES + "=" + taskBytes + " must be positive, or not set for one wave");
    }
    if (taskBytes != Long.MAX_VALUE && !audited) {
      throw needsAudit(InputKeys.TASK_BYTES + "=" + taskBytes);
    }
    return taskBytes;
  }

  /**
   * @throws IOException if tasks that take no more than {@code taskBytes} would be too many
   */
  static void requireFewTasks(long taskBytes, long inputBytes) throws IOException {
    long tasks = SplitPlanner.ceilDiv(inputBytes, taskBytes);
    if (tasks > MOST_TASKS) {
      throw new IOException(
          InputKeys.TASK_BYTES
              + "="
              + taskBytes
              + " makes too many tasks: tasks="
              + tasks
              + ", most="
              + MOST_TASKS
              + ", input bytes="
              + inputBytes
              + "; set it to at least "
              + SplitPlanner.ceilDiv(inputBytes, MOST_TASKS));
    }
  }

  private static boolean stealing(Configuration conf, boolean audited) throws IOException {
    boolean stealing = conf.getBoolean(InputKeys.STEALING, true);
    if (!stealing && !audited) {
      throw needsAudit(InputKeys.STEALING + "=false");
    }
    return stealing;
  }

  private static IOException needsAudit(String setting) {
    return new IOException(
        setting
            + " needs the audit, as tasks then end before the input does; remove "
            + InputKeys.AUDIT
            + "=false");
  }

  private static boolean wholeGroups(Configuration conf) {
    return conf.getBoolean(InputKeys.WHOLE_GROUPS, false);
  }

  private static void requireOneFileSystem(VdfsFileSystem fileSystem, List<FileStatus> files)
      throws IOException {
    for (FileStatus file : files) {
      try {
        fileSystem.makeQualified(file.getPath());
      } catch (IllegalArgumentException e) {
        throw new IOException(
            "the input spans several filesystems: "
                + fileSystem.getUri()
                + " and "
                + file.getPath()
                + "; give them to jobs of their own",
            e);
      }
    }
  }

  private static byte[] randomId() {
    byte[] id = new byte[STREAM_ID_BYTES];
    new SecureRandom().nextBytes(id);
    return id;
  }
}
