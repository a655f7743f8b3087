package io.vdfs.yarn;

import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.nodemanager.ContainerStateTransitionListener;
import org.apache.hadoop.yarn.server.nodemanager.Context;
import org.apache.hadoop.yarn.server.nodemanager.containermanager.container.ContainerEvent;
import org.apache.hadoop.yarn.server.nodemanager.containermanager.container.ContainerImpl;
import org.apache.hadoop.yarn.server.nodemanager.containermanager.container.ContainerState;
import org.apache.hadoop.yarn.server.nodemanager.util.NodeManagerHardwareUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets a NodeManager advertise more vcores than it has processors, so that jobs share them.
 *
 * <p>More tasks at once mean more seeks on HDFS; on VDFS the stream manager orders the reads, so
 * spare processor time can be given away. Install it with {@code
 * yarn.nodemanager.container-state-transition-listener.classes=io.vdfs.yarn.OvercommitListener} and
 * the {@link OvercommitKeys}. YARN calls {@link #init} before it computes the node's capability.
 *
 * <p>Where a setting is wrong, or anything fails, the node starts as if the plug-in were not there,
 * and the log says why.
 */
public final class OvercommitListener implements ContainerStateTransitionListener {
  private static final Logger LOG = LoggerFactory.getLogger(OvercommitListener.class);

  /** For instantiation by the NodeManager. */
  public OvercommitListener() {}

  @Override
  public void init(Context context) {
    try {
      Overcommit overcommit = overcommit(context.getConf(), NodeSampler.memoryBesideThisProcess());
      NodeWatch.start(context, overcommit);
    } catch (RuntimeException | LinkageError e) {
      LOG.error("Overcommit does nothing on this node; this is a defect of VDFS", e);
    }
  }

  /**
   * Sets what the node starts with, or leaves it and logs why: its vcores and, where it adapts, no
   * more memory than it may have later, as containers that were given more are never ended.
   *
   * @param machine memory of the machine beside this process, in MiB
   */
  static Overcommit overcommit(Configuration conf, long machine) {
    try {
      OvercommitSettings settings = OvercommitSettings.of(conf);
      NodeProcessors processors = NodeProcessors.detect(conf, OvercommitListener.class);
      long memory = NodeManagerHardwareUtils.getContainerMemoryMB(conf);
      Optional<Bounds> bounds =
          settings.mode() == OvercommitMode.ADAPTIVE
              ? Optional.of(Bounds.of(settings, processors, memory, machine))
              : Optional.empty();
      int vcores = processors.vcores(settings.factor());
      conf.setInt(YarnConfiguration.NM_VCORES, vcores);
      bounds
          .map(Bounds::mostMemory)
          .filter(most -> most < memory)
          .ifPresent(most -> conf.setLong(YarnConfiguration.NM_PMEM_MB, most));
      LOG.info(
          "This node starts with {} vcores and {} MiB: processors={}, factor={}, mode={}",
          vcores,
          NodeManagerHardwareUtils.getContainerMemoryMB(conf),
          processors.count(),
          settings.factor(),
          settings.mode());
      return Overcommit.on(new Overcommit.Plan(settings, processors, memory, bounds));
    } catch (RefusedException e) {
      LOG.error(
          "Overcommit is off, and this node starts as if the plug-in were not there: {}",
          e.getMessage());
      return Overcommit.refused(e.getMessage());
    }
  }

  @Override
  public void preTransition(ContainerImpl container, ContainerState before, ContainerEvent event) {
    // only the start of the node matters
  }

  @Override
  public void postTransition(
      ContainerImpl container, ContainerState before, ContainerState after, ContainerEvent event) {
    // only the start of the node matters
  }
}
