package io.vdfs.yarn;

/**
 * Between what a node may advertise. Immutable.
 *
 * @param leastMemory in MiB
 * @param mostMemory in MiB, never above what the machine has beside NodeManager and reserve
 */
record Bounds(int leastVcores, int mostVcores, long leastMemory, long mostMemory) {
  /**
   * @param configured memory that the node starts with, in MiB
   * @param machine memory of the machine beside this process, in MiB
   */
  static Bounds of(
      OvercommitSettings settings, NodeProcessors processors, long configured, long machine) {
    long room = room(settings, machine);
    long most = Math.min(settings.memoryMost().orElse(room), room);
    return new Bounds(
        processors.vcores(settings.least()),
        processors.vcores(settings.most()),
        Math.min(settings.memoryLeast().orElse(configured), most),
        most);
  }

  /** What is left when the reserve is kept back. */
  static long room(OvercommitSettings settings, long machine) {
    return Math.max(1, machine - settings.memoryReserve());
  }

  int vcores(double wanted) {
    return (int) Math.max(leastVcores, Math.min(mostVcores, wanted));
  }

  long memory(long wanted) {
    return Math.max(leastMemory, Math.min(mostMemory, wanted));
  }
}
