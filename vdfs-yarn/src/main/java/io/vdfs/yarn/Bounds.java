package io.vdfs.yarn;

import org.apache.hadoop.yarn.conf.YarnConfiguration;

/**
 * Between what a node may advertise. Immutable.
 *
 * @param leastMemory in MiB
 * @param mostMemory in MiB, never above what the machine has beside NodeManager and reserve
 */
record Bounds(int leastVcores, int mostVcores, long leastMemory, long mostMemory) {
  /**
   * @param configured memory for containers, in MiB
   * @param machine memory of the machine beside this process, in MiB
   * @throws RefusedException if the machine has no room for the least container: a ResourceManager
   *     that starts again turns a node away that has no more
   */
  static Bounds of(
      OvercommitSettings settings, NodeProcessors processors, long configured, long machine)
      throws RefusedException {
    long room = room(settings, machine);
    if (room < settings.leastContainer()) {
      throw new RefusedException(
          ("%s MiB are left for containers where the machine, or the NodeManager's control group,"
                  + " has %s beside its heap and %s=%s, less than %s=%s; lower reserve or heap,"
                  + " raise the group's limit, or set %s=static")
              .formatted(
                  room,
                  machine,
                  OvercommitKeys.MEMORY_RESERVE,
                  settings.memoryReserve(),
                  YarnConfiguration.RM_SCHEDULER_MINIMUM_ALLOCATION_MB,
                  settings.leastContainer(),
                  OvercommitKeys.MODE));
    }
    long most = Math.min(settings.memoryMost().orElse(room), room);
    return new Bounds(
        processors.vcores(settings.least()),
        processors.vcores(settings.most()),
        Math.min(settings.memoryLeast().orElse(configured), most),
        most);
  }

  /** What is left when the reserve is kept back. */
  static long room(OvercommitSettings settings, long machine) {
    return Math.max(0, machine - settings.memoryReserve());
  }

  int vcores(double wanted) {
    return (int) Math.max(leastVcores, Math.min(mostVcores, wanted));
  }

  long memory(long wanted) {
    return Math.max(leastMemory, Math.min(mostMemory, wanted));
  }
}
