package io.vdfs.yarn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.junit.jupiter.api.Test;

class SettingsCheckTest {
  private static final String CALCULATOR = "yarn.scheduler.capacity.resource-calculator";

  private final Configuration conf = new Configuration(false);

  SettingsCheckTest() {
    conf.set(CALCULATOR, "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator");
    conf.set("yarn.scheduler.capacity.maximum-am-resource-percent", "0.5");
    conf.setBoolean(YarnConfiguration.NM_VMEM_CHECK_ENABLED, false);
    conf.setInt(YarnConfiguration.NM_PMEM_MB, 16_384);
    conf.setInt(YarnConfiguration.RM_SCHEDULER_MINIMUM_ALLOCATION_MB, 512);
  }

  private long machine = 32_768;

  private List<String> findings() throws RefusedException {
    OvercommitSettings settings = OvercommitSettings.of(conf);
    conf.setInt(YarnConfiguration.NM_VCORES, 8);
    long memory = conf.getInt(YarnConfiguration.NM_PMEM_MB, 0);
    return SettingsCheck.findings(
        conf,
        new Overcommit.Plan(settings, new NodeProcessors(2), memory, Optional.empty()),
        machine);
  }

  private List<String> schedulerFindings() {
    return SettingsCheck.schedulerFindings(conf, 16_384);
  }

  private void schedulerShouldHave(String key) {
    List<String> findings = schedulerFindings();
    assertEquals(1, findings.size(), findings.toString());
    assertTrue(findings.get(0).contains(key), findings.get(0));
  }

  private void shouldFind(String key) throws RefusedException {
    List<String> findings = findings();
    assertEquals(1, findings.size(), findings.toString());
    assertTrue(findings.get(0).contains(key), findings.get(0));
  }

  @Test
  void shouldFindNothingInSoundSettings() throws RefusedException {
    assertEquals(List.of(), findings());
    conf.set(OvercommitKeys.MODE, "adaptive");
    assertEquals(List.of(), findings());
  }

  @Test
  void shouldFindCalculatorsThatCountMemoryOnly() throws RefusedException {
    assertEquals(List.of(), schedulerFindings());
    conf.set(CALCULATOR, "org.apache.hadoop.yarn.util.resource.DefaultResourceCalculator");
    schedulerShouldHave(CALCULATOR);
    assertEquals(List.of(), findings(), "the ResourceManager has files of its own");
    conf.set(YarnConfiguration.RM_SCHEDULER, "x.fifo.FifoScheduler");
    schedulerShouldHave(YarnConfiguration.RM_SCHEDULER);
    conf.set(YarnConfiguration.RM_SCHEDULER, "x.fair.FairScheduler");
    assertEquals(List.of(), schedulerFindings());
  }

  @Test
  void shouldSayNothingOfASchedulerWhoseFilesAreNotHere() {
    conf.unset(CALCULATOR);
    assertEquals(List.of(), schedulerFindings());
  }

  @Test
  void shouldFindTooLittleMemoryForTheVcores() throws RefusedException {
    conf.setInt(YarnConfiguration.NM_PMEM_MB, 3_584);
    conf.set("yarn.scheduler.capacity.maximum-am-resource-percent", "0.9");
    shouldFind(YarnConfiguration.NM_PMEM_MB + "=3584 has room for 7");
  }

  @Test
  void shouldFindTooLittleRoomForApplicationMasters() {
    conf.set("yarn.scheduler.capacity.maximum-am-resource-percent", "0.05");
    schedulerShouldHave("yarn.scheduler.capacity.maximum-am-resource-percent=0.05");
  }

  @Test
  void shouldFindChecksOfAddresses() throws RefusedException {
    conf.unset(YarnConfiguration.NM_VMEM_CHECK_ENABLED);
    shouldFind(YarnConfiguration.NM_VMEM_CHECK_ENABLED);
  }

  @Test
  void shouldFindWhatKeepsANodeFromAdapting() throws RefusedException {
    conf.setBoolean(YarnConfiguration.NM_LINUX_CONTAINER_CGROUPS_STRICT_RESOURCE_USAGE, true);
    assertEquals(List.of(), findings());
    conf.set(OvercommitKeys.MODE, "adaptive");
    shouldFind(YarnConfiguration.NM_LINUX_CONTAINER_CGROUPS_STRICT_RESOURCE_USAGE);
    conf.setBoolean(YarnConfiguration.NM_LINUX_CONTAINER_CGROUPS_STRICT_RESOURCE_USAGE, false);
    conf.setBoolean(YarnConfiguration.NM_CONTAINER_MONITOR_ENABLED, false);
    shouldFind(YarnConfiguration.NM_CONTAINER_MONITOR_ENABLED);
  }

  @Test
  void shouldFindMoreMemoryThanTheMachineHas() throws RefusedException {
    machine = 16_384 + 511;
    assertEquals(List.of(), findings());
    conf.set(OvercommitKeys.MODE, "adaptive");
    shouldFind(YarnConfiguration.NM_PMEM_MB + "=16384 is more than the 16383 MiB");
    machine++;
    assertEquals(List.of(), findings());
  }

  @Test
  void shouldTellWhichSettingItCouldNotRead() {
    conf.set("yarn.scheduler.capacity.maximum-am-resource-percent", "lots");
    schedulerShouldHave("lots");
  }
}
