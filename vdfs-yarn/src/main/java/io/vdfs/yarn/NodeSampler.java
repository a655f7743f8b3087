package io.vdfs.yarn;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.file.Path;
import java.util.IntSummaryStatistics;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.nodemanager.Context;
import org.apache.hadoop.yarn.server.nodemanager.containermanager.monitor.ContainersMonitor;
import org.apache.hadoop.yarn.server.nodemanager.util.NodeManagerHardwareUtils;

/**
 * Measures this machine and its NodeManager. Where the DataNode does not answer, disks are judged
 * by the kernel's pressure, and memory is never more than when it answered last. Confined to one
 * thread.
 */
final class NodeSampler implements Controller.Samples {
  private final Context context;
  private final Optional<DataNodePage> page;
  private final long reserve;
  private final boolean monitored;
  private final double cpuShare;
  private final KernelFiles kernel = new KernelFiles(Path.of("/proc"));
  private final Failures reading = new Failures("The DataNode of this machine");
  private final AnsweredMemory answered = new AnsweredMemory();
  private long readAhead;
  private long heapGrowth;

  NodeSampler(Context context, OvercommitSettings settings) {
    this.context = context;
    this.page = settings.dataNode().map(DataNodePage::new);
    this.reserve = settings.memoryReserve();
    Configuration conf = context.getConf();
    this.monitored =
        conf.getBoolean(
                YarnConfiguration.NM_CONTAINER_MONITOR_ENABLED,
                YarnConfiguration.DEFAULT_NM_CONTAINER_MONITOR_ENABLED)
            && interval(conf) > 0;
    this.cpuShare = NodeManagerHardwareUtils.getNodeCpuPercentage(conf) / 100.0;
  }

  /** Milliseconds from one look at the containers to the next; YARN takes 0 for never. */
  private static long interval(Configuration conf) {
    return conf.getLong(
        YarnConfiguration.NM_CONTAINER_MON_INTERVAL_MS,
        conf.getLong(
            YarnConfiguration.NM_RESOURCE_MON_INTERVAL_MS,
            YarnConfiguration.DEFAULT_NM_RESOURCE_MON_INTERVAL_MS));
  }

  /**
   * Memory in MiB of the machine, or of the control group that confines this process, beside the
   * heap that this process may have.
   */
  static long memoryBesideThisProcess() {
    long memory =
        ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
            .getTotalMemorySize();
    return (memory - Runtime.getRuntime().maxMemory()) >> 20;
  }

  @Override
  public Sample take() throws IOException {
    long now = System.nanoTime();
    KernelFiles.Processors processors = kernel.processors();
    Optional<DataNodeGauges> dataNode = readDataNode();
    return new Sample(
        now,
        processors.busy() / cpuShare,
        processors.runnable() / cpuShare,
        kernel.cpuPressure(now),
        kernel.memoryPressure(now),
        kernel.ioPressure(now),
        dataNode.flatMap(DataNodeGauges::disks),
        page.isEmpty() ? memory() : answered.limit(memory(), dataNode.isPresent()),
        node());
  }

  private Optional<DataNodeGauges> readDataNode() {
    if (page.isEmpty()) {
      return Optional.empty();
    }
    try {
      DataNodeGauges gauges = page.get().read();
      readAhead = gauges.readAhead();
      heapGrowth = gauges.heapGrowth();
      reading.over();
      return Optional.of(gauges);
    } catch (IOException e) {
      reading.tell("does not tell how its disks are, they are judged by the kernel's pressure", e);
      return Optional.empty();
    }
  }

  private OptionalLong memory() throws IOException {
    OptionalLong available = kernel.memory("MemAvailable");
    if (!monitored || available.isEmpty()) {
      return OptionalLong.empty();
    }
    MemoryShare share =
        new MemoryShare(
            monitor().getContainersUtilization().getPhysicalMemory(),
            available.getAsLong(),
            readAhead,
            heapGrowth + ownHeapGrowth(),
            reserve);
    return OptionalLong.of(share.forContainers());
  }

  /** Heap that has been used once is in memory already. */
  private static long ownHeapGrowth() {
    long used =
        ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP)
            .mapToLong(NodeSampler::mostUsed)
            .sum();
    return Math.max(0, Runtime.getRuntime().maxMemory() - used) >> 20;
  }

  private static long mostUsed(MemoryPoolMXBean pool) {
    return pool.getPeakUsage().getUsed();
  }

  private Sample.Node node() {
    IntSummaryStatistics used =
        context.getContainers().values().stream()
            .filter(container -> !container.isContainerInFinalStates())
            .mapToInt(container -> container.getResource().getVirtualCores())
            .summaryStatistics();
    return new Sample.Node(
        (int) monitor().getVCoresAllocatedForContainers(),
        monitor().getPmemAllocatedForContainers() >> 20,
        (int) used.getSum(),
        Math.max(0, used.getMax()));
  }

  private ContainersMonitor monitor() {
    return context.getContainerManager().getContainersMonitor();
  }
}
