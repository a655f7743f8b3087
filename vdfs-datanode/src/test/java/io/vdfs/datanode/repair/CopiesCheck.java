package io.vdfs.datanode.repair;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.ArcReplicas;
import io.vdfs.common.ring.GroupReplicas;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.wire.proto.ListLackingQuery;
import io.vdfs.common.wire.proto.ListLackingResult;
import io.vdfs.datanode.repair.SimulatedCluster.File;
import io.vdfs.datanode.repair.SimulatedCluster.Node;
import io.vdfs.datanode.repair.garbage.GarbageCounter;
import io.vdfs.datanode.store.StoreFixture;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** The conditions that the copies in a simulated cluster have to meet. Confined to a test. */
final class CopiesCheck {
  private final SimulatedCluster cluster;

  CopiesCheck(SimulatedCluster cluster) {
    this.cluster = cluster;
  }

  /** How the bytes of a group are held. */
  private enum Held {
    ALL,
    SHORT,
    /** The bytes are given to no reader, as they do not have their checksums. */
    DAMAGED,
    /** The disk does not give it, so that readers turn to another node. */
    UNREADABLE,
    WRONG
  }

  /** Whether a disk has all bytes of a group, sound. */
  private boolean holds(Node node, File file, int group) throws VdfsException {
    return node.isUp() && held(node, file, group) == Held.ALL;
  }

  private static Held held(Node node, File file, int group) throws VdfsException {
    byte[] wanted = file.group(group);
    if (node.store().group(file.key, group).length() < wanted.length) {
      return Held.SHORT;
    }
    try {
      int blockSize = SimulatedCluster.GEOMETRY.blockSize();
      for (int at = 0; at < wanted.length; at += blockSize) {
        int length = Math.min(blockSize, wanted.length - at);
        long block = (long) group * SimulatedCluster.GEOMETRY.groupBlocks() + at / blockSize;
        byte[] found = StoreFixture.read(node.store(), file.key, block, 0, length);
        if (!Arrays.equals(wanted, at, at + length, found, 0, length)) {
          return Held.WRONG;
        }
      }
      return Held.ALL;
    } catch (VdfsException e) {
      if (e.code() == ErrorCode.CORRUPT) {
        return Held.DAMAGED;
      }
      if (e.code() == ErrorCode.IO_ERROR && node.hasFailedVolume()) {
        return Held.UNREADABLE;
      }
      throw e;
    }
  }

  /** Nodes that are up and have bytes of a group that do not have their checksums. */
  static Set<NodeId> damagedAt(SimulatedCluster cluster, File file, int group)
      throws VdfsException {
    Set<NodeId> damaged = new TreeSet<>();
    for (Node node : cluster.nodes.values()) {
      if (node.isUp() && held(node, file, group) == Held.DAMAGED) {
        damaged.add(node.id);
      }
    }
    return damaged;
  }

  private List<NodeId> holders(File file, int group) throws VdfsException {
    List<NodeId> holders = new ArrayList<>();
    for (Node node : cluster.nodes.values()) {
      if (holds(node, file, group)) {
        holders.add(node.id);
      }
    }
    return holders;
  }

  /** The keepers of a group, if all of them are up and have it sound; else none. */
  List<NodeId> soundKeepers(String path, File file, int group) throws VdfsException {
    List<NodeId> keepers =
        GroupReplicas.of(
                cluster.ring().replicas(file.key, group).serving(),
                file.replication,
                cluster.leftOut(path, group))
            .keepers();
    return holders(file, group).containsAll(keepers) ? keepers : List.of();
  }

  /** Whether each group has another holder that is up. */
  boolean canSpare(Node lost) throws VdfsException {
    return isHeld(node -> node != lost);
  }

  /**
   * Whether each group that it holds has another holder that is up, except groups of files astray.
   */
  boolean canSpareAsPromised(Node lost) throws VdfsException {
    for (File file : cluster.files.values()) {
      for (int group = 0; !file.astray && group < file.groups(); group++) {
        List<NodeId> holders = holders(file, group);
        if (holders.equals(List.of(lost.id))) {
          return false;
        }
      }
    }
    return true;
  }

  /** Whether each group of a file, if it is still there, has another holder that is up. */
  boolean canSpare(FileKey key, Node lost) throws VdfsException {
    for (File file : cluster.files.values()) {
      for (int group = 0; file.key.equals(key) && group < file.groups(); group++) {
        if (!isHeld(file, group, node -> node != lost)) {
          return false;
        }
      }
    }
    return true;
  }

  /** Whether a group has a holder that is up. */
  boolean isHeld(File file, int group) throws VdfsException {
    return isHeld(file, group, node -> true);
  }

  private boolean isHeld(Predicate<Node> counts) throws VdfsException {
    for (File file : cluster.files.values()) {
      for (int group = 0; group < file.groups(); group++) {
        if (!isHeld(file, group, counts)) {
          return false;
        }
      }
    }
    return true;
  }

  private boolean isHeld(File file, int group, Predicate<Node> counts) throws VdfsException {
    for (Node node : cluster.nodes.values()) {
      if (counts.test(node) && holds(node, file, group)) {
        return true;
      }
    }
    return false;
  }

  /**
   * The bytes that readers get from a node are never wrong. Readers tell the node where its bytes
   * are damaged.
   */
  void reads() throws VdfsException {
    RingMap ring = cluster.ring();
    for (Map.Entry<String, File> entry : cluster.files.entrySet()) {
      File file = entry.getValue();
      for (int group = 0; group < file.groups(); group++) {
        GroupReplicas replicas =
            GroupReplicas.of(
                ring.replicas(file.key, group).serving(),
                file.replication,
                cluster.leftOut(entry.getKey(), group));
        for (NodeId id : replicas.readOrder()) {
          Node node = cluster.nodes.get(id);
          if (node == null || !node.isUp()) {
            continue;
          }
          Held held = held(node, file, group);
          if (held == Held.DAMAGED) {
            node.repairer().onDamage(file.key, group);
          }
          if (held == Held.WRONG) {
            throw new AssertionError(
                "wrong bytes: file=%s, group=%d, node=%s, ring=%d%n%s"
                    .formatted(entry.getKey(), group, id, ring.epoch(), cluster.trace));
          }
        }
      }
    }
  }

  /**
   * Where nodes that are up gave up places whose groups they have, there are as many live keepers
   * as before, and all of them have what they should.
   */
  void givenUp(RingMap before) throws VdfsException {
    RingMap ring = cluster.ring();
    Set<NodeId> up = cluster.up();
    for (Map.Entry<String, File> entry : cluster.files.entrySet()) {
      File file = entry.getValue();
      for (int group = 0; !file.astray && group < file.groups(); group++) {
        List<NodeId> serving = ring.replicas(file.key, group).serving();
        List<NodeId> givenUp =
            before.replicas(file.key, group).serving().stream()
                .filter(node -> !serving.contains(node) && up.contains(node))
                .toList();
        if (Collections.disjoint(givenUp, holders(file, group))) {
          continue;
        }
        Set<NodeId> leftOut = cluster.leftOut(entry.getKey(), group);
        List<NodeId> keepers = GroupReplicas.of(serving, file.replication, leftOut).keepers();
        boolean whole =
            keepers.size()
                >= GroupReplicas.of(
                        before.replicas(file.key, group).serving(), file.replication, leftOut)
                    .keepers()
                    .stream()
                    .filter(up::contains)
                    .count();
        for (NodeId keeper : keepers) {
          whole &= holds(cluster.nodes.get(keeper), file, group);
        }
        if (!whole) {
          throw new AssertionError(
              "a place was given up too early: file=%s, group=%d, before=%s, serving=%s, keepers=%s%n%s"
                  .formatted(
                      entry.getKey(),
                      group,
                      before.replicas(file.key, group).serving(),
                      serving,
                      keepers,
                      cluster.trace));
        }
      }
    }
  }

  /** Files that nodes hold without need; not of nodes that could not discard anything. */
  List<String> needless() throws VdfsException {
    List<String> needless = new ArrayList<>();
    Map<FileKey, String> paths = new HashMap<>();
    cluster.files.forEach((path, file) -> paths.put(file.key, path));
    for (Node node : cluster.nodes.values()) {
      if (!node.isUp() || node.hasFailedVolume()) {
        continue;
      }
      for (Iterator<FileKey> held = node.store().files(); held.hasNext(); ) {
        FileKey key = held.next();
        String path = paths.get(key);
        if (path == null || !mayNeed(node.id, path)) {
          needless.add(
              "needless: file=%s, node=%s, spared=%d, failed=%d, passes=%d"
                  .formatted(
                      key,
                      node.id,
                      node.garbage().read(GarbageCounter.SPARED),
                      node.garbage().read(GarbageCounter.FAILED),
                      node.garbage().read(GarbageCounter.PASSES)));
        } else {
          needlessGroups(node, path).forEach(needless::add);
        }
      }
      if (node.garbage().read(GarbageCounter.KEPT_FILES) > 0) {
        needless.add("garbage is kept: node=" + node.id);
      }
    }
    return needless;
  }

  private boolean mayNeed(NodeId node, String path) {
    return IntStream.range(0, cluster.files.get(path).groups())
        .anyMatch(group -> mayNeed(node, path, group));
  }

  private boolean mayNeed(NodeId node, String path, int group) {
    File file = cluster.files.get(path);
    RingMap ring = cluster.ring();
    ArcReplicas arc = ring.replicas(file.key, group);
    return Duty.of(arc, ring.replication(), node, file.replication, cluster.leftOut(path, group))
        != Duty.NONE;
  }

  private List<String> needlessGroups(Node node, String path) {
    File file = cluster.files.get(path);
    return IntStream.range(0, file.groups())
        .filter(group -> node.store().group(file.key, group).length() > 0)
        .filter(group -> !mayNeed(node.id, path, group))
        .mapToObj(
            group ->
                "needless: file=%s, group=%d, node=%s, spared=%d, failed=%d"
                    .formatted(
                        file.key,
                        group,
                        node.id,
                        node.garbage().read(GarbageCounter.SPARED),
                        node.garbage().read(GarbageCounter.FAILED)))
        .toList();
  }

  /** Groups that nodes are recorded to lack. */
  ListLackingResult lacking() {
    return cluster
        .meta
        .answer(cluster.meta.request().setListLacking(ListLackingQuery.getDefaultInstance()))
        .getLacking();
  }

  /** The reason why not everything is as it should be; empty if it is. */
  List<String> defects() throws VdfsException {
    List<String> defects = new ArrayList<>();
    RingMap ring = cluster.ring();
    Set<NodeId> leaving = cluster.marks().leaving();
    Set<NodeId> staying = new TreeSet<>(cluster.up());
    staying.removeAll(leaving);
    int copies = Math.min(SimulatedCluster.REPLICATION, cluster.up().size());
    if (staying.size() >= copies && !Collections.disjoint(ring.members(), leaving)) {
      defects.add("leaving: " + leaving);
    }
    for (int arc = 0; arc < ring.arcCount(); arc++) {
      if (!ring.arcs().get(arc).joining().isEmpty()
          || ring.arcs().get(arc).serving().size() != copies
          || !cluster.up().containsAll(ring.arcs().get(arc).serving())) {
        defects.add("arc " + arc + ": " + ring.arcs().get(arc));
      }
    }
    ListLackingResult lacking = lacking();
    if (lacking.getGroupsCount() > 0) {
      defects.add("lacking: " + lacking.getGroups(0));
    }
    for (Map.Entry<String, File> entry : cluster.files.entrySet()) {
      File file = entry.getValue();
      for (int group = 0; group < file.groups(); group++) {
        List<NodeId> serving = ring.replicas(file.key, group).serving();
        List<NodeId> keepers =
            GroupReplicas.of(serving, file.replication, cluster.leftOut(entry.getKey(), group))
                .keepers();
        if (keepers.size() < Math.min(file.replication, serving.size())) {
          defects.add(
              "too few copies: %s, group %d, listed %s, left out %s, held by %s"
                  .formatted(
                      entry.getKey(),
                      group,
                      serving,
                      cluster.leftOut(entry.getKey(), group),
                      holders(file, group)));
        }
        for (NodeId keeper : keepers) {
          if (!holds(cluster.nodes.get(keeper), file, group)) {
            defects.add("no copy: " + entry.getKey() + ", group " + group + ", keeper " + keeper);
          }
        }
      }
    }
    return defects;
  }
}
