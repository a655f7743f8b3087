package io.vdfs.mapreduce.plan;

import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.client.hadoop.cluster.ClusterHints;
import io.vdfs.client.ledger.StreamPlan;
import io.vdfs.client.meta.cluster.ClusterDescription;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.model.StreamId;
import io.vdfs.common.ring.RingNode;
import io.vdfs.mapreduce.commit.JobAudit;
import io.vdfs.mapreduce.files.ReachedFiles;
import io.vdfs.mapreduce.files.StreamFileSystems;
import io.vdfs.mapreduce.plan.SplitPlanner.NodeShare;
import io.vdfs.mapreduce.settings.DrawSettings;
import io.vdfs.mapreduce.settings.EarlyEnd;
import io.vdfs.mapreduce.settings.InputKeys;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
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

  /** Spark starts no task for a split of length 0. */
  private static final long LEAST_LENGTH = 1;

  private StreamCreator() {}

  /**
   * @param files not empty, all of one {@code vdfs://} filesystem, under whatever name, and none of
   *     length 0
   * @param otherMaps of the job, which draw nothing
   * @return the logical splits; the stream is sealed and ready to be drawn from
   */
  static List<LogicalSplit> create(Configuration conf, List<FileStatus> files, int otherMaps)
      throws IOException {
    DrawSettings settings = DrawSettings.of(conf);
    EarlyEnd early = settings.early();
    Path first = files.get(0).getPath();
    VdfsFileSystem fileSystem = StreamFileSystems.of(first, conf).vdfs();
    Map<Path, Path> inside = requireOneFileSystem(fileSystem, files, conf);
    ClusterDescription cluster = fileSystem.vdfsClient().cluster();
    PinnedInput input = PinnedInput.of(fileSystem, cluster, files, inside::get);
    requireFewTasks(early.taskBytes(), input.bytes());
    List<NodeShare> shares = shares(cluster, input);
    long leastSplit = cluster.properties().minimumSplitBytes();
    List<String> hosts = SplitPlanner.plan(shares, input.bytes(), leastSplit, early.taskBytes());
    if (hosts.isEmpty()) {
      throw new IOException(
          "no DataNode of " + cluster.name() + " is alive, so no task can be placed; start them");
    }
    int surplus =
        early.yields() ? SplitPlanner.surplus(hosts.size(), input.bytes(), leastSplit) : 0;
    int tasks = hosts.size() + surplus;
    StreamId streamId = StreamId.random(new SecureRandom());
    StreamPlan plan =
        new StreamPlan(
            streamId,
            draws(settings, tasks, surplus),
            cluster.properties().geometry(),
            StreamNodes.of(cluster.ring()),
            input.files());
    fileSystem.vdfsClient().ledger().create(plan);
    publish(conf, place(fileSystem, first, conf), streamId, settings.audited());
    ClusterHints.publish(conf, cluster);
    int cores = shares.stream().mapToInt(NodeShare::cores).sum();
    RunningMaps.limit(conf, cores, tasks + otherMaps, surplus);
    return splits(streamId, hosts, surplus, input.bytes(), first, ShareCutter.cut(files, tasks));
  }

  private static StreamPlan.Draws draws(DrawSettings settings, int tasks, int surplus) {
    return new StreamPlan.Draws(
        tasks, surplus, settings.wholeGroups(), settings.audited(), settings.stealing());
  }

  private static List<NodeShare> shares(ClusterDescription cluster, PinnedInput input) {
    List<NodeShare> shares = new ArrayList<>();
    for (NodeId live : cluster.live()) {
      RingNode node = cluster.ring().node(live).orElse(null);
      if (node != null) {
        shares.add(new NodeShare(node.host(), node.cores(), input.bytesOwnedBy(live)));
      }
    }
    return shares;
  }

  /**
   * The name by which tasks find the filesystem again: its own, unless another filesystem has that
   * name, as where {@code viewfs} stands in for {@code vdfs}; then a file in it.
   */
  private static String place(VdfsFileSystem fileSystem, Path first, Configuration conf)
      throws IOException {
    boolean plain = FileSystem.get(fileSystem.getUri(), conf) instanceof VdfsFileSystem;
    return plain ? fileSystem.getUri().toString() : first.toString();
  }

  private static void publish(Configuration conf, String place, StreamId streamId, boolean audited)
      throws IOException {
    String id = streamId.toString();
    LOG.info("logical splits draw from stream {} at {}", id, place);
    conf.set(InputKeys.STREAM_ID, id);
    conf.set(InputKeys.STREAM_JOB, conf.get(MRJobConfig.MAPREDUCE_JOB_DIR, ""));
    conf.set(InputKeys.STREAM_FILESYSTEM, place);
    if (audited) {
      JobAudit.install(conf);
    }
  }

  /**
   * Surplus splits come last, and name no host: otherwise YARN would be asked for more containers
   * on a host than it has cores.
   */
  static List<LogicalSplit> splits(
      StreamId streamId,
      List<String> hosts,
      int surplus,
      long bytes,
      Path first,
      List<List<TaskRun>> shares) {
    byte[] id = streamId.toBytes();
    List<LogicalSplit> splits = new ArrayList<>();
    for (int ordinal = 0; ordinal < hosts.size() + surplus; ordinal++) {
      boolean planned = ordinal < hosts.size();
      String[] where = planned ? new String[] {hosts.get(ordinal)} : new String[0];
      long length = Math.max(LEAST_LENGTH, planned ? bytes / hosts.size() : 0);
      splits.add(new LogicalSplit(id, ordinal, length, first, where, shares.get(ordinal)));
    }
    return splits;
  }

  /**
   * @throws IOException if tasks that take no more than {@code taskBytes} would be too many
   */
  static void requireFewTasks(long taskBytes, long inputBytes) throws IOException {
    long tasks = SplitPlanner.ceilDiv(inputBytes, taskBytes);
    if (tasks > SplitPlanner.MOST_TASKS) {
      throw new IOException(
          "%s=%s makes too many tasks: tasks=%s, most=%s, input bytes=%s; set it to at least %s"
              .formatted(
                  InputKeys.TASK_BYTES,
                  taskBytes,
                  tasks,
                  SplitPlanner.MOST_TASKS,
                  inputBytes,
                  SplitPlanner.ceilDiv(inputBytes, SplitPlanner.MOST_TASKS)));
    }
  }

  /**
   * @return the path of each file in the filesystem, by the path under which it was listed
   */
  private static Map<Path, Path> requireOneFileSystem(
      VdfsFileSystem fileSystem, List<FileStatus> files, Configuration conf) throws IOException {
    Map<Path, Path> inside = new HashMap<>();
    for (FileStatus file : files) {
      ReachedFiles reached = StreamFileSystems.of(file.getPath(), conf);
      Path path = reached.inside().apply(file.getPath());
      try {
        fileSystem.makeQualified(path);
      } catch (IllegalArgumentException e) {
        throw new IOException(
            "the input spans several filesystems: %s and %s; give them to jobs of their own"
                .formatted(fileSystem.getUri(), file.getPath()),
            e);
      }
      inside.put(file.getPath(), path);
    }
    return inside;
  }
}
