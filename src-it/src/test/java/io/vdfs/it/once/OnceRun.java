package io.vdfs.it.once;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One job and its fault. All faults take their turns, then all again, and so on in rounds. With
 * each round a fault meets the next committer, the other shape of the job and the next node. Every
 * other job without reducers is of the old API, if that has its committer. So in six rounds a fault
 * meets each committer with both shapes. Immutable.
 *
 * @param node the DataNode to strike, if the fault strikes one
 * @param reducers none: the job writes pairs (record, attempt)
 * @param oldApi whether mapper, formats and committer are those of {@code mapred}
 */
record OnceRun(
    int number,
    Fault fault,
    int node,
    int reducers,
    Committer committer,
    boolean speculation,
    boolean oldApi) {
  /** In the order in which they take their turns. */
  static final List<Fault> FAULTS =
      List.of(
          Fault.TERMINATE_MASTER,
          Fault.FREEZE_THIEF,
          Fault.KILL_LEDGER_LEADER,
          Fault.KILL_DATA_NODE,
          Fault.KILL_MASTER,
          Fault.LOSE_NODE_MANAGER,
          Fault.EXPIRE_SESSION,
          Fault.KILL_CONTAINER,
          Fault.KILL_MASTER_WITHOUT_RECOVERY,
          Fault.KILL_MASTER_THAT_RUNS_THE_TASKS,
          Fault.PREEMPT,
          Fault.RACE_ATTEMPTS,
          Fault.KILL_ATTEMPT,
          Fault.ARRIVE_LATE);

  private static final List<Committer> COMMITTERS = List.of(Committer.values());

  static OnceRun of(int number) {
    int place = number % FAULTS.size();
    int round = number / FAULTS.size();
    Fault fault = FAULTS.get(place);
    int turn = place + round;
    boolean reduce = fault.needsReducer() || turn % 2 == 1;
    Committer committer = COMMITTERS.get(turn % COMMITTERS.size());
    boolean oldApi = !reduce && turn % 4 == 0 && committer.isInOldApi();
    return new OnceRun(
        number, fault, turn % OnceCluster.NODES, reduce ? 1 : 0, committer, round % 2 == 0, oldApi);
  }

  String name() {
    return "run" + number;
  }

  /**
   * Job properties.
   *
   * @param gate directory for the reducers to wait at
   */
  Map<String, String> options(java.nio.file.Path gate) {
    Map<String, String> options = new HashMap<>(committer.options());
    options.put("mapreduce.map.speculative", Boolean.toString(speculation));
    options.putAll(fault.options(gate));
    return options;
  }
}
