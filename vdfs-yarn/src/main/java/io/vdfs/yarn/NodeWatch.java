package io.vdfs.yarn;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.management.JMException;
import javax.management.ObjectName;
import javax.management.StandardMBean;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.service.Service;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.server.nodemanager.Context;
import org.apache.hadoop.yarn.server.nodemanager.containermanager.ContainerManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A NodeManager's own thread for the plug-in, from the moment the node has a name until it stops:
 * shows what the plug-in does and, in adaptive mode, runs the controller.
 */
final class NodeWatch implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(NodeWatch.class);
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Context context;
  private final Overcommit overcommit;

  private NodeWatch(Context context, Overcommit overcommit) {
    this.context = context;
    this.overcommit = overcommit;
  }

  static void start(Context context, Overcommit overcommit) {
    Thread thread = new Thread(new NodeWatch(context, overcommit), "vdfs-overcommit");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public void run() {
    try {
      while (!named() && !stopped()) {
        LockSupport.parkNanos(PAUSE_NANOS);
      }
      watch();
    } catch (RuntimeException | LinkageError | JMException e) {
      LOG.error("What this node advertises does not change any more; a defect of VDFS", e);
    }
  }

  private boolean named() {
    NodeId node = context.getNodeId();
    return node != null && node.getPort() != 0 && context.getContainerManager() != null;
  }

  private boolean stopped() {
    ContainerManager manager = context.getContainerManager();
    return manager != null && manager.getContainersMonitor().isInState(Service.STATE.STOPPED);
  }

  private void watch() throws JMException {
    List<String> findings =
        overcommit
            .plan()
            .map(
                plan ->
                    SettingsCheck.findings(
                        context.getConf(), plan, NodeSampler.memoryBesideThisProcess()))
            .orElse(List.of());
    findings.forEach(finding -> LOG.warn("Overcommit: {}", finding));
    overcommit
        .plan()
        .map(plan -> SettingsCheck.schedulerFindings(context.getConf(), plan.memory()))
        .orElse(List.of())
        .forEach(finding -> LOG.warn("Overcommit, by this node's files: {}", finding));
    OvercommitRecord record =
        new OvercommitRecord(
            overcommit,
            findings,
            machineMemory(),
            context.getContainerManager().getContainersMonitor());
    ObjectName name =
        new ObjectName(
            "io.vdfs:type=Overcommit,node=" + ObjectName.quote(context.getNodeId().toString()));
    ManagementFactory.getPlatformMBeanServer()
        .registerMBean(new StandardMBean(record, OvercommitMXBean.class, true), name);
    DefaultMetricsSystem.instance()
        .register(OvercommitRecord.SOURCE, "vcores and memory by VDFS", record);
    try {
      run(record);
    } finally {
      ManagementFactory.getPlatformMBeanServer().unregisterMBean(name);
      DefaultMetricsSystem.instance().unregisterSource(OvercommitRecord.SOURCE);
    }
  }

  private void run(OvercommitRecord record) {
    overcommit
        .plan()
        .ifPresent(
            plan -> plan.bounds().ifPresent(bounds -> adapt(plan.settings(), bounds, record)));
    while (!stopped()) {
      LockSupport.parkNanos(PAUSE_NANOS);
    }
  }

  private void adapt(OvercommitSettings settings, Bounds bounds, OvercommitRecord record) {
    NodeSampler sampler = new NodeSampler(context, settings);
    LOG.info("This node adapts what it advertises: {}", bounds);
    try (ResourceManagerAccess access =
        new ResourceManagerAccess(context.getConf(), context.getNodeId())) {
      Controller controller =
          new Controller(new ControlLaw(bounds, settings.settling()), sampler, access, record);
      primeCounters(sampler);
      while (!stopped()) {
        LockSupport.parkNanos(PAUSE_NANOS);
        controller.tick();
      }
    }
  }

  /** Of the whole machine, whatever confines this process, in MiB; 0 where it is not known. */
  private static long machineMemory() {
    try {
      return new KernelFiles(Path.of("/proc")).memory("MemTotal").orElse(0);
    } catch (IOException e) {
      LOG.debug("The machine's memory is not known", e);
      return 0;
    }
  }

  /** The first reading covers the time since the machine's start. */
  private static void primeCounters(NodeSampler sampler) {
    try {
      sampler.take();
    } catch (IOException e) {
      LOG.debug("Nothing measured yet", e);
    }
  }
}
