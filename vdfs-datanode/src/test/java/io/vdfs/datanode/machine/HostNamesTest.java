package io.vdfs.datanode.machine;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingNode;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HostNamesTest {
  private static final NodeId SELF = NodeId.random();

  private final HostNames names =
      new HostNames(
          host -> {
            String address =
                Map.of("dn1", "127.0.1.1", "dn2", "192.0.2.2", "localhost", "127.0.0.1").get(host);
            if (address == null) {
              throw new UnknownHostException(host);
            }
            return InetAddress.getAllByName(address);
          });

  private static RingNode node(NodeId id, String host) {
    return new RingNode(id, host, 1, 2, 3, 0, "/r", 1, 1);
  }

  @Test
  void shouldListenEverywhereUnlessTheNameMeansThisMachineAlone() {
    assertEquals("0.0.0.0", names.listenAt("dn2"));
    assertEquals("0.0.0.0", names.listenAt("known-elsewhere"));
    assertEquals("dn1", names.listenAt("dn1"));
    assertEquals("localhost", names.listenAt("localhost"));
    assertEquals("127.0.0.3", HostNames.SYSTEM.listenAt("127.0.0.3"));
    assertEquals("0.0.0.0", HostNames.SYSTEM.listenAt("192.0.2.1"));
  }

  @Test
  void shouldRefuseANameThatOthersTakeForThemselves() {
    VdfsException refused =
        assertThrows(
            VdfsException.class,
            () ->
                names.requireReachable(
                    "dn1",
                    SELF,
                    List.of(node(NodeId.random(), "localhost"), node(NodeId.random(), "dn2"))));
    String message = refused.getMessage();
    assertTrue(message.contains("host=dn1, addresses=[/127.0.1.1], other=dn2"), message);
    assertTrue(message.contains("set vdfs.node.host"), message);
  }

  @Test
  void shouldTakeANameThatReachesAsFarAsTheCluster() {
    List<RingNode> cluster =
        List.of(
            node(SELF, "dn2"),
            node(NodeId.random(), "localhost"),
            node(NodeId.random(), "known-elsewhere"));
    assertDoesNotThrow(() -> names.requireReachable("dn1", SELF, cluster));
    assertDoesNotThrow(
        () -> names.requireReachable("dn2", SELF, List.of(node(NodeId.random(), "dn2"))));
  }
}
