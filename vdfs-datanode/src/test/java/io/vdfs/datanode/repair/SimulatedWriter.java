package io.vdfs.datanode.repair;

import io.vdfs.common.checksum.Crc32c;
import io.vdfs.common.checksum.VerifiedChunks;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.GroupReplicas;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.AppendOp;
import io.vdfs.common.wire.proto.ChangePipelineOp;
import io.vdfs.common.wire.proto.CompleteOp;
import io.vdfs.common.wire.proto.CreateOp;
import io.vdfs.common.wire.proto.GroupSyncProto;
import io.vdfs.common.wire.proto.LeftOutProto;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.StatusProto;
import io.vdfs.datanode.meta.MetadataHarness;
import io.vdfs.datanode.repair.SimulatedCluster.File;
import io.vdfs.datanode.repair.SimulatedCluster.Node;
import io.vdfs.datanode.store.BlockWriter;
import io.vdfs.datanode.store.StoreFixture;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Writes files of a simulated cluster by a ring map that may be an old one: to those keepers that
 * can take the bytes, leaving the others out, and closes them. Confined to a test.
 */
final class SimulatedWriter {
  private final SimulatedCluster cluster;
  private final Random random;
  private RingMap ring;

  SimulatedWriter(SimulatedCluster cluster, Random random) {
    this.cluster = cluster;
    this.random = random;
    this.ring = cluster.ring();
  }

  /** Learns of the newest ring map. */
  void refresh() {
    ring = cluster.ring();
  }

  /** Writes a new file where enough nodes live. */
  void write(String path, int length, int replication) throws VdfsException {
    byte[] content = new byte[length];
    random.nextBytes(content);
    long id =
        cluster
            .must(
                MetaRequest.newBuilder()
                    .setCreate(
                        CreateOp.newBuilder()
                            .setPath(path)
                            .setMode(0644)
                            .setHolder(MetadataHarness.id(9))
                            .setRingCopies(SimulatedCluster.REPLICATION)
                            .setReplication(replication)))
            .getOpenFile()
            .getFileId();
    File file = new File(new FileKey(id, 1), content, replication);
    if (!finish(path, file, 0, 1, Set.of())) {
      cluster.delete(path, file.key);
    }
  }

  void append(String path, int length) throws VdfsException {
    File file = cluster.files.get(path);
    byte[] added = new byte[length];
    random.nextBytes(added);
    byte[] content = Arrays.copyOf(file.content, file.content.length + length);
    System.arraycopy(added, 0, content, file.content.length, length);
    StatusProto opened =
        cluster
            .must(
                MetaRequest.newBuilder()
                    .setAppend(
                        AppendOp.newBuilder().setPath(path).setHolder(MetadataHarness.id(9))))
            .getOpenFile()
            .getStatus();
    int before = file.content.length;
    int lastGroup = SimulatedCluster.GEOMETRY.groupAt(before);
    Set<NodeId> damaged =
        before % SimulatedCluster.GROUP == 0
            ? Set.of()
            : CopiesCheck.damagedAt(cluster, file, lastGroup);
    file.content = content;
    if (!finish(path, file, before, opened.getWriteEpoch(), damaged)) {
      // nothing of it was acknowledged; the file goes with it, as it is not recovered here
      cluster.delete(path, file.key);
    }
  }

  /**
   * Sends the bytes from {@code start} on to those keepers that can take them, and closes.
   *
   * @param damaged nodes on which bytes before, of the same group, have rotted: where all that can
   *     take more are among them, and sound ones are left out, rot and a death have lost the file
   * @return false if it can't: too few keepers, or one whose disk is found damaged
   */
  private boolean finish(String path, File file, int start, int opened, Set<NodeId> damaged)
      throws VdfsException {
    try {
      return sendAndClose(path, file, start, opened, damaged);
    } catch (VdfsException e) {
      if (e.code() == ErrorCode.CORRUPT) {
        return false;
      }
      throw e;
    }
  }

  private boolean sendAndClose(String path, File file, int start, int opened, Set<NodeId> damaged)
      throws VdfsException {
    Map<Integer, Set<NodeId>> pipelines = new TreeMap<>();
    ChangePipelineOp.Builder change =
        ChangePipelineOp.newBuilder()
            .setFile(WireIds.encode(file.key))
            .setHolder(MetadataHarness.id(9))
            .setWriteEpoch(opened)
            .setLength(start);
    for (int group = SimulatedCluster.GEOMETRY.groupAt(start); group < file.groups(); group++) {
      Set<NodeId> out = new HashSet<>();
      List<NodeId> serving = ring.replicas(file.key, group).serving();
      int needed = GroupReplicas.requiredCopies(file.replication, ring.replication());
      Set<NodeId> recorded = cluster.leftOut(path, group);
      Set<NodeId> takers = new TreeSet<>();
      for (NodeId node : serving) {
        if (takers.size() == Math.min(file.replication, serving.size())
            || recorded.contains(node)) {
          continue;
        }
        if (canTake(node, file.key, group, start)) {
          takers.add(node);
        } else {
          out.add(node);
        }
      }
      boolean isFirst = group == SimulatedCluster.GEOMETRY.groupAt(start);
      if (takers.size() < needed
          || (isFirst && !damaged.isEmpty() && damaged.containsAll(takers))) {
        return false;
      }
      pipelines.put(group, takers);
      if (!out.isEmpty()) {
        LeftOutProto.Builder leftOut = LeftOutProto.newBuilder().setGroup(group);
        out.forEach(node -> leftOut.addNodes(WireIds.encode(node)));
        change.addLeftOut(leftOut);
      }
    }
    file.astray |=
        pipelines.entrySet().stream()
            .anyMatch(
                group ->
                    Collections.disjoint(
                        cluster.ring().replicas(file.key, group.getKey()).serving(),
                        group.getValue()));
    int epoch = opened;
    if (change.getLeftOutCount() > 0) {
      epoch = change(change, pipelines, file, start);
    } else {
      send(file, pipelines, start, epoch);
    }
    CompleteOp.Builder complete =
        CompleteOp.newBuilder()
            .setFile(WireIds.encode(file.key))
            .setHolder(MetadataHarness.id(9))
            .setWriteEpoch(epoch)
            .setLength(file.content.length)
            .setRequiredCopies(2);
    pipelines.forEach(
        (group, takers) -> {
          GroupSyncProto.Builder synced =
              GroupSyncProto.newBuilder().setGroup(group).setChecksum(checksum(file, group));
          takers.forEach(node -> synced.addNodes(WireIds.encode(node)));
          complete.addSynced(synced);
        });
    cluster.must(MetaRequest.newBuilder().setComplete(complete));
    cluster.trace.add("closed " + path + " epoch " + epoch + " on " + shown(pipelines));
    cluster.files.put(path, file);
    return true;
  }

  private static int checksum(File file, int group) {
    return tellsChecksums(file) ? Crc32c.of(ByteBuffer.wrap(file.group(group))) : 0;
  }

  /** Whether the writers of a file tell the checksums of its groups; some don't. */
  static boolean tellsChecksums(File file) {
    return file.key.fileId() % 5 != 0;
  }

  /** Leaves nodes out group by group, as a writer may only of the groups it is at. */
  private int change(
      ChangePipelineOp.Builder all, Map<Integer, Set<NodeId>> pipelines, File file, int start)
      throws VdfsException {
    int epoch = all.getWriteEpoch();
    for (Map.Entry<Integer, Set<NodeId>> group : pipelines.entrySet()) {
      int length = Math.max(start, group.getKey() * SimulatedCluster.GROUP);
      Optional<LeftOutProto> out =
          all.getLeftOutList().stream()
              .filter(left -> left.getGroup() == group.getKey())
              .findFirst();
      if (out.isPresent()) {
        epoch =
            cluster
                .must(
                    MetaRequest.newBuilder()
                        .setChangePipeline(
                            all.clone()
                                .setWriteEpoch(epoch)
                                .setLength(length)
                                .clearLeftOut()
                                .addLeftOut(out.get())))
                .getOpenFile()
                .getStatus()
                .getWriteEpoch();
      }
      send(file, Map.of(group.getKey(), group.getValue()), start, epoch);
    }
    return epoch;
  }

  private static String shown(Map<Integer, Set<NodeId>> pipelines) {
    StringBuilder text = new StringBuilder();
    pipelines.forEach(
        (group, takers) -> {
          text.append(' ').append(group).append(':');
          takers.forEach(node -> text.append(node.toString().charAt(17)).append(','));
        });
    return text.toString();
  }

  private boolean canTake(NodeId node, FileKey file, int group, int start) {
    Node taker = cluster.nodes.get(node);
    if (taker == null || !taker.isUp()) {
      return false;
    }
    if (taker.hasFailedVolume() && isOnIt(taker, file, group)) {
      return false;
    }
    int held = Math.max(0, start - group * SimulatedCluster.GROUP);
    return held == 0 || taker.store().group(file, group).length() >= held;
  }

  /** Whether writes to a group fail at a node that has looked at its volumes. */
  private static boolean isOnIt(Node node, FileKey file, int group) {
    boolean known = node.store().usage().stream().anyMatch(used -> used.suspect().isPresent());
    return known && node.store().isOnSuspectVolume(file, group);
  }

  private void send(File file, Map<Integer, Set<NodeId>> pipelines, int start, int epoch)
      throws VdfsException {
    for (Map.Entry<Integer, Set<NodeId>> pipeline : pipelines.entrySet()) {
      int group = pipeline.getKey();
      int from =
          Math.max(
              group * SimulatedCluster.GROUP,
              start - start % SimulatedCluster.GEOMETRY.chunkSize());
      int to = Math.min(file.content.length, (group + 1) * SimulatedCluster.GROUP);
      for (NodeId node : pipeline.getValue()) {
        BlockWriter writer =
            StoreFixture.writer(cluster.nodes.get(node).store(), file.key, group, epoch, from);
        ByteBuffer data = ByteBuffer.wrap(file.content, from, to - from);
        writer.append(from, VerifiedChunks.compute(data, SimulatedCluster.GEOMETRY.chunkSize()));
        writer.close(true);
      }
    }
  }
}
