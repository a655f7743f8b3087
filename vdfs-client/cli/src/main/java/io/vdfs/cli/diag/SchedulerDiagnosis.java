package io.vdfs.cli.diag;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Whether the ResourceManager's scheduler makes use of vcores. Stateless. */
final class SchedulerDiagnosis {
  private static final String CALCULATOR = "yarn.scheduler.capacity.resource-calculator";
  private static final String DOMINANT =
      "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator";
  private static final String CALCULATOR_CURE =
      "set " + CALCULATOR + "=" + DOMINANT + " in its capacity-scheduler.xml";
  private static final int JOBS = 2;

  private SchedulerDiagnosis() {}

  /**
   * @param info {@code schedulerInfo} of the ResourceManager
   * @param vcores of all nodes
   * @param memory of all nodes, in MiB
   * @param configured calculator by the files at hand, if they name one
   * @param master MiB of an ApplicationMaster
   */
  static List<Finding> of(
      JsonNode info, int vcores, long memory, Optional<String> configured, long master) {
    List<Finding> findings = new ArrayList<>();
    String type = info.path("type").asText("");
    switch (type) {
      case "capacityScheduler" -> {
        List<JsonNode> leaves = new ArrayList<>();
        addLeaves(info, leaves);
        findings.add(calculator(leaves, vcores, configured));
        leaves.forEach(queue -> addQueue(queue, memory, master, findings));
      }
      case "fairScheduler" -> {
        findings.add(Finding.ok("calculator", "the FairScheduler counts vcores and memory"));
        JsonNode root = info.path("rootQueue");
        String policy = root.path("schedulingPolicy").asText("");
        if (!policy.isEmpty() && !policy.equalsIgnoreCase("drf")) {
          findings.add(
              Finding.warning(
                  "queue root",
                  "schedulingPolicy=" + policy + " shares by memory only",
                  "set defaultQueueSchedulingPolicy=drf in fair-scheduler.xml"));
        }
      }
      default ->
          findings.add(
              Finding.error(
                  "calculator",
                  "scheduler " + type + " counts memory only, so that vcores have no effect",
                  ("set yarn.resourcemanager.scheduler.class to the CapacityScheduler with %s, or to"
                          + " the FairScheduler")
                      .formatted(DOMINANT)));
    }
    return findings;
  }

  private static void addLeaves(JsonNode queue, List<JsonNode> leaves) {
    JsonNode below = queue.path("queues").path("queue");
    if (below.isEmpty()) {
      leaves.add(queue);
    }
    below.forEach(child -> addLeaves(child, leaves));
  }

  /**
   * A calculator that counts memory only gives ApplicationMasters one vcore, whatever their share
   * of the vcores is. This shows the calculator where the share is clearly more; otherwise the
   * files decide.
   */
  private static Finding calculator(
      List<JsonNode> leaves, int vcores, Optional<String> configured) {
    for (JsonNode queue : leaves) {
      double share =
          queue.path("configuredMaxAMResourceLimit").asDouble()
              * queue.path("absoluteCapacity").asDouble()
              / 100
              * vcores;
      int limit = queue.path("AMResourceLimit").path("vCores").asInt();
      if (share > 2 && limit > 1) {
        return Finding.ok("calculator", "the ResourceManager counts vcores and memory");
      }
      if (share > 2 && limit == 1) {
        return Finding.error(
            "calculator",
            "the ResourceManager counts memory only, so that vcores have no effect",
            CALCULATOR_CURE);
      }
    }
    if (configured.isEmpty()) {
      return Finding.warning(
          "calculator",
          "not known: too few vcores to tell, and no " + CALCULATOR + " in the files here",
          "look into the ResourceManager's capacity-scheduler.xml, and " + CALCULATOR_CURE);
    }
    return configured.get().equals(DOMINANT)
        ? Finding.ok("calculator", CALCULATOR + "=" + DOMINANT + " in the files here")
        : Finding.error(
            "calculator",
            "%s=%s counts memory only, so that vcores have no effect"
                .formatted(CALCULATOR, configured.get()),
            CALCULATOR_CURE);
  }

  private static void addQueue(JsonNode queue, long memory, long master, List<Finding> findings) {
    String name = "queue " + queue.path("queuePath").asText(queue.path("queueName").asText());
    if (queue.path("orderingPolicyInfo").asText().equals("fifo")) {
      findings.add(
          Finding.warning(
              name,
              "ordering-policy=fifo serves the first job first, others wait for what it leaves",
              "set ordering-policy=fair of the queue in capacity-scheduler.xml"));
    }
    double share = queue.path("configuredMaxAMResourceLimit").asDouble();
    double own = share * memory * queue.path("absoluteCapacity").asDouble() / 100;
    // queues that may grow beyond their own have more for masters, too
    double limit = Math.max(own, queue.path("AMResourceLimit").path("memory").asDouble());
    long masters = (long) (limit / Math.max(1, master));
    if (masters < JOBS) {
      findings.add(
          Finding.warning(
              name,
              ("maximum-am-resource-percent=%s has room for %s ApplicationMasters of %s MiB, so"
                      + " that jobs run one after the other")
                  .formatted(share, masters, master),
              "raise yarn.scheduler.capacity.maximum-am-resource-percent"));
    }
  }
}
