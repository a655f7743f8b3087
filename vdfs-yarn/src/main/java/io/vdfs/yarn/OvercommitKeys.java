package io.vdfs.yarn;

import java.util.Set;

/** Settings of the plug-in, in {@code yarn-site.xml} of the NodeManagers. */
public final class OvercommitKeys {
  /** Common prefix of all keys. */
  public static final String PREFIX = "vdfs.yarn.overcommit.";

  /** {@code static}, the default, or {@code adaptive}. */
  public static final String MODE = PREFIX + "mode";

  /** Vcores to advertise for each processor, 1 to 64; adaptive: at the start. */
  public static final String FACTOR = PREFIX + "factor";

  /** Adaptive: the least vcores for each processor, default 1. */
  public static final String FACTOR_MIN = PREFIX + "factor.min";

  /** Adaptive: the most vcores for each processor, default 4. */
  public static final String FACTOR_MAX = PREFIX + "factor.max";

  /**
   * Adaptive: the least memory to advertise, by default what the node is configured with; taken for
   * {@code yarn.scheduler.minimum-allocation-mb} where it is less.
   */
  public static final String MEMORY_MIN = PREFIX + "memory-mb.min";

  /**
   * Adaptive: the most memory to advertise, by default and at most what the machine, or the control
   * group of the NodeManager, has beside its heap and {@link #MEMORY_RESERVE}.
   */
  public static final String MEMORY_MAX = PREFIX + "memory-mb.max";

  /** Adaptive: memory of the machine that is never advertised, default 512. */
  public static final String MEMORY_RESERVE = PREFIX + "memory-mb.reserve";

  /** Adaptive: least time from one change to the next, default 15 s. */
  public static final String SETTLING_TIME = PREFIX + "settling.time";

  /**
   * Adaptive: {@code HOST:PORT} of this machine where the DataNode shows its counters ({@code
   * vdfs.metrics.port}); empty, the default: disks are judged by the kernel's pressure alone.
   */
  public static final String DATANODE = PREFIX + "datanode";

  static final Set<String> ALL =
      Set.of(
          MODE,
          FACTOR,
          FACTOR_MIN,
          FACTOR_MAX,
          MEMORY_MIN,
          MEMORY_MAX,
          MEMORY_RESERVE,
          SETTLING_TIME,
          DATANODE);

  private OvercommitKeys() {}
}
