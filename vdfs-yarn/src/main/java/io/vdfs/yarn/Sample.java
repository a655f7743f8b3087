package io.vdfs.yarn;

import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * What a node measured from one reading to the next. Shares are from 0 to 1. Immutable.
 *
 * @param nanos when it was taken, on a clock that only goes forward
 * @param cpuBusy share of the processors' time, of those that containers may use; above 1 where
 *     others use more than containers leave them
 * @param runnable threads that run or wait for a processor, for each processor that containers may
 *     use
 * @param cpuPressure share of the time in which a thread waited for a processor
 * @param memoryPressure share of the time in which a thread waited for memory
 * @param ioPressure share of the time in which a thread waited for a disk
 * @param disks what the DataNode reports of its disks
 * @param memory memory available to containers in MiB, if that is known
 * @param node what the node advertises and has given away
 */
record Sample(
    long nanos,
    double cpuBusy,
    double runnable,
    OptionalDouble cpuPressure,
    OptionalDouble memoryPressure,
    OptionalDouble ioPressure,
    Optional<Disks> disks,
    OptionalLong memory,
    Node node) {
  /**
   * The disks of the volumes, on average.
   *
   * @param busy share of the time in which the disk had a request
   * @param queue requests at the disk
   */
  record Disks(double busy, double queue) {}

  /**
   * @param vcores advertised
   * @param memory advertised, in MiB
   * @param vcoresUsed by its containers
   * @param largest vcores of the largest of its containers; 0 where there is none
   */
  record Node(int vcores, long memory, int vcoresUsed, int largest) {}
}
