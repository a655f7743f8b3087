package io.vdfs.yarn;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.hadoop.ipc.Server;
import org.apache.hadoop.yarn.api.ApplicationClientProtocol;
import org.apache.hadoop.yarn.api.protocolrecords.GetClusterNodesRequest;
import org.apache.hadoop.yarn.api.protocolrecords.GetClusterNodesResponse;
import org.apache.hadoop.yarn.api.records.NodeId;
import org.apache.hadoop.yarn.api.records.NodeReport;
import org.apache.hadoop.yarn.api.records.NodeState;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.api.records.ResourceOption;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.ipc.YarnRPC;
import org.apache.hadoop.yarn.server.api.ResourceManagerAdministrationProtocol;
import org.apache.hadoop.yarn.server.api.protocolrecords.UpdateNodeResourceRequest;
import org.apache.hadoop.yarn.server.api.protocolrecords.UpdateNodeResourceResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Against the two ports of a ResourceManager that knows nothing but the states of nodes. */
@Timeout(60)
class ResourceManagerAccessTest {
  private static final NodeId NODE = NodeId.newInstance("node", 7);
  private static final NodeId OTHER = NodeId.newInstance("other", 7);

  private final YarnConfiguration conf = new YarnConfiguration();
  private final List<NodeId> leaving = new CopyOnWriteArrayList<>();
  private final List<ResourceOption> updates = new CopyOnWriteArrayList<>();
  private final Server administration =
      serve(
          ResourceManagerAdministrationProtocol.class,
          YarnConfiguration.RM_ADMIN_ADDRESS,
          (proxy, method, arguments) -> {
            UpdateNodeResourceRequest request = (UpdateNodeResourceRequest) arguments[0];
            updates.add(request.getNodeResourceMap().get(NODE));
            return UpdateNodeResourceResponse.newInstance();
          });
  private final Server clients =
      serve(
          ApplicationClientProtocol.class,
          YarnConfiguration.RM_ADDRESS,
          (proxy, method, arguments) -> {
            GetClusterNodesRequest request = (GetClusterNodesRequest) arguments[0];
            assertEquals(EnumSet.of(NodeState.DECOMMISSIONING), request.getNodeStates());
            return GetClusterNodesResponse.newInstance(
                leaving.stream().map(ResourceManagerAccessTest::report).toList());
          });
  private final ResourceManagerAccess access = new ResourceManagerAccess(conf, NODE);

  private <T> Server serve(Class<T> protocol, String key, InvocationHandler answers) {
    Object instance =
        Proxy.newProxyInstance(protocol.getClassLoader(), new Class<?>[] {protocol}, answers);
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    Server server = YarnRPC.create(conf).getServer(protocol, instance, anyPort, conf, null, 1);
    server.start();
    conf.set(key, "127.0.0.1:" + server.getListenerAddress().getPort());
    return server;
  }

  private static NodeReport report(NodeId node) {
    Resource some = Resource.newInstance(1_024, 1);
    return NodeReport.newInstance(
        node, NodeState.DECOMMISSIONING, "", "/default-rack", some, some, 1, "", 0);
  }

  @AfterEach
  void stop() {
    access.close();
    administration.stop();
    clients.stop();
  }

  @Test
  void shouldReplaceWhatTheNodeAdvertisesAndKillNothing() throws IOException {
    leaving.add(OTHER);
    access.update(12, 20_480);
    assertEquals(
        List.of(ResourceOption.newInstance(Resource.newInstance(20_480, 12), -1)), updates);
  }

  @Test
  void shouldLeaveANodeAloneWhileItIsDecommissioned() throws IOException {
    leaving.add(NODE);
    IOException refused = assertThrows(IOException.class, () -> access.update(12, 20_480));
    assertTrue(refused.getMessage().contains("node:7 is being decommissioned"), refused::toString);
    assertEquals(List.of(), updates);
    leaving.clear();
    access.update(12, 20_480);
    assertEquals(1, updates.size(), "recommissioned");
  }

  @Test
  void shouldGiveUpSoonWhereNoResourceManagerListens() {
    administration.stop();
    clients.stop();
    long before = System.nanoTime();
    assertThrows(IOException.class, () -> access.update(12, 20_480));
    long seconds = (System.nanoTime() - before) / 1_000_000_000;
    assertTrue(seconds < 15, "seconds=" + seconds);
  }
}
