package io.vdfs.it.yarn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.vdfs.it.cluster.Await;
import io.vdfs.it.cluster.ClusterSpec;
import io.vdfs.it.cluster.JavaCommand;
import io.vdfs.it.cluster.LoggedProcess;
import io.vdfs.it.cluster.YarnDaemons;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ApplicationSubmissionContext;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;
import org.apache.hadoop.yarn.api.records.DecommissionType;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.NodeState;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceOption;
import org.apache.hadoop.yarn.client.ClientRMProxy;
import org.apache.hadoop.yarn.client.api.YarnClient;
import org.apache.hadoop.yarn.client.api.YarnClientApplication;
import org.apache.hadoop.yarn.server.api.ResourceManagerAdministrationProtocol;
import org.apache.hadoop.yarn.server.api.protocolrecords.RefreshNodesRequest;
import org.apache.hadoop.yarn.server.api.protocolrecords.UpdateNodeResourceRequest;
import org.apache.hadoop.yarn.server.nodemanager.util.NodeManagerHardwareUtils;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The plug-in in NodeManagers of their own, as the ResourceManager's REST shows it: one static, one
 * adaptive whose DataNode is down, one with a wrong setting. The tests run in order, as daemons
 * take long to start.
 */
@Timeout(300)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class OvercommitIT {
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Duration VISIBLE = Duration.ofSeconds(2);
  private static final int FACTOR = 3;
  private static final int MEMORY = 1_024;
  private static final int MOST_MEMORY = 2_560;
  private static final int TASK_MEMORY = 2_048;
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final List<String> HOSTS = ClusterSpec.small("overcommit", 3).hosts();
  private static final String STATIC = HOSTS.get(0);
  private static final String ADAPTIVE = HOSTS.get(1);
  private static final String WRONG = HOSTS.get(2);

  @TempDir private static Path directory;

  private static YarnDaemons yarn;
  private static int vcores;
  private static ApplicationId sleeper;

  @BeforeAll
  static void start() throws Exception {
    Map<String, String> settings = new HashMap<>();
    settings.put(
        "yarn.scheduler.capacity.resource-calculator",
        "org.apache.hadoop.yarn.util.resource.DominantResourceCalculator");
    settings.put(
        "yarn.nodemanager.container-state-transition-listener.classes",
        "io.vdfs.yarn.OvercommitListener");
    settings.put("yarn.nodemanager.resource.memory-mb", Integer.toString(MEMORY));
    settings.put("vdfs.yarn.overcommit.factor", Integer.toString(FACTOR));
    settings.put(
        "yarn.resourcemanager.nodes.exclude-path", Files.createFile(excluded()).toString());
    yarn = YarnDaemons.start(settings);
    vcores = FACTOR * (int) NodeManagerHardwareUtils.getContainersCPUs(yarn.configuration());
    yarn.addNode(STATIC, Map.of());
    yarn.addNode(
        ADAPTIVE,
        Map.of(
            "vdfs.yarn.overcommit.mode",
            "adaptive",
            "vdfs.yarn.overcommit.factor.min",
            Integer.toString(FACTOR),
            "vdfs.yarn.overcommit.factor.max",
            Integer.toString(FACTOR),
            "vdfs.yarn.overcommit.memory-mb.max",
            Integer.toString(MOST_MEMORY),
            "vdfs.yarn.overcommit.settling.time",
            "2s",
            // nothing listens at the first port
            "vdfs.yarn.overcommit.datanode",
            "localhost:1"));
    yarn.addNode(WRONG, Map.of("yarn.nodemanager.resource.cpu-vcores", "5"));
  }

  @AfterAll
  static void stop() throws Exception {
    if (yarn != null) {
      try {
        endSleeper();
      } finally {
        yarn.close();
      }
    }
  }

  private static JsonNode node(String host) throws IOException, InterruptedException {
    return node(host, NodeState.RUNNING);
  }

  private static JsonNode node(String host, NodeState state)
      throws IOException, InterruptedException {
    for (JsonNode node :
        JSON.readTree(yarn.get(yarn.masterPage("cluster/nodes"))).path("nodes").path("node")) {
      if (node.path("nodeHostName").asText().equals(host)
          && node.path("state").asText().equals(state.name())) {
        return node;
      }
    }
    return MissingNode.getInstance();
  }

  private static int advertised(String host, String what) throws IOException, InterruptedException {
    return advertised(node(host), what);
  }

  private static int advertised(JsonNode node, String what) {
    return node.path("totalResource").path(what).asInt();
  }

  private static Path excluded() {
    return directory.resolve("excluded");
  }

  /** The hosts that are to leave, as soon as their containers have ended. */
  private static void decommission(String hosts) throws Exception {
    Files.writeString(excluded(), hosts);
    admin().refreshNodes(RefreshNodesRequest.newInstance(DecommissionType.GRACEFUL, 600));
  }

  private static ResourceManagerAdministrationProtocol admin() throws IOException {
    return ClientRMProxy.createRMProxy(
        yarn.configuration(), ResourceManagerAdministrationProtocol.class);
  }

  private static void awaitAdvertised(String host, int wanted, int memory) throws Exception {
    Await.until(
        wanted + " vcores and " + memory + " MiB of " + host,
        LIMIT,
        () -> advertised(host, "vCores") == wanted && advertised(host, "memory") == memory);
  }

  private static JsonNode bean(String host) throws IOException, InterruptedException {
    return JSON.readTree(yarn.get(yarn.nodePage(host, "jmx?qry=io.vdfs:type=Overcommit,*")))
        .path("beans")
        .path(0);
  }

  /** As an operator does by hand. */
  private static void setByHand(String host, int wanted, int memory) throws Exception {
    admin()
        .updateNodeResource(
            UpdateNodeResourceRequest.newInstance(
                Map.of(
                    NodeId.fromString(node(host).path("id").asText()),
                    ResourceOption.newInstance(Resource.newInstance(memory, wanted), -1))));
  }

  /** An application of one container that sleeps. */
  private static void startSleeper(int memory, int cores) throws Exception {
    try (YarnClient client = YarnClient.createYarnClient()) {
      client.init(yarn.configuration());
      client.start();
      YarnClientApplication application = client.createApplication();
      ApplicationSubmissionContext context = application.getApplicationSubmissionContext();
      context.setApplicationName("sleeper");
      context.setResource(Resource.newInstance(memory, cores));
      context.setAMContainerSpec(
          ContainerLaunchContext.newInstance(
              Map.of(), Map.of(), List.of("sleep 600"), null, null, null));
      sleeper = client.submitApplication(context);
    }
  }

  /** A NodeManager that may be started again leaves its containers running when it ends. */
  private static void endSleeper() throws Exception {
    if (sleeper != null) {
      try (YarnClient client = YarnClient.createYarnClient()) {
        client.init(yarn.configuration());
        client.start();
        client.killApplication(sleeper);
      }
      Await.until("the container's end", LIMIT, () -> !sleeperRuns(ADAPTIVE));
    }
  }

  private static boolean sleeperRuns(String host) throws IOException, InterruptedException {
    JsonNode containers =
        JSON.readTree(yarn.get(yarn.nodePage(host, "ws/v1/node/containers")))
            .path("containers")
            .path("container");
    return containers.size() == 1
        && containers.path(0).path("state").asText().equals("RUNNING")
        && node(host).path("numContainers").asInt() == 1;
  }

  @Test
  @Order(1)
  void shouldAdvertiseProcessorsTimesTheFactor() throws Exception {
    awaitAdvertised(STATIC, vcores, MEMORY);
    Await.until("the bean", LIMIT, () -> bean(STATIC).path("Vcores").asInt() == vcores);
    assertEquals("static", bean(STATIC).path("Mode").asText());
    assertEquals(0, bean(STATIC).path("Findings").size(), bean(STATIC).toString());
    Await.until(
        "gauges",
        LIMIT,
        () ->
            yarn.get(
                    yarn.nodePage(STATIC, "jmx?qry=Hadoop:service=NodeManager,name=VdfsOvercommit"))
                .contains("\"Vcores\" : " + vcores));
  }

  @Test
  @Order(2)
  void shouldStartAsIfItWereNotThereWhereASettingIsRefused() throws Exception {
    awaitAdvertised(WRONG, 5, MEMORY);
    String log = yarn.log(WRONG);
    assertTrue(log.contains("yarn.nodemanager.resource.cpu-vcores=5"), log);
    Await.until("the bean", LIMIT, () -> bean(WRONG).path("Mode").asText().equals("off"));
    assertTrue(bean(WRONG).path("Refusal").asText().contains("cpu-vcores=5"));
  }

  @Test
  @Order(3)
  void shouldAdaptMemoryWithoutADataNode() throws Exception {
    Await.until("a change", LIMIT, () -> bean(ADAPTIVE).path("Changes").asInt() >= 1);
    Await.until(
        "the change in the ResourceManager",
        VISIBLE,
        () -> advertised(ADAPTIVE, "memory") == MOST_MEMORY);
    awaitAdvertised(ADAPTIVE, vcores, MOST_MEMORY);
    String log = yarn.log(ADAPTIVE);
    assertEquals(2, log.split("does not tell how its disks are", -1).length, log);
    assertTrue(log.contains("This node advertises " + vcores + " vcores and 2560 MiB"), log);
    Await.until(
        "the change in the node",
        LIMIT,
        () -> bean(ADAPTIVE).path("Memory").asInt() == MOST_MEMORY);
  }

  @Test
  @Order(4)
  void shouldChangeUnderARunningContainerAndNotEndIt() throws Exception {
    // only the node whose memory has grown has room for it, and only overcommitted
    startSleeper(TASK_MEMORY, vcores);
    Await.until("the container", LIMIT, () -> sleeperRuns(ADAPTIVE));
    setByHand(ADAPTIVE, 40, MOST_MEMORY);
    String changed = " MiB, before it were 40 and " + MOST_MEMORY + ": ";
    Await.until("the node to undo the change", LIMIT, () -> yarn.log(ADAPTIVE).contains(changed));
    awaitAdvertised(ADAPTIVE, vcores, MOST_MEMORY);
    assertTrue(sleeperRuns(ADAPTIVE));
    assertTrue(node(ADAPTIVE).path("resourceUtilization").path("nodePhysicalMemoryMB").asInt() > 0);
  }

  @Test
  @Order(5)
  void shouldGoOnAfterTheResourceManagerWasKilled() throws Exception {
    yarn.killResourceManager();
    yarn.startResourceManager();
    awaitAdvertised(STATIC, vcores, MEMORY);
    awaitAdvertised(ADAPTIVE, vcores, MOST_MEMORY);
    Await.until("the container", LIMIT, () -> sleeperRuns(ADAPTIVE));
    setByHand(ADAPTIVE, 40, MOST_MEMORY);
    awaitAdvertised(ADAPTIVE, vcores, MOST_MEMORY);
  }

  @Test
  @Order(6)
  void shouldAdaptAgainAfterTheNodeManagerWasKilled() throws Exception {
    yarn.killNode(ADAPTIVE);
    yarn.startNode(ADAPTIVE);
    Await.until("a change", LIMIT, () -> bean(ADAPTIVE).path("Changes").asInt() >= 1);
    awaitAdvertised(ADAPTIVE, vcores, MOST_MEMORY);
    Await.until("the container", LIMIT, () -> sleeperRuns(ADAPTIVE));
  }

  /** The ResourceManager has it advertise what its containers hold, so that no more come. */
  @Test
  @Order(7)
  void shouldLeaveANodeAloneThatIsDecommissioned() throws Exception {
    decommission(ADAPTIVE);
    Await.until(
        "no room in the node",
        LIMIT,
        () -> advertised(node(ADAPTIVE, NodeState.DECOMMISSIONING), "memory") == TASK_MEMORY);
    long failures = bean(ADAPTIVE).path("Failures").asLong();
    Await.until(
        "two changes that are not made",
        LIMIT,
        () -> bean(ADAPTIVE).path("Failures").asLong() >= failures + 2);
    JsonNode leaving = node(ADAPTIVE, NodeState.DECOMMISSIONING);
    assertEquals(TASK_MEMORY, advertised(leaving, "memory"), leaving::toString);
    assertEquals(1, leaving.path("numContainers").asInt(), leaving::toString);
    assertTrue(yarn.log(ADAPTIVE).contains("is being decommissioned"), yarn.log(ADAPTIVE));

    decommission("");
    awaitAdvertised(ADAPTIVE, vcores, MOST_MEMORY);
    assertTrue(sleeperRuns(ADAPTIVE));
  }

  @Test
  @Order(8)
  void shouldBeDiagnosed() throws Exception {
    Path conf = yarn.confDirectory("master");
    List<String> command =
        JavaCommand.of(
            conf,
            "128m",
            "io.vdfs.cli.VdfsCommands",
            List.of("diag", "--json", "--hadoop-conf", conf.toString()));
    try (LoggedProcess diag = LoggedProcess.start("diag", conf, command, Map.of())) {
      int code = diag.awaitExit(LIMIT);
      String told = diag.output();
      assertEquals(1, code, diag.tail());
      assertTrue(told.contains(vcores + " vcores advertised for"), told);
      assertTrue(told.contains("the ResourceManager counts vcores and memory"), told);
      assertTrue(told.contains("the plug-in is off"), told);
      assertTrue(told.contains("no shuffle: yarn.nodemanager.aux-services="), told);
      assertTrue(told.contains("core-site.xml names no cluster of VDFS"), told);
      assertFalse(told.contains("does not tell"), told);
    }
  }
}
