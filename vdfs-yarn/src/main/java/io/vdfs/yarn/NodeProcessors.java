package io.vdfs.yarn;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.ResourceInformation;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.nodemanager.util.NodeManagerHardwareUtils;
import org.apache.hadoop.yarn.util.ResourceCalculatorPlugin;

/**
 * Processors that containers of this node may use, counted as YARN's own hardware detection counts
 * them, whether that is on or not: cores or logical processors, less what the CPU limit in percent
 * leaves to others. Immutable.
 *
 * @param count a fraction where the CPU limit makes it one
 */
record NodeProcessors(float count) {
  private static final String NODE_VCORES =
      YarnConfiguration.NM_RESOURCES_PREFIX + ResourceInformation.VCORES.getName();

  /**
   * @param plugIn named as what can be taken out instead
   * @throws RefusedException if the vcores are set otherwise already, or cannot be counted here
   */
  static NodeProcessors detect(Configuration conf, Class<?> plugIn) throws RefusedException {
    refuse(conf, YarnConfiguration.NM_VCORES, "-1", plugIn);
    refuse(conf, NODE_VCORES, "0", plugIn);
    if (conf.getFloat(YarnConfiguration.NM_PCORES_VCORES_MULTIPLIER, 1) != 1) {
      throw new RefusedException(
          ("%s=%s multiplies vcores too; remove it, and let %s say how many there are for"
                  + " each processor")
              .formatted(
                  YarnConfiguration.NM_PCORES_VCORES_MULTIPLIER,
                  conf.get(YarnConfiguration.NM_PCORES_VCORES_MULTIPLIER),
                  OvercommitKeys.FACTOR));
    }
    if (ResourceCalculatorPlugin.getResourceCalculatorPlugin(null, conf) == null) {
      throw new RefusedException(
          "YARN cannot count the processors of this system: %s; take %s out of %s here"
              .formatted(
                  System.getProperty("os.name"),
                  plugIn.getName(),
                  YarnConfiguration.NM_CONTAINER_STATE_TRANSITION_LISTENERS));
    }
    return new NodeProcessors(NodeManagerHardwareUtils.getContainersCPUs(conf));
  }

  private static void refuse(Configuration conf, String key, String unset, Class<?> plugIn)
      throws RefusedException {
    String value = conf.getTrimmed(key, unset);
    if (!value.equals(unset)) {
      throw new RefusedException(
          ("%s=%s says already how many vcores there are; remove it, so that the processors"
                  + " are counted, or take %s out of %s")
              .formatted(
                  key,
                  value,
                  plugIn.getName(),
                  YarnConfiguration.NM_CONTAINER_STATE_TRANSITION_LISTENERS));
    }
  }

  /** Vcores at so many per processor; at least one. */
  int vcores(double factor) {
    return Math.max(1, (int) Math.round(count * factor));
  }
}
