package io.vdfs.yarn;

import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.metrics2.MetricsCollector;
import org.apache.hadoop.metrics2.MetricsSource;
import org.apache.hadoop.metrics2.lib.Interns;
import org.apache.hadoop.yarn.server.nodemanager.ResourceView;

/**
 * What the plug-in did so far, as a bean and as gauges of Hadoop's metrics. Thread-safe: one thread
 * writes, any may read.
 */
final class OvercommitRecord implements OvercommitMXBean, MetricsSource {
  static final String SOURCE = "VdfsOvercommit";

  private final Overcommit overcommit;
  private final List<String> findings;
  private final long machineMemory;
  private final ResourceView node;
  private volatile Load load = Load.NONE;
  private volatile long memoryForContainers;
  private final AtomicLong changes = new AtomicLong();
  private volatile String lastReasons = "";
  private final AtomicLong failures = new AtomicLong();
  private volatile String lastFailure = "";
  private volatile boolean failing;

  /**
   * @param machineMemory in MiB; 0 where it is not known
   * @param node knows what it advertises
   */
  OvercommitRecord(
      Overcommit overcommit, List<String> findings, long machineMemory, ResourceView node) {
    this.overcommit = overcommit;
    this.findings = List.copyOf(findings);
    this.machineMemory = machineMemory;
    this.node = node;
  }

  void measured(Sample sample) {
    load = Load.of(sample);
    memoryForContainers = sample.memory().orElse(0);
  }

  void changed(ControlLaw.Change change) {
    lastReasons = change.reasons();
    changes.incrementAndGet();
  }

  void failed(String why) {
    lastFailure = Objects.toString(why, "");
    failures.incrementAndGet();
    failing = true;
  }

  /** What failed before has gone well since, or need not be done any more. */
  void well() {
    failing = false;
  }

  @Override
  public String getVersion() {
    return Objects.toString(
        OvercommitRecord.class.getPackage().getImplementationVersion(), "unknown");
  }

  @Override
  public String getMode() {
    return overcommit
        .plan()
        .map(plan -> plan.settings().mode().name().toLowerCase(Locale.ROOT))
        .orElse("off");
  }

  @Override
  public String getRefusal() {
    return overcommit.refusal().orElse("");
  }

  @Override
  public List<String> getFindings() {
    return findings;
  }

  @Override
  public float getProcessors() {
    return overcommit.plan().map(plan -> plan.processors().count()).orElse(0F);
  }

  @Override
  public long getVcores() {
    return node.getVCoresAllocatedForContainers();
  }

  @Override
  public long getMemory() {
    return node.getPmemAllocatedForContainers() >> 20;
  }

  @Override
  public long getMachineMemory() {
    return machineMemory;
  }

  @Override
  public long getChanges() {
    return changes.get();
  }

  @Override
  public String getLastReasons() {
    return lastReasons;
  }

  @Override
  public long getFailures() {
    return failures.get();
  }

  @Override
  public boolean isFailing() {
    return failing;
  }

  @Override
  public String getLastFailure() {
    return lastFailure;
  }

  @Override
  public long getCpuLoad() {
    return percent(load.cpu());
  }

  @Override
  public long getDiskLoad() {
    return percent(load.disks());
  }

  @Override
  public long getMemoryLoad() {
    return percent(load.memory());
  }

  @Override
  public long getMemoryForContainers() {
    return memoryForContainers;
  }

  private static long percent(double load) {
    return Math.round(load * 100);
  }

  @Override
  public void getMetrics(MetricsCollector collector, boolean all) {
    collector
        .addRecord(SOURCE)
        .setContext("yarn")
        .addGauge(Interns.info("Processors", "processors for containers"), getProcessors())
        .addGauge(Interns.info("Vcores", "vcores advertised"), getVcores())
        .addGauge(Interns.info("MemoryMb", "memory advertised"), getMemory())
        .addGauge(Interns.info("CpuLoadPercent", "load of the processors"), getCpuLoad())
        .addGauge(Interns.info("DiskLoadPercent", "load of the disks"), getDiskLoad())
        .addGauge(Interns.info("MemoryLoadPercent", "load of the memory"), getMemoryLoad())
        .addCounter(Interns.info("Changes", "changes of what is advertised"), changes.get())
        .addCounter(Interns.info("Failures", "failed measurements and changes"), failures.get());
  }
}
