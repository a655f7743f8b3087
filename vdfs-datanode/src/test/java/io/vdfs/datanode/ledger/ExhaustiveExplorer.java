package io.vdfs.datanode.ledger;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Goes through every interleaving of the attempts of a few tasks, breadth first. An attempt starts
 * at any time, draws, loses the reply and asks again, closes its task, stops before END after the
 * runs it got or all but the last of them, is killed, and a request of it may arrive after its
 * death. Zombies, speculation, re-runs and restarts of the master are all of them interleavings of
 * such attempts.
 */
final class ExhaustiveExplorer {
  private static final int NODES = 2;

  private static final char NOT_STARTED = 'N';
  private static final char RUNNING = 'R';
  private static final char SAW_END = 'E';
  private static final char STOPPED = 'S';
  private static final char KILLED_WITH_LATE_REQUEST = 'L';
  private static final char KILLED = 'K';

  /** Of each attempt, its status and then the runs it got. */
  private record State(int ledger, List<String> attempts) {}

  private final LedgerGraph graph;
  private final long blocks;
  private final boolean closing;
  private final boolean stopping;
  private final List<Integer> taskOf;
  private final Set<State> seen = new HashSet<>();
  private final ArrayDeque<State> frontier = new ArrayDeque<>();
  private int completeStates;
  private int acceptedWithBlocksLeft;

  /**
   * @param closing whether tasks may close their lists
   * @param stopping whether mappers may stop before END; attempts then report what they processed
   * @param taskOf of each attempt its task
   */
  ExhaustiveExplorer(
      LedgerGraph graph, long blocks, boolean closing, boolean stopping, List<Integer> taskOf) {
    this.graph = graph;
    this.blocks = blocks;
    this.closing = closing;
    this.stopping = stopping;
    this.taskOf = List.copyOf(taskOf);
  }

  /**
   * @return number of states
   * @throws Violation in the first state that breaks a rule
   */
  int explore() {
    reach(0, Collections.nCopies(taskOf.size(), String.valueOf(NOT_STARTED)));
    while (!frontier.isEmpty()) {
      State state = frontier.remove();
      for (int attempt = 0; attempt < state.attempts().size(); attempt++) {
        expand(state, attempt);
      }
    }
    return seen.size();
  }

  /** Of {@link #completeStates} those with blocks that no attempt drew, which the audit accepts. */
  int acceptedWithBlocksLeft() {
    return acceptedWithBlocksLeft;
  }

  /** States in which an attempt of each task has come to its end. */
  int completeStates() {
    return completeStates;
  }

  private void expand(State state, int attempt) {
    String now = state.attempts().get(attempt);
    String runs = now.substring(1);
    int task = taskOf.get(attempt);
    int node = (task + Collections.frequency(taskOf.subList(0, attempt), task)) % NODES;
    switch (now.charAt(0)) {
      case NOT_STARTED -> become(state, state.ledger(), attempt, RUNNING + runs);
      case RUNNING -> {
        LedgerGraph.Step step = draw(state, task, runs, node);
        String next = step.runs().isEmpty() ? SAW_END + runs : now + step.runs();
        become(state, step.target(), attempt, next);
        become(state, step.target(), attempt, now);
        become(state, state.ledger(), attempt, KILLED_WITH_LATE_REQUEST + runs);
        if (closing) {
          become(state, graph.close(state.ledger(), task).target(), attempt, now);
        }
        if (stopping) {
          stop(state, attempt, runs);
          stop(state, attempt, runs.substring(0, Math.max(0, runs.length() - 1)));
        }
      }
      case KILLED_WITH_LATE_REQUEST -> {
        LedgerGraph.Step step = draw(state, task, runs, node);
        become(state, step.target(), attempt, String.valueOf(KILLED));
      }
      default -> {
        // ended: nothing more comes of it
      }
    }
  }

  private LedgerGraph.Step draw(State state, int task, String runs, int node) {
    return stopping
        ? graph.drawAndReport(state.ledger(), task, runs, node)
        : graph.draw(state.ledger(), task, runs.length(), node);
  }

  private void stop(State state, int attempt, String runs) {
    int target = graph.stop(state.ledger(), taskOf.get(attempt), runs).target();
    become(state, target, attempt, STOPPED + runs);
  }

  private void become(State state, int ledger, int attempt, String next) {
    List<String> attempts = new ArrayList<>(state.attempts());
    attempts.set(attempt, next);
    reach(ledger, attempts);
  }

  private void reach(int ledger, List<String> attempts) {
    State state = new State(ledger, List.copyOf(attempts));
    if (seen.add(state)) {
      check(state);
      frontier.add(state);
    }
  }

  private void check(State state) {
    LedgerGraph.Node ledger = graph.node(state.ledger());
    List<String> owned = new ArrayList<>();
    ledger.lists().forEach(list -> owned.addAll(LedgerGraph.blocks(list)));
    Violation.unless(new HashSet<>(owned).size() == owned.size(), "owned twice: " + owned);
    Violation.unless(
        owned.size() + ledger.unowned() == blocks, "lists and pools are not the input: " + owned);
    Set<Integer> tasksAtEnd = new HashSet<>();
    boolean anyStopped = false;
    boolean anySawEnd = false;
    for (int i = 0; i < taskOf.size(); i++) {
      String attempt = state.attempts().get(i);
      String list = ledger.lists().get(taskOf.get(i));
      if (attempt.charAt(0) == STOPPED) {
        anyStopped = true;
        tasksAtEnd.add(taskOf.get(i));
        Violation.unless(
            list.startsWith(attempt.substring(1)),
            "an attempt stopped in another list than its task's: task=" + taskOf.get(i));
      }
      if (attempt.charAt(0) == SAW_END) {
        anySawEnd = true;
        tasksAtEnd.add(taskOf.get(i));
        Violation.unless(
            attempt.substring(1).equals(list),
            "an attempt ended with another list than its task's: task=" + taskOf.get(i));
      }
    }
    if (tasksAtEnd.size() == ledger.lists().size()) {
      completeStates++;
      Violation.unless(
          ledger.unowned() == 0 || anyStopped, "all tasks ended with blocks left: " + owned);
      if (stopping) {
        checkAudit(state.ledger(), anySawEnd);
      }
    }
  }

  /** Blocks that no attempt drew are accepted only if no attempt came to END: all had stopped. */
  private void checkAudit(int ledger, boolean anySawEnd) {
    boolean passed = graph.isAuditPassed(ledger);
    if (graph.node(ledger).unowned() == 0) {
      Violation.unless(passed, "the audit refuses a complete job");
    } else if (passed) {
      acceptedWithBlocksLeft++;
      Violation.unless(!anySawEnd, "the audit accepts blocks that an attempt would have taken");
    }
  }
}
