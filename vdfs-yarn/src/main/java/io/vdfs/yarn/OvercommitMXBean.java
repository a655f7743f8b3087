package io.vdfs.yarn;

import java.util.List;

/** What the plug-in does on a node, for JMX and {@code vdfs diag}. */
public interface OvercommitMXBean {
  /** Release of the plug-in; {@code unknown} where it does not come from a jar. */
  String getVersion();

  /** {@code static}, {@code adaptive}, or {@code off} where a setting was refused. */
  String getMode();

  /** The setting that was refused and its cure; empty where none was. */
  String getRefusal();

  /** Settings with which overcommit has no effect or a bad one, each with its cure. */
  List<String> getFindings();

  /** Processors that containers may use; 0 where a setting was refused. */
  float getProcessors();

  /** Vcores that this node knows to advertise. */
  long getVcores();

  /** Memory that this node knows to advertise, in MiB. */
  long getMemory();

  /** Memory of the whole machine in MiB, whatever limits this process; 0 where it is not known. */
  long getMachineMemory();

  /** How often the plug-in changed them. */
  long getChanges();

  /** The reason of the last change. */
  String getLastReasons();

  /**
   * How often it could not measure, or the ResourceManager did not make the change, as while the
   * node is decommissioned.
   */
  long getFailures();

  /**
   * Whether its last attempt failed; false again once what failed goes well, or need not be done
   * any more.
   */
  boolean isFailing();

  /** The reason of the last failure. */
  String getLastFailure();

  /**
   * Load of the processors in percent: 100 where six threads for each run or want to, at least 70
   * where they are never idle; adaptive only.
   */
  long getCpuLoad();

  /** Load of the disks in percent; adaptive only. */
  long getDiskLoad();

  /** Load by waiting for memory, in percent; adaptive only. */
  long getMemoryLoad();

  /** Memory last found to be available to containers, in MiB; 0 where it is not measured. */
  long getMemoryForContainers();
}
