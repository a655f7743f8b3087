package io.vdfs.yarn;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.conf.YarnConfiguration;

/** Finds settings with which overcommit has no effect or a bad one. Stateless. */
final class SettingsCheck {
  private static final String CAPACITY = "CapacityScheduler";
  private static final String CALCULATOR = "yarn.scheduler.capacity.resource-calculator";
  private static final String DOMINANT =
      "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator";
  private static final String MASTERS = "yarn.scheduler.capacity.maximum-am-resource-percent";
  private static final String SCHEDULER_FILE = "capacity-scheduler.xml";
  private static final String MASTER_MEMORY = "yarn.app.mapreduce.am.resource.mb";
  private static final int DEFAULT_MASTER_MEMORY = 1536;
  private static final float DEFAULT_MASTERS = 0.1F;

  private SettingsCheck() {}

  /**
   * @param machine memory of the machine beside this process, in MiB
   * @return the findings, each with what to change; a setting that cannot be read is one, too
   */
  static List<String> findings(Configuration conf, Overcommit.Plan plan, long machine) {
    return collected(
        findings -> {
          checkMemory(conf, plan, findings);
          checkMonitors(conf, plan, findings);
          if (plan.settings().mode() == OvercommitMode.ADAPTIVE) {
            checkMachine(plan, machine, findings);
          }
        });
  }

  /**
   * Finds them in what the files of this node say of the scheduler. The ResourceManager has files
   * of its own, so that nothing follows from these where they differ, or from those that are
   * missing.
   *
   * @param memory of containers, in MiB
   * @return as {@link #findings}
   */
  static List<String> schedulerFindings(Configuration conf, long memory) {
    return collected(
        findings -> {
          Configuration all = new Configuration(conf);
          all.addResource(SCHEDULER_FILE);
          checkScheduler(all, memory, findings);
        });
  }

  private static List<String> collected(Consumer<List<String>> checks) {
    List<String> findings = new ArrayList<>();
    try {
      checks.accept(findings);
    } catch (RuntimeException e) {
      findings.add("the settings cannot be checked: " + e + "; correct the value that it names");
    }
    return findings;
  }

  private static void checkScheduler(Configuration all, long memory, List<String> findings) {
    String scheduler =
        all.get(YarnConfiguration.RM_SCHEDULER, YarnConfiguration.DEFAULT_RM_SCHEDULER);
    if (scheduler.endsWith("FifoScheduler")) {
      findings.add(
          ("%s=%s counts memory only, so that vcores have no effect; use the"
                  + " CapacityScheduler with %s, or the FairScheduler")
              .formatted(YarnConfiguration.RM_SCHEDULER, scheduler, DOMINANT));
    }
    boolean known = all.get(CALCULATOR) != null || all.getResource(SCHEDULER_FILE) != null;
    if (!scheduler.endsWith(CAPACITY) || !known) {
      return;
    }
    String calculator = all.get(CALCULATOR);
    if (!DOMINANT.equals(calculator)) {
      findings.add(
          ("%s=%s counts memory only, so that vcores have no effect; set it to %s in the"
                  + " ResourceManager's %s")
              .formatted(
                  CALCULATOR,
                  calculator == null ? "(not set)" : calculator,
                  DOMINANT,
                  SCHEDULER_FILE));
    }
    checkMasters(all, memory, findings);
  }

  private static void checkMasters(Configuration all, long memory, List<String> findings) {
    float share = all.getFloat(MASTERS, DEFAULT_MASTERS);
    int master = all.getInt(MASTER_MEMORY, DEFAULT_MASTER_MEMORY);
    if (share * memory < master) {
      findings.add(
          ("%s=%s of %s MiB has no room for one ApplicationMaster of %s MiB on each node, so"
                  + " that few jobs run side by side; raise it")
              .formatted(MASTERS, share, memory, master));
    }
  }

  private static void checkMemory(Configuration conf, Overcommit.Plan plan, List<String> findings) {
    long memory = plan.memory();
    int vcores = conf.getInt(YarnConfiguration.NM_VCORES, 1);
    long least = plan.settings().leastContainer();
    boolean grows = plan.settings().mode() == OvercommitMode.ADAPTIVE;
    if (memory / least < vcores && !grows) {
      findings.add(
          ("%s=%s has room for %s containers of %s=%s, fewer than %s vcores; raise the"
                  + " first, lower the second, or lower %s")
              .formatted(
                  YarnConfiguration.NM_PMEM_MB,
                  memory,
                  memory / least,
                  YarnConfiguration.RM_SCHEDULER_MINIMUM_ALLOCATION_MB,
                  least,
                  vcores,
                  OvercommitKeys.FACTOR));
    }
  }

  private static void checkMachine(Overcommit.Plan plan, long machine, List<String> findings) {
    OvercommitSettings settings = plan.settings();
    long room = Bounds.room(settings, machine);
    if (plan.memory() > room) {
      findings.add(
          ("%s=%s is more than the %s MiB that the machine, or the NodeManager's control group, has"
                  + " beside its heap and %s=%s, so that no more than these are advertised; lower"
                  + " the first, raise the group's limit, or set %s=static")
              .formatted(
                  YarnConfiguration.NM_PMEM_MB,
                  plan.memory(),
                  room,
                  OvercommitKeys.MEMORY_RESERVE,
                  settings.memoryReserve(),
                  OvercommitKeys.MODE));
    }
  }

  private static void checkMonitors(
      Configuration conf, Overcommit.Plan plan, List<String> findings) {
    if (conf.getBoolean(
        YarnConfiguration.NM_VMEM_CHECK_ENABLED, YarnConfiguration.DEFAULT_NM_VMEM_CHECK_ENABLED)) {
      findings.add(
          YarnConfiguration.NM_VMEM_CHECK_ENABLED
              + "=true kills containers for addresses that take no memory; set it to false");
    }
    if (plan.settings().mode() == OvercommitMode.STATIC) {
      return;
    }
    if (conf.getBoolean(
        YarnConfiguration.NM_LINUX_CONTAINER_CGROUPS_STRICT_RESOURCE_USAGE,
        YarnConfiguration.DEFAULT_NM_LINUX_CONTAINER_CGROUPS_STRICT_RESOURCE_USAGE)) {
      findings.add(
          YarnConfiguration.NM_LINUX_CONTAINER_CGROUPS_STRICT_RESOURCE_USAGE
              + "=true gives each vcore a part of the processors that is computed once at the"
              + " start; set it to false, so that containers share by weight");
    }
    if (!conf.getBoolean(
        YarnConfiguration.NM_CONTAINER_MONITOR_ENABLED,
        YarnConfiguration.DEFAULT_NM_CONTAINER_MONITOR_ENABLED)) {
      findings.add(
          YarnConfiguration.NM_CONTAINER_MONITOR_ENABLED
              + "=false leaves the memory of containers unknown, so that only vcores adapt; set it"
              + " to true");
    }
  }
}
