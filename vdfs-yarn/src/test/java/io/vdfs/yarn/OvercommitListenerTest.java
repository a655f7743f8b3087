package io.vdfs.yarn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.nodemanager.util.NodeManagerHardwareUtils;
import org.apache.hadoop.yarn.util.resource.ResourceUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OvercommitListenerTest {
  /** MiB. */
  private static final long MACHINE = 32_768;

  private final Configuration conf = new Configuration(false);

  private Overcommit overcommit() {
    return OvercommitListener.overcommit(conf, MACHINE);
  }

  /** What YARN itself counts for the multiplier. */
  private int detected(double multiplier) {
    Configuration detecting = new Configuration(conf);
    detecting.setBoolean(YarnConfiguration.NM_ENABLE_HARDWARE_CAPABILITY_DETECTION, true);
    detecting.setFloat(YarnConfiguration.NM_PCORES_VCORES_MULTIPLIER, (float) multiplier);
    detecting.unset(YarnConfiguration.NM_VCORES);
    return NodeManagerHardwareUtils.getVCores(detecting);
  }

  @ParameterizedTest
  @ValueSource(doubles = {1, 2.5, 64})
  void shouldMultiplyTheProcessorsThatYarnDetectsWhereDetectionIsOff(double factor) {
    conf.setDouble(OvercommitKeys.FACTOR, factor);

    assertTrue(overcommit().plan().isPresent());

    assertEquals(detected(factor), NodeManagerHardwareUtils.getVCores(conf));
  }

  @Test
  void shouldCountLogicalProcessorsAndTheCpuLimitAsYarnDoes() {
    conf.setBoolean(YarnConfiguration.NM_COUNT_LOGICAL_PROCESSORS_AS_CORES, true);
    conf.setInt(YarnConfiguration.NM_RESOURCE_PERCENTAGE_PHYSICAL_CPU_LIMIT, 50);
    conf.setBoolean(YarnConfiguration.NM_ENABLE_HARDWARE_CAPABILITY_DETECTION, true);
    conf.setInt(OvercommitKeys.FACTOR, 6);

    overcommit();

    int processors = Runtime.getRuntime().availableProcessors();
    assertEquals(Math.round(processors * 0.5 * 6), NodeManagerHardwareUtils.getVCores(conf));
  }

  @Test
  void shouldAdvertiseTheProcessorsWithoutAFactor() {
    overcommit();
    assertEquals(detected(1), NodeManagerHardwareUtils.getVCores(conf));
  }

  @Test
  void shouldStartWithTheLeastFactorWhereItAdapts() {
    conf.set(OvercommitKeys.MODE, "adaptive");
    conf.setInt(OvercommitKeys.FACTOR_MIN, 3);
    overcommit();
    assertEquals(detected(3), NodeManagerHardwareUtils.getVCores(conf));
  }

  @Test
  void shouldNotStartWithMoreMemoryThanItMayAdaptTo() {
    conf.setInt(YarnConfiguration.NM_PMEM_MB, 49_152);
    overcommit();
    assertEquals(49_152, NodeManagerHardwareUtils.getContainerMemoryMB(conf), "static");

    conf.unset(YarnConfiguration.NM_VCORES);
    conf.set(OvercommitKeys.MODE, "adaptive");
    assertEquals(49_152, overcommit().plan().orElseThrow().memory());
    assertEquals(MACHINE - 512, NodeManagerHardwareUtils.getContainerMemoryMB(conf));

    conf.unset(YarnConfiguration.NM_VCORES);
    conf.setInt(OvercommitKeys.MEMORY_MAX, 16_384);
    overcommit();
    assertEquals(16_384, NodeManagerHardwareUtils.getContainerMemoryMB(conf));

    conf.unset(YarnConfiguration.NM_VCORES);
    conf.setInt(YarnConfiguration.NM_PMEM_MB, 8_192);
    overcommit();
    assertEquals(8_192, NodeManagerHardwareUtils.getContainerMemoryMB(conf), "no more than asked");
  }

  @Test
  void shouldNotAdaptMemoryThatIsSetPastTheBounds() {
    conf.set("yarn.nodemanager.resource-type.memory-mb", "4096");
    assertTrue(overcommit().plan().isPresent(), "static");
    conf.unset(YarnConfiguration.NM_VCORES);
    conf.set(OvercommitKeys.MODE, "adaptive");
    String refusal = overcommit().refusal().orElseThrow();
    assertTrue(refusal.contains("yarn.nodemanager.resource-type.memory-mb=4096"), refusal);
  }

  @ParameterizedTest
  @CsvSource({
    "vdfs.yarn.overcommit.factor, 0",
    "vdfs.yarn.overcommit.factor, 0.5",
    "vdfs.yarn.overcommit.factor, 65",
    "vdfs.yarn.overcommit.factor, NaN",
    "vdfs.yarn.overcommit.factor, many",
    "vdfs.yarn.overcommit.mode, dynamic",
    "vdfs.yarn.overcommit.factor.mx, 2",
    "vdfs.yarn.overcommit.factor.min, 5",
    "vdfs.yarn.overcommit.settling.time, 1s",
    "vdfs.yarn.overcommit.settling.time, soon",
    "vdfs.yarn.overcommit.memory-mb.max, 1g",
    "vdfs.yarn.overcommit.memory-mb.max, 0",
    "vdfs.yarn.overcommit.memory-mb.max, 1023",
    "vdfs.yarn.overcommit.datanode, localhost",
    "vdfs.yarn.overcommit.datanode, localhost:0",
    "yarn.nodemanager.resource.cpu-vcores, 4",
    "yarn.nodemanager.resource-type.vcores, 4",
    "yarn.nodemanager.resource.pcores-vcores-multiplier, 2"
  })
  void shouldLeaveTheNodeAloneAndNameTheSettingThatIsRefused(String key, String value) {
    conf.set(OvercommitKeys.FACTOR_MAX, "4");
    conf.set(key, value);
    Configuration before = new Configuration(conf);

    String refusal = overcommit().refusal().orElseThrow();

    assertTrue(refusal.contains(key + "="), refusal);
    assertTrue(refusal.contains(value.replaceAll("\\.0$", "")), refusal);
    assertEquals(before.getValByRegex(".*"), conf.getValByRegex(".*"));
  }

  @Test
  void shouldNotAdaptWhereNodesHaveResourcesBesideMemoryAndVcores() {
    Configuration types = new Configuration(false);
    types.set(YarnConfiguration.RESOURCE_TYPES, "yarn.io/gpu");
    ResourceUtils.resetResourceTypes(types);
    try {
      assertTrue(overcommit().plan().isPresent(), "static");
      conf.unset(YarnConfiguration.NM_VCORES);
      conf.set(OvercommitKeys.MODE, "adaptive");
      String refusal = overcommit().refusal().orElseThrow();
      assertTrue(refusal.contains(OvercommitKeys.MODE + "=adaptive"), refusal);
      assertTrue(refusal.contains("yarn.io/gpu"), refusal);
    } finally {
      ResourceUtils.resetResourceTypes(new YarnConfiguration());
    }
  }

  @Test
  void shouldNotGoBelowTheLeastContainerThatTheSchedulerTakes() throws RefusedException {
    conf.setInt(OvercommitKeys.MEMORY_MIN, 0);
    assertEquals(1_024, OvercommitSettings.of(conf).memoryLeast().getAsLong());
    conf.setInt(YarnConfiguration.RM_SCHEDULER_MINIMUM_ALLOCATION_MB, 256);
    assertEquals(256, OvercommitSettings.of(conf).memoryLeast().getAsLong());
    conf.setInt(OvercommitKeys.MEMORY_MIN, 300);
    assertEquals(300, OvercommitSettings.of(conf).memoryLeast().getAsLong());
  }
}
