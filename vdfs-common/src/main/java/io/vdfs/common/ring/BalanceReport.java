package io.vdfs.common.ring;

import io.vdfs.common.model.NodeId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * How evenly a ring map deals files to nodes. Follows from ids, lengths and replications alone:
 * what nodes hold beside that, or lack, is not in it. Immutable.
 *
 * <p>Over N nodes, {@code variance} is the mean of the squared differences of their copies from the
 * mean. Groups dealt at random, each to r different nodes of N, would have r(N-r)/N² per group of
 * it; {@code randomVariance} is the sum of that over all groups.
 *
 * @param nodes of the map that are listed on an arc, by id
 * @param groups of all files
 * @param copies of these groups that should exist
 * @param bytes of all files, each counted once
 * @param copyBytes of all copies
 * @param mean copies per node
 * @param variance of the copies per node
 * @param randomVariance that random places would have
 * @param manhattanDistance sum of the differences of the nodes' copies from the mean
 */
public record BalanceReport(
    List<NodeLoad> nodes,
    long groups,
    long copies,
    long bytes,
    long copyBytes,
    double mean,
    double variance,
    double randomVariance,
    double manhattanDistance) {
  /**
   * The load that one node should hold.
   *
   * @param groups that it owns
   * @param copies that it keeps, those of the groups that it owns among them
   * @param bytes of these copies
   */
  public record NodeLoad(NodeId node, long groups, long copies, long bytes) {}

  public BalanceReport {
    nodes = List.copyOf(nodes);
  }

  public double standardDeviation() {
    return Math.sqrt(variance);
  }

  /** Copies of a node above the mean, below zero for fewer, in standard deviations. */
  public double deviations(NodeLoad node) {
    return variance == 0 ? 0 : (node.copies() - mean) / standardDeviation();
  }

  /** Whether a node is further than one standard deviation from the mean. */
  public boolean isBeyond(NodeLoad node) {
    return Math.abs(deviations(node)) > 1;
  }

  /** Adds up files one by one. Confined to one thread. */
  public static final class Sum {
    private final RingMap ring;
    private final long groupBytes;
    private final Map<NodeId, long[]> loads = new TreeMap<>();
    private final double[] randomParts;
    private double random;
    private long groups;
    private long bytes;

    /**
     * @param groupBytes most bytes of a group
     */
    public Sum(RingMap ring, long groupBytes) {
      this.ring = ring;
      this.groupBytes = groupBytes;
      ring.members().forEach(node -> loads.put(node, new long[3]));
      this.randomParts = new double[loads.size() + 1];
      double all = loads.size();
      for (int kept = 0; kept < randomParts.length; kept++) {
        randomParts[kept] = kept * (all - kept) / (all * all);
      }
    }

    /**
     * Adds a file.
     *
     * @param length of the file in bytes
     * @param replication copies that it should have; it has no more than its groups' lists are long
     */
    public void add(long fileId, long length, int replication) {
      bytes += length;
      int group = 0;
      for (long start = 0; start < length; start += groupBytes) {
        add(ring.replicas(fileId, group), Math.min(groupBytes, length - start), replication);
        group++;
      }
    }

    private void add(ArcReplicas arc, long size, int replication) {
      groups++;
      List<NodeId> keepers = arc.counted(replication);
      loads.get(keepers.get(0))[0]++;
      for (NodeId keeper : keepers) {
        loads.get(keeper)[1]++;
        loads.get(keeper)[2] += size;
      }
      random += randomParts[keepers.size()];
    }

    public BalanceReport report() {
      List<NodeLoad> nodes = new ArrayList<>();
      long copies = 0;
      long copyBytes = 0;
      for (Map.Entry<NodeId, long[]> entry : loads.entrySet()) {
        long[] load = entry.getValue();
        nodes.add(new NodeLoad(entry.getKey(), load[0], load[1], load[2]));
        copies += load[1];
        copyBytes += load[2];
      }
      double mean = (double) copies / nodes.size();
      double squares = 0;
      double distance = 0;
      for (NodeLoad node : nodes) {
        double off = node.copies() - mean;
        squares += off * off;
        distance += Math.abs(off);
      }
      return new BalanceReport(
          nodes, groups, copies, bytes, copyBytes, mean, squares / nodes.size(), random, distance);
    }
  }
}
