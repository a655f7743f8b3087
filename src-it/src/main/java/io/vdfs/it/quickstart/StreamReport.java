package io.vdfs.it.quickstart;

import java.util.List;
import java.util.Map;

/**
 * Which task drew which blocks of a job's input, by its ledger. Immutable.
 *
 * @param blocks of the whole input
 * @param remaining blocks that no task owns yet
 * @param tasks in the order of their numbers
 */
record StreamReport(long blocks, long remaining, List<NodeShare> nodes, List<TaskShare> tasks) {
  /**
   * A node's part.
   *
   * @param drawnHere blocks it keeps the first copy of, drawn by tasks on it
   * @param drawnElsewhere blocks of the same kind, drawn by tasks on other nodes
   */
  record NodeShare(String node, long drawnHere, long drawnElsewhere) {
    long served() {
      return drawnHere + drawnElsewhere;
    }
  }

  /**
   * A task's part.
   *
   * @param runs stretches of blocks it drew one after the other
   * @param stolen of its blocks: those of other nodes
   */
  record TaskShare(long blocks, long runs, long stolen) {}

  /**
   * A task's list in the end.
   *
   * @param bySource blocks of the list by the node that keeps their first copies
   * @param longestRun blocks of the longest stretch
   */
  record TaskList(Map<String, Long> bySource, long longestRun) {
    TaskList {
      bySource = Map.copyOf(bySource);
    }
  }

  StreamReport {
    nodes = List.copyOf(nodes);
    tasks = List.copyOf(tasks);
  }

  long handedOut() {
    return blocks - remaining;
  }

  long stolen() {
    return tasks.stream().mapToLong(TaskShare::stolen).sum();
  }
}
