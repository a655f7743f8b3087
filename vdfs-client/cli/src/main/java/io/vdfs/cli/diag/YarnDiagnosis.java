package io.vdfs.cli.diag;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;

/** Looks at a YARN through the pages of its daemons. */
final class YarnDiagnosis {
  private static final String PREFIX = "yarn.resourcemanager.";
  private static final long DEFAULT_LEAST_MEMORY = 1_024;
  private static final long DEFAULT_MASTER = 1_536;

  private final Function<String, Optional<String>> settings;
  private final Pages pages;
  private final boolean secure;
  private final String version;

  /**
   * @param settings gives what the configuration files say for a key
   * @param version of VDFS here
   */
  YarnDiagnosis(Function<String, Optional<String>> settings, Pages pages, String version) {
    this.settings = settings;
    this.pages = pages;
    this.secure = settings.apply("yarn.http.policy").filter("HTTPS_ONLY"::equals).isPresent();
    this.version = version;
  }

  /** Everything that was checked, in the order of the checks. */
  List<Finding> findings() {
    List<Finding> findings = new ArrayList<>();
    Optional<String> master = activeMaster(findings);
    if (master.isPresent()) {
      try {
        look(master.get(), findings);
      } catch (IOException e) {
        findings.add(
            Finding.error(
                "ResourceManager", "does not tell: " + e.getMessage(), "see the log of it"));
      }
    }
    return findings;
  }

  private Optional<String> activeMaster(List<Finding> findings) {
    List<String> silent = new ArrayList<>();
    for (String address : masters()) {
      try {
        JsonNode info = pages.get(URI.create(address + "/ws/v1/cluster/info")).path("clusterInfo");
        if (info.path("haState").asText("ACTIVE").equals("ACTIVE")) {
          findings.add(
              Finding.ok(
                  "ResourceManager",
                  address + ", Hadoop " + info.path("hadoopVersion").asText("unknown")));
          return Optional.of(address);
        }
        silent.add(address + " is " + info.path("haState").asText());
      } catch (IOException | IllegalArgumentException e) {
        silent.add(e.getMessage() == null ? address + ": " + e : address + ": " + e.getMessage());
      }
    }
    findings.add(
        Finding.error(
            "ResourceManager",
            "none is active: " + String.join("; ", silent),
            "start it, or correct yarn.resourcemanager.webapp.address or .hostname in"
                + " yarn-site.xml"));
    return Optional.empty();
  }

  private List<String> masters() {
    List<String> addresses = new ArrayList<>();
    String ids = settings.apply(PREFIX + "ha.rm-ids").orElse("");
    for (String id : ids.split(",", -1)) {
      String suffix = id.isBlank() ? "" : "." + id.trim();
      String name = secure ? "webapp.https.address" : "webapp.address";
      addresses.add(
          scheme()
              + "://"
              + settings
                  .apply(PREFIX + name + suffix)
                  .orElseGet(
                      () ->
                          settings.apply(PREFIX + "hostname" + suffix).orElse("localhost")
                              + (secure ? ":8090" : ":8088")));
    }
    return addresses;
  }

  private String scheme() {
    return secure ? "https" : "http";
  }

  private void look(String master, List<Finding> findings) throws IOException {
    JsonNode nodes =
        pages.get(URI.create(master + "/ws/v1/cluster/nodes")).path("nodes").path("node");
    List<JsonNode> running = new ArrayList<>();
    Collection<String> hosts = new TreeSet<>();
    Collection<String> releases = new TreeSet<>();
    int vcores = 0;
    long memory = 0;
    for (JsonNode node : nodes) {
      if (isRunning(node)) {
        running.add(node);
        hosts.add(node.path("nodeHostName").asText());
        releases.add(node.path("version").asText());
        vcores += node.path("totalResource").path("vCores").asInt();
        memory += node.path("totalResource").path("memory").asLong();
      }
    }
    nodes.forEach(node -> addIdle(node, hosts, findings));
    addNodes(running, releases, findings);
    findings.addAll(
        SchedulerDiagnosis.of(
            pages
                .get(URI.create(master + "/ws/v1/cluster/scheduler"))
                .path("scheduler")
                .path("schedulerInfo"),
            vcores,
            memory,
            settings.apply("yarn.scheduler.capacity.resource-calculator"),
            number("yarn.app.mapreduce.am.resource.mb", DEFAULT_MASTER)));
    NodeDiagnosis diagnosis = new NodeDiagnosis(pages, scheme(), version);
    long least = number("yarn.scheduler.minimum-allocation-mb", DEFAULT_LEAST_MEMORY);
    running.forEach(node -> findings.addAll(diagnosis.of(node, least)));
  }

  private static boolean isRunning(JsonNode node) {
    return node.path("state").asText().equals("RUNNING");
  }

  /**
   * A NodeManager that starts again has another port, unless one is set, and the ResourceManager
   * goes on listing it by its old one.
   *
   * @param hosts of NodeManagers that run
   */
  private static void addIdle(JsonNode node, Collection<String> hosts, List<Finding> findings) {
    String subject = "node " + node.path("id").asText();
    String is = "is " + node.path("state").asText() + " " + node.path("healthReport").asText();
    switch (node.path("state").asText()) {
      case "RUNNING" -> {}
      case "DECOMMISSIONING", "DECOMMISSIONED" -> findings.add(Finding.ok(subject, is.trim()));
      case "SHUTDOWN", "LOST", "REBOOTED" -> {
        if (!hosts.contains(node.path("nodeHostName").asText())) {
          findings.add(Finding.warning(subject, is.trim(), "start its NodeManager, or exclude it"));
        }
      }
      default ->
          findings.add(Finding.warning(subject, is.trim(), "see the log of the NodeManager"));
    }
  }

  private static void addNodes(
      List<JsonNode> running, Collection<String> releases, List<Finding> findings) {
    if (running.isEmpty()) {
      findings.add(Finding.error("nodes", "no NodeManager runs", "start NodeManagers"));
    } else if (releases.size() > 1) {
      findings.add(
          Finding.warning(
              "nodes",
              "NodeManagers of different releases: " + String.join(", ", releases),
              "install one release of Hadoop"));
    }
  }

  private long number(String key, long fallback) {
    try {
      return settings.apply(key).map(Long::parseLong).orElse(fallback);
    } catch (NumberFormatException e) {
      return fallback;
    }
  }
}
