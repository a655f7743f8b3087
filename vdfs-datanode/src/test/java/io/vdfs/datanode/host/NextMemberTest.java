package io.vdfs.datanode.host;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vdfs.common.cluster.record.ClusterProperties;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.Placement;
import io.vdfs.datanode.rpc.MemberChange;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class NextMemberTest {
  private final NextMember next = new NextMember();

  private static ClusterProperties asked(int members) {
    return new ClusterProperties(
        new UUID(1, 1),
        ClusterGeometry.DEFAULT,
        3,
        5,
        members,
        "vdfs",
        "supergroup",
        1,
        Placement.TURN);
  }

  /**
   * Number of the node by which three members grow beside these nodes, the last not in the ring.
   */
  private int addition(String racks, int asked, Optional<MemberChange> last, Integer... dead) {
    MemberCandidates nodes = new MemberCandidates(racks);
    return next.addition(asked(asked), nodes.members(), nodes.without(Set.of(dead)), last)
        .map(nodes::number)
        .orElse(-1);
  }

  private static Optional<MemberChange> change(boolean removed, boolean added) {
    Optional<NodeId> node = Optional.of(NodeId.random());
    return Optional.of(
        MemberChange.begun(removed ? node : Optional.empty(), added ? node : Optional.empty())
            .done());
  }

  @Test
  void shouldGrowBesideARingOfFiveNodes() {
    assertEquals(3, addition("aaaaaa", 0, Optional.empty()));
    assertEquals(4, addition("aaaabb", 0, Optional.empty()), "another rack");
    assertEquals(4, addition("aaaaaa", 0, Optional.empty(), 3), "one that lives");
    assertEquals(-1, addition("aaaaaa", 0, Optional.empty(), 3, 4));
  }

  @Test
  void shouldNotGrowBesideASmallerRing() {
    assertEquals(-1, addition("aaaaa", 0, Optional.empty()));
  }

  @Test
  void shouldLeaveWhatWasAskedFor() {
    assertEquals(-1, addition("aaaaaa", 3, Optional.empty()));
    assertEquals(-1, addition("aaaaaa", 0, change(true, false)));
    assertEquals(3, addition("aaaaaa", 0, change(false, true)));
    assertEquals(3, addition("aaaaaa", 0, change(true, true)));
  }

  @Test
  void shouldTryOthersAfterAFailure() {
    MemberCandidates nodes = new MemberCandidates("aaaaaa");
    next.onFailure(nodes.id(3));
    assertEquals(4, addition("aaaaaa", 0, Optional.empty()));
    next.forget();
    assertEquals(3, addition("aaaaaa", 0, Optional.empty()));
  }
}
