package io.vdfs.datanode.repair;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.model.NodeId;
import io.vdfs.datanode.repair.SimulatedCluster.File;
import io.vdfs.datanode.repair.SimulatedCluster.Node;
import io.vdfs.datanode.repair.SimulatedCluster.Rot;
import io.vdfs.datanode.repair.garbage.GarbageCounter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Random histories of a cluster in which disks rot, are put back or fail as well. */
@Timeout(3_600)
class RepairSimulationTest {
  private static final int SEEDS = Integer.getInteger("vdfs.repair.seeds", 1_000);

  /** What happened in some histories. */
  private record Sums(
      long copied,
      long rotten,
      long rolledBack,
      long volumesFailed,
      long scattered,
      long altered,
      long deleted,
      long surplus,
      long surplusGroups) {
    static final Sums NONE = new Sums(0, 0, 0, 0, 0, 0, 0, 0, 0);

    static Sums of(History history) {
      return new Sums(
          history.copied(),
          history.rotten,
          history.rolledBack,
          history.volumesFailed,
          history.scattered,
          history.altered,
          history.cluster.garbage(GarbageCounter.DELETED_FILES),
          history.cluster.garbage(GarbageCounter.SURPLUS_FILES),
          history.cluster.garbage(GarbageCounter.SURPLUS_GROUPS));
    }

    Sums plus(Sums other) {
      return new Sums(
          copied + other.copied,
          rotten + other.rotten,
          rolledBack + other.rolledBack,
          volumesFailed + other.volumesFailed,
          scattered + other.scattered,
          altered + other.altered,
          deleted + other.deleted,
          surplus + other.surplus,
          surplusGroups + other.surplusGroups);
    }
  }

  @Test
  void shouldMakeEverythingWholeAgainWhateverHappens() {
    Sums sums =
        LongStream.range(0, SEEDS)
            .parallel()
            .mapToObj(RepairSimulationTest::runFrom)
            .reduce(Sums.NONE, Sums::plus);
    assertTrue(sums.copied > SEEDS, "copied " + sums);
    assertTrue(sums.rotten > SEEDS, "rotten " + sums);
    assertTrue(sums.rolledBack > SEEDS / 4, "rolled back " + sums);
    assertTrue(sums.volumesFailed > SEEDS / 2, "volumes failed " + sums);
    assertTrue(sums.scattered > SEEDS / 2, "groups that were sound nowhere " + sums);
    assertTrue(sums.altered > SEEDS / 2, "groups altered on all nodes but one " + sums);
    assertTrue(sums.deleted > SEEDS / 10, "deleted files discarded " + sums);
    assertTrue(sums.surplus > SEEDS / 2, "surplus files discarded " + sums);
    assertTrue(sums.surplusGroups > SEEDS / 10, "surplus groups dropped " + sums);
  }

  private static Sums runFrom(long seed) {
    try {
      return Sums.of(SimulatedHistory.runFrom(seed, History::new));
    } catch (Exception e) {
      throw new AssertionError("seed=" + seed, e);
    }
  }

  private static final class History extends SimulatedHistory {
    private int rotten;
    private int rolledBack;
    private int volumesFailed;
    private int scattered;
    private int altered;
    private final List<Scattered> unmended = new ArrayList<>();

    /** A group that was sound on no node, and may be sound again by now. */
    private record Scattered(File file, int number) {}

    History(SimulatedCluster cluster, Random random) {
      super(cluster, random, 6);
    }

    @Override
    void act(int number) throws Exception {
      switch (number) {
        case 0, 1 -> rot();
        case 2 -> anyUp().ifPresent(Node::keep);
        case 3 -> rollBack();
        case 4 -> rotEachCopy();
        default -> failVolume();
      }
    }

    /** A bit turns over, where others have all groups of the file. */
    private void rot() throws Exception {
      Optional<Node> node = anyUp();
      Optional<Rot> rot = node.flatMap(Node::rot);
      if (rot.isPresent()) {
        if (check.canSpare(rot.get().file(), node.get())) {
          cluster.trace.add("rot " + node.get().id);
          rotten++;
        } else {
          rot.get().cure().run();
        }
      }
    }

    /**
     * A damaged block counts after a power cut as one that never existed, unless the disk says
     * somewhere that it was forced, and what lies behind it in its group is not found any more. So
     * the power does not fail where blocks of a group are that no node has whole.
     */
    @Override
    boolean mayLosePower(Node node) throws Exception {
      for (Scattered group : unmended) {
        if (cluster.files.containsValue(group.file)
            && !check.isHeld(group.file, group.number)
            && node.store().group(group.file.key, group.number).length() > 0) {
          return false;
        }
      }
      return true;
    }

    /** Each copy of a group loses a block, not all of them the same one. */
    private void rotEachCopy() throws Exception {
      for (Map.Entry<String, File> entry : cluster.files.entrySet()) {
        File file = entry.getValue();
        for (int group = 0; !file.astray && group < file.groups(); group++) {
          List<NodeId> keepers = check.soundKeepers(entry.getKey(), file, group);
          int blocks =
              Math.toIntExact(SimulatedCluster.GEOMETRY.blockCount(file.group(group).length));
          if (keepers.size() < 2 || blocks < 2) {
            continue;
          }
          long first = (long) group * SimulatedCluster.GEOMETRY.groupBlocks();
          for (int keeper = 0; keeper < keepers.size(); keeper++) {
            cluster.nodes.get(keepers.get(keeper)).rot(file.key, first + keeper % blocks);
          }
          cluster.trace.add("rot of each copy: " + entry.getKey() + ", group " + group);
          scattered++;
          unmended.add(new Scattered(file, group));
          return;
        }
      }
    }

    /** A disk is as it once was, where that loses nothing by itself. */
    private void rollBack() throws Exception {
      for (Node node : List.copyOf(cluster.nodes.values())) {
        if (node.isUp() && node.isKept() && check.canSpare(node)) {
          node.stop();
          node.rollBack();
          node.start();
          cluster.trace.add("rolled back " + node.id);
          rolledBack++;
          return;
        }
      }
    }

    /**
     * All copies of a group but one become the same other bytes, sound and of the same epoch: only
     * what the writer told the metadata says which copy is right.
     */
    @Override
    boolean alter() throws Exception {
      for (Map.Entry<String, File> entry : cluster.files.entrySet()) {
        File file = entry.getValue();
        for (int group = 0;
            SimulatedWriter.tellsChecksums(file) && group < file.groups();
            group++) {
          List<NodeId> keepers = check.soundKeepers(entry.getKey(), file, group);
          if (keepers.size() >= 2 && !file.astray) {
            byte[] others = file.group(group).clone();
            others[random.nextInt(others.length)] ^= 1;
            for (NodeId keeper : keepers.subList(1, keepers.size())) {
              cluster.nodes.get(keeper).alter(file.key, group, others);
            }
            cluster.trace.add("altered but one: " + entry.getKey() + ", group " + group);
            altered++;
            return true;
          }
        }
      }
      return false;
    }

    /** One of a node's two volumes fails while it runs, where that loses nothing by itself. */
    private void failVolume() throws Exception {
      Node node = anyUp().orElseThrow();
      if (!node.hasFailedVolume() && check.canSpare(node)) {
        node.failVolume(random.nextInt(2));
        volumesFailed++;
        cluster.trace.add("volume of " + node.id);
      }
    }
  }
}
