package io.vdfs.yarn;

/**
 * Between what a node may advertise. Immutable.
 *
 * @param leastMemory in MiB
 * @param mostMemory in MiB, never above what the machine has
 */
record Bounds(int leastVcores, int mostVcores, long leastMemory, long mostMemory) {
  /**
   * @param configured memory that the node starts with, in MiB
   * @param machine memory that the machine has, in MiB
   */
  static Bounds of(
      OvercommitSettings settings, NodeProcessors processors, long configured, long machine) {
    long most = Math.min(settings.memoryMost().orElse(machine), machine);
    return new Bounds(
        processors.vcores(settings.least()),
        processors.vcores(settings.most()),
        Math.min(settings.memoryLeast().orElse(configured), most),
        most);
  }

  int vcores(double wanted) {
    return (int) Math.max(leastVcores, Math.min(mostVcores, wanted));
  }

  long memory(long wanted) {
    return Math.max(leastMemory, Math.min(mostMemory, wanted));
  }
}
