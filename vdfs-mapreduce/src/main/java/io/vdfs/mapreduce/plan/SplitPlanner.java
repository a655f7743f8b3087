package io.vdfs.mapreduce.plan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * How many logical splits a job gets, and where. Pure.
 *
 * <p>Per node {@code min(cores, ceil(bytes of the node / least split))}, in all at most {@code
 * ceil(total bytes / least split)} and at least one. Where the bound on the total cuts, the nodes
 * with the fewest bytes per split lose one first, so that few splits go where most bytes are. Where
 * a task takes only a limited amount, splits are added until they suffice, each on the node with
 * the most bytes per split. Example: 4 GB over three nodes of two cores and a least split of 128
 * MiB gives two splits on each node; 200 MB over the same nodes gives two splits in all; the 4 GB
 * with tasks of at most 512 MB give eight, three on two of the nodes.
 */
final class SplitPlanner {
  /** Tasks of one stream; the ledger refuses more. */
  static final int MOST_TASKS = 100_000;

  private static final long BYTES_PER_SURPLUS = 8L << 30;

  /**
   * A node as the planner sees it.
   *
   * @param host where its tasks should run
   * @param cores published by the node
   * @param bytes of the input that it owns
   */
  record NodeShare(String host, int cores, long bytes) {}

  private SplitPlanner() {}

  /**
   * @param nodes live nodes, in ring order
   * @param totalBytes of the input, also on nodes that are not live; positive
   * @param leastSplit bytes that make a task worth starting; positive
   * @param mostTask bytes after which a task takes no more; positive
   * @return the host of each split, in the order of ordinals
   */
  static List<String> plan(List<NodeShare> nodes, long totalBytes, long leastSplit, long mostTask) {
    List<Share> shares = new ArrayList<>();
    for (NodeShare node : nodes) {
      long wanted = Math.min(node.cores(), ceilDiv(node.bytes(), leastSplit));
      shares.add(new Share(node, Math.toIntExact(wanted)));
    }
    long most = Math.max(1, ceilDiv(totalBytes, leastSplit));
    long planned = shares.stream().mapToLong(share -> share.splits).sum();
    for (; planned > most; planned--) {
      shares.stream()
          .filter(share -> share.splits > 0)
          .min(Comparator.comparingDouble(Share::bytesPerSplit))
          .orElseThrow()
          .splits--;
    }
    for (long needed = ceilDiv(totalBytes, mostTask); planned < needed; planned++) {
      shares.stream()
          .max(Comparator.comparingDouble(Share::bytesPerFurtherSplit))
          .ifPresent(share -> share.splits++);
    }
    return interleave(shares);
  }

  /**
   * How many further splits a job has if its tasks yield: half as many as run at once, or one for
   * each {@value #BYTES_PER_SURPLUS} bytes if that is more, as a long job meets many others; but no
   * more than leave the least split to each. A split that is not needed costs the start of a
   * container at the end.
   *
   * @param planned splits that run at once
   */
  static int surplus(int planned, long totalBytes, long leastSplit) {
    long wanted = Math.max((planned + 1L) / 2, totalBytes / BYTES_PER_SURPLUS);
    long room = Math.max(0, ceilDiv(totalBytes, leastSplit) - planned);
    return (int) Math.min(Math.min(wanted, room), MOST_TASKS - planned);
  }

  private static List<String> interleave(List<Share> shares) {
    List<String> hosts = new ArrayList<>();
    boolean more = true;
    for (int round = 0; more; round++) {
      more = false;
      for (Share share : shares) {
        if (share.splits > round) {
          hosts.add(share.node.host());
          more = true;
        }
      }
    }
    return hosts;
  }

  static long ceilDiv(long dividend, long divisor) {
    return dividend / divisor + (dividend % divisor == 0 ? 0 : 1);
  }

  private static final class Share {
    private final NodeShare node;
    private int splits;

    Share(NodeShare node, int splits) {
      this.node = node;
      this.splits = splits;
    }

    double bytesPerSplit() {
      return (double) node.bytes() / splits;
    }

    double bytesPerFurtherSplit() {
      return (double) node.bytes() / (splits + 1);
    }
  }
}
