package io.vdfs.datanode.store;

import io.vdfs.datanode.store.disk.SimulatedDisk;
import io.vdfs.datanode.store.disk.SimulatedDisk.Fault;
import java.util.ArrayList;
import java.util.List;

/** Two faults of one run, at operations counted from the start of the disk. */
record FaultPair(int first, Fault firstFault, int second, Fault secondFault) {
  /** After these the process goes on with the same disk. */
  private static final List<Fault> PASSING = List.of(Fault.FULL, Fault.DEFECT);

  private static final List<Fault> FIRST =
      List.of(Fault.FULL, Fault.DEFECT, Fault.SHORT, Fault.ERROR, Fault.TORN, Fault.LOSE);

  private static final List<Fault> SECOND_AT_ONCE =
      List.of(Fault.FULL, Fault.DEFECT, Fault.ERROR, Fault.CRASH_MIDWAY);

  /** Operations from a failure to its repetition and what follows that. */
  private static final int AT_ONCE = 2;

  /** What a failed step and its repetition take at least. */
  private static final int BEHIND_THE_LAST = 4;

  /** Pairs of which the second meets what is done about the first, all of them. */
  static List<FaultPair> close(int from, int to) {
    return pairs(from, to, AT_ONCE, PASSING, SECOND_AT_ONCE);
  }

  /** All pairs with the first fault in a range of operations of a run without faults. */
  static List<FaultPair> all(int from, int to) {
    return pairs(from, to, Integer.MAX_VALUE - to, FIRST, List.of(Fault.values()));
  }

  private static List<FaultPair> pairs(
      int from, int to, int distance, List<Fault> firstFaults, List<Fault> secondFaults) {
    List<FaultPair> pairs = new ArrayList<>();
    for (int first = from; first <= to; first++) {
      int last = Math.min(first + distance, to + BEHIND_THE_LAST);
      for (int second = first + 1; second <= last; second++) {
        for (Fault firstFault : firstFaults) {
          for (Fault secondFault : secondFaults) {
            pairs.add(new FaultPair(first, firstFault, second, secondFault));
          }
        }
      }
    }
    return pairs;
  }

  void plan(SimulatedDisk disk) {
    disk.plan(first, firstFault);
    disk.plan(second, secondFault);
  }
}
