package io.vdfs.yarn;

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
 * Lets a NodeManager advertise more vcores than it has, by a fixed factor.
 *
 * <p>More tasks at once mean more seeks on HDFS; on VDFS the stream manager orders the reads, so
 * spare processor time can be given away. Install it with {@code
 * yarn.nodemanager.container-state-transition-listener.classes=io.vdfs.yarn.OvercommitListener} and
 * {@link #FACTOR}. YARN calls {@link #init} before it computes the node's capability. Vcores count
 * only with the {@code DominantResourceCalculator} or the Fair scheduler; memory is left alone.
 */
public final class OvercommitListener implements ContainerStateTransitionListener {
  /** How many vcores to advertise for each real one: 1 to 64, default 1. */
  public static final String FACTOR = "vdfs.yarn.overcommit.factor";

  private static final float MOST = 64;
  private static final Logger LOG = LoggerFactory.getLogger(OvercommitListener.class);

  /** For instantiation by the NodeManager. */
  public OvercommitListener() {}

  @Override
  public void init(Context context) {
    overcommit(context.getConf());
  }

  /** Raises the vcores in {@code conf}, or leaves them and logs why. */
  static void overcommit(Configuration conf) {
    try {
      float factor = conf.getFloat(FACTOR, 1);
      if (!(factor >= 1 && factor <= MOST)) {
        LOG.error("vcores stay as they are: {}={} lies not between 1 and 64", FACTOR, factor);
        return;
      }
      int real = NodeManagerHardwareUtils.getVCores(conf);
      int advertised = Math.round(real * factor);
      conf.setInt(YarnConfiguration.NM_VCORES, advertised);
      LOG.info("this node advertises {} vcores for {} real ones", advertised, real);
    } catch (IllegalArgumentException e) {
      LOG.error("vcores stay as they are: {}={} is no number", FACTOR, conf.get(FACTOR), e);
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
