package io.vdfs.client.io;

import static io.vdfs.client.io.TestCluster.FILE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.vdfs.client.io.replica.ReplicaNode;
import io.vdfs.client.write.FileWriter;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.ReplicaRequest;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReplicaCallTest {
  private static final ReplicaRequest LENGTH =
      ReplicaRequest.newBuilder().setVisibleLength(true).build();

  private static ReplicaNode node(TestCluster cluster, int number, boolean live) {
    ReplicaNode node = cluster.nodes.get(number).replica();
    return new ReplicaNode(node.id(), node.address(), live, node.local());
  }

  private static long longest(TestCluster cluster, List<ReplicaNode> nodes) throws IOException {
    return new ReplicaCall(cluster.io)
        .longest(
            nodes,
            cluster.metadata.view(),
            0,
            LENGTH,
            answer -> {},
            answer -> answer.getBeingWritten())
        .getLength();
  }

  @Test
  void shouldAskOnUntilAnAnswerIsCertainButNoNodeThatIsDown() throws IOException {
    try (TestCluster cluster = new TestCluster(3, 3)) {
      FileWriter writer = cluster.create();
      writer.write(TestCluster.bytes(1, 2500), 0, 2500);
      writer.flush();
      for (int number = 0; number < 2; number++) {
        TestNode lost = cluster.nodes.get(number);
        lost.store.store().fence(FILE, 0, 9);
        lost.store.lose(FILE, 0, 1000 * number);
      }
      ReplicaNode none = node(cluster, 0, true);
      ReplicaNode some = node(cluster, 1, true);
      ReplicaNode all = node(cluster, 2, true);
      assertEquals(2500, longest(cluster, List.of(none, some, all)));
      assertEquals(1000, longest(cluster, List.of(none, some)));
      assertEquals(1000, longest(cluster, List.of(some, none)));
      assertEquals(0, longest(cluster, List.of(none, node(cluster, 1, false))));
      assertEquals(1000, longest(cluster, List.of(node(cluster, 1, false), none)));
      assertThrows(VdfsException.class, () -> longest(cluster, List.of()));
      cluster.io.health().failed(some.id());
      assertEquals(0, longest(cluster, List.of(none, some)), "it failed just now");
      assertEquals(1000, longest(cluster, List.of(some, none)));
    }
  }
}
