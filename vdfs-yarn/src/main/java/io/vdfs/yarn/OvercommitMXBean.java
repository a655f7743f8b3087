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

  /** Settings beside which overcommit has no or a bad effect, each with its cure. */
  List<String> getFindings();

  /** Processors that containers may use; 0 where a setting was refused. */
  float getProcessors();

  /** Vcores that this node knows to advertise. */
  long getVcores();

  /** Memory that this node knows to advertise, in MiB. */
  long getMemory();

  /** How often the plug-in changed them. */
  long getChanges();

  /** Why it did so last. */
  String getLastReasons();

  /** How often it could not measure, or the ResourceManager did not change them. */
  long getFailures();

  /** Why not, the last time. */
  String getLastFailure();

  /** Load of the processors in percent, 100 where they are just busy; adaptive only. */
  long getCpuLoad();

  /** Load of the disks in percent; adaptive only. */
  long getDiskLoad();

  /** Load by waiting for memory, in percent; adaptive only. */
  long getMemoryLoad();

  /** Memory that was last found for containers, in MiB; 0 where it is not measured. */
  long getMemoryForContainers();
}
