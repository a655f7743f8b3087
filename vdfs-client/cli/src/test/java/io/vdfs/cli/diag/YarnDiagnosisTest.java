package io.vdfs.cli.diag;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.vdfs.cli.diag.Finding.Level;
import java.io.IOException;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

class YarnDiagnosisTest {
  private static final String MASTER = "http://rm:8088";
  private static final String NODE = "http://n1:8042";
  private static final String DOMINANT =
      "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator";

  private final Map<String, String> settings = new HashMap<>();
  private final Map<String, String> nodeSettings = new HashMap<>();
  private final Map<String, String> pages = new HashMap<>();

  YarnDiagnosisTest() {
    settings.put("yarn.resourcemanager.hostname", "rm");
    pages.put(
        MASTER + "/ws/v1/cluster/info",
        "{'clusterInfo': {'haState': 'ACTIVE', 'hadoopVersion': '3.4.3'}}");
    nodes(12, 32_768);
    scheduler(4, "fair", 0.5);
    setting("yarn.nodemanager.aux-services", "mapreduce_shuffle");
    bean("java.lang:type=Runtime", "{'ClassPath': '/lib/vdfs-hadoop-1.0.jar'}");
    bean("java.lang:type=OperatingSystem", "{'TotalMemorySize': 68719476736}");
    plugIn("'Mode': 'static', 'Vcores': 12");
  }

  private void nodes(int vcores, long memory, String... others) {
    pages.put(
        MASTER + "/ws/v1/cluster/nodes",
        "{'nodes': {'node': [{'id': 'n1:45454', 'nodeHostName': 'n1', 'state': 'RUNNING',"
            + " 'version': '3.4.3', 'nodeHTTPAddress': 'n1:8042', 'totalResource': {'vCores': "
            + vcores
            + ", 'memory': "
            + memory
            + "}}"
            + String.join("", others)
            + "]}}");
  }

  private static String idle(String host, String state) {
    return ", {'id': '%s:33333', 'nodeHostName': '%s', 'state': '%s'}".formatted(host, host, state);
  }

  private void scheduler(int masterVcores, String ordering, double masters) {
    pages.put(
        MASTER + "/ws/v1/cluster/scheduler",
        "{'scheduler': {'schedulerInfo': {'type': 'capacityScheduler', 'queues': {'queue': ["
            + "{'queuePath': 'root.a', 'absoluteCapacity': 100, 'orderingPolicyInfo': '"
            + ordering
            + "', 'configuredMaxAMResourceLimit': "
            + masters
            + ", 'AMResourceLimit': {'vCores': "
            + masterVcores
            + "}}]}}}}");
  }

  private void setting(String key, String value) {
    nodeSettings.put(key, value);
    pages.put(
        NODE + "/conf",
        nodeSettings.entrySet().stream()
            .map(entry -> "{'key': '" + entry.getKey() + "', 'value': '" + entry.getValue() + "'}")
            .collect(Collectors.joining(", ", "{'properties': [", "]}")));
  }

  private void bean(String name, String attributes) {
    pages.put(NODE + "/jmx?qry=" + name, "{'beans': [" + attributes + "]}");
  }

  private void plugIn(String attributes) {
    bean(
        "io.vdfs:type=Overcommit,*",
        "{'Processors': 6.0, 'Changes': 0, 'Version': '1.0', 'Findings': [], " + attributes + "}");
  }

  private JsonNode page(URI address) throws IOException {
    String text = pages.get(address.toString());
    if (text == null) {
      throw new IOException("no page " + address);
    }
    return new ObjectMapper().readTree(text.replace('\'', '"'));
  }

  private List<Finding> findings() {
    return new YarnDiagnosis(key -> Optional.ofNullable(settings.get(key)), this::page, "1.0")
        .findings();
  }

  private void shouldFind(Level level, String text) {
    List<Finding> amiss =
        findings().stream().filter(finding -> finding.level() != Level.OK).toList();
    assertEquals(1, amiss.size(), amiss.toString());
    assertEquals(level, amiss.get(0).level(), amiss.toString());
    assertTrue(amiss.get(0).text().contains(text), amiss.toString());
    assertFalse(amiss.get(0).cure().isEmpty());
  }

  @Test
  void shouldFindNothingAmissAndTellVcoresBesideProcessors() {
    List<Finding> findings = findings();
    assertTrue(
        findings.stream().allMatch(finding -> finding.level() == Level.OK), findings.toString());
    assertTrue(findings.toString().contains("12 vcores advertised for 6.0 processors, static"));
  }

  @Test
  void shouldSayWhereNoResourceManagerIsActive() {
    pages.clear();
    shouldFind(Level.ERROR, "http://rm:8088");
  }

  @Test
  void shouldAskTheActiveOneOfSeveral() {
    settings.put("yarn.resourcemanager.ha.rm-ids", "a, b");
    settings.put("yarn.resourcemanager.webapp.address.a", "other:1");
    settings.put("yarn.resourcemanager.hostname.b", "rm");
    pages.put("http://other:1/ws/v1/cluster/info", "{'clusterInfo': {'haState': 'STANDBY'}}");
    assertTrue(findings().get(0).text().startsWith(MASTER));
  }

  @Test
  void shouldSeeByTheShareOfMastersThatOnlyMemoryCounts() {
    settings.put("yarn.scheduler.capacity.resource-calculator", DOMINANT);
    scheduler(1, "fair", 0.5);
    shouldFind(Level.ERROR, "counts memory only");
  }

  @Test
  void shouldReadTheCalculatorFromTheFilesWhereVcoresAreFew() {
    nodes(2, 32_768);
    plugIn("'Mode': 'static', 'Vcores': 2");
    scheduler(1, "fair", 0.5);
    shouldFind(Level.WARNING, "not known");
    settings.put("yarn.scheduler.capacity.resource-calculator", "x.DefaultResourceCalculator");
    shouldFind(Level.ERROR, "x.DefaultResourceCalculator");
    settings.put("yarn.scheduler.capacity.resource-calculator", DOMINANT);
    assertTrue(findings().stream().allMatch(finding -> finding.level() == Level.OK));
  }

  @Test
  void shouldFindQueuesThatDoNotShareAndHaveNoRoomForMasters() {
    settings.put("yarn.scheduler.capacity.resource-calculator", DOMINANT);
    scheduler(4, "fifo", 0.5);
    shouldFind(Level.WARNING, "ordering-policy=fifo");
    scheduler(4, "fair", 0.05);
    shouldFind(Level.WARNING, "room for 1 ApplicationMasters");
  }

  @Test
  void shouldTakeTheRoomForMastersThatAQueueHasByGrowing() {
    settings.put("yarn.scheduler.capacity.resource-calculator", DOMINANT);
    scheduler(4, "fair", 0.05);
    pages.computeIfPresent(
        MASTER + "/ws/v1/cluster/scheduler",
        (address, page) -> page.replace("'vCores': 4", "'vCores': 4, 'memory': 16384"));
    assertTrue(findings().stream().allMatch(finding -> finding.level() == Level.OK));
  }

  @Test
  void shouldFindNodesWithoutThePlugInOrWithAWrongSetting() {
    bean("io.vdfs:type=Overcommit,*", "");
    shouldFind(Level.WARNING, "no plug-in");
    setting(
        "yarn.nodemanager.container-state-transition-listener.classes",
        "io.vdfs.yarn.OvercommitListener");
    shouldFind(Level.ERROR, "does not show itself");
    plugIn("'Mode': 'off', 'Refusal': 'cpu-vcores=4; remove it'");
    shouldFind(Level.ERROR, "off");
  }

  @Test
  void shouldPassOnWhatThePlugInFound() {
    plugIn("'Mode': 'static', 'Vcores': 12, 'Findings': ['a=1 is bad; set it to 2']");
    shouldFind(Level.WARNING, "a=1 is bad");
    plugIn("'Mode': 'adaptive', 'Vcores': 12, 'Failing': true, 'LastFailure': 'denied'");
    shouldFind(Level.WARNING, "denied");
    plugIn(
        "'Mode': 'adaptive', 'Vcores': 12, 'Failures': 3, 'Failing': false, 'LastFailure': 'gone'");
    assertTrue(findings().stream().allMatch(finding -> finding.level() == Level.OK), "it is over");
    plugIn("'Mode': 'adaptive', 'Vcores': 9");
    shouldFind(Level.WARNING, "counts 12 vcores, the node 9");
  }

  @Test
  void shouldFindMemoryThatIsNotThereOrTooLittle() {
    plugIn("'Mode': 'static', 'Vcores': 12, 'MachineMemory': 16384");
    shouldFind(Level.ERROR, "the machine has 16384");
    bean("java.lang:type=OperatingSystem", "{'TotalMemorySize': 4294967296}");
    plugIn("'Mode': 'static', 'Vcores': 12, 'MachineMemory': 65536");
    assertTrue(
        findings().stream().allMatch(finding -> finding.level() == Level.OK),
        "the NodeManager alone is in a small control group");
    plugIn("'Mode': 'static', 'Vcores': 12");
    bean("java.lang:type=OperatingSystem", "{'TotalMemorySize': 17179869184}");
    shouldFind(Level.ERROR, "the machine has 16384");
    nodes(12, 8_192);
    scheduler(4, "fair", 0.9);
    shouldFind(Level.WARNING, "fewer containers of 1024 MiB");
    settings.put("yarn.scheduler.minimum-allocation-mb", "512");
    assertTrue(findings().stream().allMatch(finding -> finding.level() == Level.OK));
  }

  @Test
  void shouldFindMissingShuffleAndJars() {
    setting("yarn.nodemanager.aux-services", "");
    shouldFind(Level.ERROR, "no shuffle");
    setting("yarn.nodemanager.aux-services", "mapreduce_shuffle");
    bean("java.lang:type=Runtime", "{'ClassPath': '/lib/hadoop.jar'}");
    shouldFind(Level.WARNING, "vdfs-hadoop");
  }

  @Test
  void shouldFindNodesThatAreGoneButNotThoseThatStartedAgainOrWereTakenOut() {
    nodes(
        12,
        32_768,
        idle("n1", "SHUTDOWN"),
        idle("n1", "LOST"),
        idle("n2", "DECOMMISSIONED"),
        idle("n3", "DECOMMISSIONING"));
    List<Finding> findings = findings();
    assertTrue(
        findings.stream().allMatch(finding -> finding.level() == Level.OK), findings.toString());
    assertTrue(findings.toString().contains("is DECOMMISSIONED"), findings.toString());
    nodes(12, 32_768, idle("n2", "LOST"));
    shouldFind(Level.WARNING, "is LOST");
    nodes(12, 32_768, idle("n1", "UNHEALTHY"));
    shouldFind(Level.WARNING, "is UNHEALTHY");
  }

  @Test
  void shouldFindNodesThatDoNotTell() {
    pages.keySet().removeIf(address -> address.startsWith(NODE));
    shouldFind(Level.WARNING, "no page");
  }
}
