package io.vdfs.cli.diag;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;

/** Whether a NodeManager overcommits, and whether that can work. */
final class NodeDiagnosis {
  private static final String LISTENERS =
      "yarn.nodemanager.container-state-transition-listener.classes";
  private static final String LISTENER = "io.vdfs.yarn.OvercommitListener";
  private static final String SERVICES = "yarn.nodemanager.aux-services";

  private final Pages pages;
  private final String scheme;
  private final String version;

  /**
   * @param version of VDFS here
   */
  NodeDiagnosis(Pages pages, String scheme, String version) {
    this.pages = pages;
    this.scheme = scheme;
    this.version = version;
  }

  /**
   * @param node as the ResourceManager lists it
   * @param leastMemory MiB of the smallest container
   */
  List<Finding> of(JsonNode node, long leastMemory) {
    String subject = "node " + node.path("id").asText();
    List<Finding> findings = new ArrayList<>();
    try {
      String address = scheme + "://" + node.path("nodeHTTPAddress").asText();
      JsonNode settings = pages.get(URI.create(address + "/conf")).path("properties");
      addShuffle(subject, setting(settings, SERVICES), findings);
      JsonNode runtime = bean(address, "java.lang:type=Runtime");
      addClassPath(subject, runtime.path("ClassPath").asText(), findings);
      JsonNode plugIn = bean(address, "io.vdfs:type=Overcommit,*");
      if (plugIn.isMissingNode()) {
        findings.add(inactive(subject, setting(settings, LISTENERS)));
      } else {
        addPlugIn(subject, plugIn, node, findings);
      }
      addMemory(subject, machineMemory(address, plugIn), node, leastMemory, findings);
    } catch (IOException | IllegalArgumentException e) {
      findings.add(
          Finding.warning(
              subject,
              "its page does not tell: " + e.getMessage(),
              "see that the NodeManager runs and that this machine reaches its web port"));
    }
    return findings;
  }

  private JsonNode bean(String address, String name) throws IOException {
    return pages.get(URI.create(address + "/jmx?qry=" + name)).path("beans").path(0);
  }

  private static String setting(JsonNode settings, String key) {
    for (JsonNode property : settings) {
      if (property.path("key").asText().equals(key)) {
        return property.path("value").asText();
      }
    }
    return "";
  }

  private static void addShuffle(String subject, String services, List<Finding> findings) {
    if (!services.contains("mapreduce_shuffle")) {
      findings.add(
          Finding.error(
              subject,
              "no shuffle: " + SERVICES + "=" + services + ", jobs with reduce tasks fail",
              "add mapreduce_shuffle to " + SERVICES));
    }
  }

  private static void addClassPath(String subject, String classPath, List<Finding> findings) {
    if (!classPath.contains("vdfs-hadoop-") && !classPath.contains("vdfs-client")) {
      findings.add(
          Finding.warning(
              subject,
              "no vdfs-hadoop-*.jar in the class path of the NodeManager: it cannot fetch jobs'"
                  + " files from vdfs:// or keep their logs there",
              "put the jar into share/hadoop/common/lib and restart the NodeManager"));
    }
  }

  private static Finding inactive(String subject, String listeners) {
    return listeners.contains(LISTENER)
        ? Finding.error(
            subject,
            LISTENERS + " names the plug-in, which does not show itself",
            "see the log of the NodeManager for " + LISTENER)
        : Finding.warning(
            subject,
            "no plug-in: vcores are what is configured",
            "set " + LISTENERS + "=" + LISTENER + ", with vdfs-yarn-*.jar in the class path");
  }

  private void addPlugIn(String subject, JsonNode plugIn, JsonNode node, List<Finding> findings) {
    String mode = plugIn.path("Mode").asText();
    if (mode.equals("off")) {
      findings.add(Finding.error(subject, "the plug-in is off", plugIn.path("Refusal").asText()));
      return;
    }
    int vcores = node.path("totalResource").path("vCores").asInt();
    findings.add(
        Finding.ok(
            subject,
            "%s vcores advertised for %s processors, %s, %s changes, %s failures"
                .formatted(
                    vcores,
                    plugIn.path("Processors").asText(),
                    mode,
                    plugIn.path("Changes").asLong(),
                    plugIn.path("Failures").asLong())));
    if (vcores != plugIn.path("Vcores").asInt()) {
      findings.add(
          Finding.warning(
              subject,
              "the ResourceManager counts " + vcores + " vcores, the node " + plugIn.path("Vcores"),
              "look again in a few seconds; if it stays, take the node out of"
                  + " dynamic-resources.xml"));
    }
    plugIn.path("Findings").forEach(found -> findings.add(split(subject, found.asText())));
    if (plugIn.path("Failing").asBoolean()) {
      findings.add(
          Finding.warning(
              subject,
              "the plug-in fails: " + plugIn.path("LastFailure").asText(),
              "see the log of the NodeManager"));
    }
    String running = plugIn.path("Version").asText();
    if (!running.equals(version)) {
      findings.add(
          Finding.warning(
              subject,
              "the plug-in is of release " + running + ", this command of " + version,
              "install one release of vdfs-yarn-*.jar everywhere"));
    }
  }

  private static Finding split(String subject, String found) {
    int cure = found.lastIndexOf("; ");
    return cure < 0
        ? Finding.warning(subject, found, "")
        : Finding.warning(subject, found.substring(0, cure), found.substring(cure + 2));
  }

  /** MiB; without the plug-in, what the NodeManager's control group has, if there is one. */
  private long machineMemory(String address, JsonNode plugIn) throws IOException {
    long known = plugIn.path("MachineMemory").asLong();
    return known > 0
        ? known
        : bean(address, "java.lang:type=OperatingSystem").path("TotalMemorySize").asLong() >> 20;
  }

  private static void addMemory(
      String subject, long machine, JsonNode node, long leastMemory, List<Finding> findings) {
    long memory = node.path("totalResource").path("memory").asLong();
    int vcores = node.path("totalResource").path("vCores").asInt();
    if (machine > 0 && memory > machine) {
      findings.add(
          Finding.error(
              subject,
              memory + " MiB advertised where the machine has " + machine,
              "lower yarn.nodemanager.resource.memory-mb"));
    }
    if (memory / Math.max(1, leastMemory) < vcores) {
      findings.add(
          Finding.warning(
              subject,
              "%s MiB have room for fewer containers of %s MiB than there are vcores: %s"
                  .formatted(memory, leastMemory, vcores),
              "raise yarn.nodemanager.resource.memory-mb or lower"
                  + " yarn.scheduler.minimum-allocation-mb"));
    }
  }
}
