package io.vdfs.datanode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.vdfs.common.cluster.ClusterSnapshot;
import io.vdfs.common.cluster.LiveNode;
import io.vdfs.common.cluster.MetadataMember;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.ArcReplicas;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class MemberChangeRulesTest {
  /** Nodes 0 to 4 are in the ring map, node 5 came later. */
  private final List<RingNode> nodes = new ArrayList<>();

  private final List<MetadataMember> members;

  MemberChangeRulesTest() {
    for (int i = 0; i < 6; i++) {
      nodes.add(new RingNode(new NodeId(new UUID(0, i)), "n" + i, 1, 2, 3 + i, 0, "/rack", 1, 1.0));
    }
    members = nodes.subList(0, 3).stream().map(MetadataMember::of).toList();
  }

  private ClusterSnapshot cluster(Set<Integer> dead) {
    Map<NodeId, RingNode> listed = new HashMap<>();
    Map<NodeId, LiveNode> live = new HashMap<>();
    for (int i = 0; i < nodes.size(); i++) {
      RingNode node = nodes.get(i);
      if (i < 5) {
        listed.put(node.id(), node);
      }
      if (!dead.contains(i)) {
        live.put(
            node.id(),
            new LiveNode(node, UUID.randomUUID(), Instant.EPOCH, Duration.ofSeconds(10)));
      }
    }
    List<NodeId> serving = List.of(nodes.get(0).id(), nodes.get(1).id());
    RingMap ring = new RingMap(1, 2, List.of(new ArcReplicas(serving, List.of())), listed);
    return new ClusterSnapshot(Optional.of(ring), live, Optional.empty());
  }

  private Optional<NodeId> node(int number) {
    return number < 0 ? Optional.empty() : Optional.of(nodes.get(number).id());
  }

  private List<Integer> after(Set<Integer> dead, int removed, int added) throws VdfsException {
    return MemberChangeRules.membersAfter(members, cluster(dead), node(removed), node(added))
        .stream()
        .map(member -> nodes.stream().map(RingNode::id).toList().indexOf(member.id()))
        .toList();
  }

  private void assertRefused(ErrorCode code, Set<Integer> dead, int removed, int added) {
    VdfsException refused = assertThrows(VdfsException.class, () -> after(dead, removed, added));
    assertEquals(code, refused.code(), refused::getMessage);
  }

  @Test
  void shouldReplaceAddAndRemove() throws Exception {
    assertEquals(List.of(0, 2, 3), after(Set.of(1), 1, 3));
    assertEquals(List.of(0, 1, 3), after(Set.of(), 2, 3));
    assertEquals(List.of(0, 1, 2, 4), after(Set.of(), -1, 4));
    assertEquals(List.of(0, 1), after(Set.of(2), 2, -1));
  }

  @Test
  void shouldRefuseWhatMakesNoSense() {
    assertRefused(ErrorCode.NOT_FOUND, Set.of(), 3, 4);
    assertRefused(ErrorCode.ALREADY_EXISTS, Set.of(), 0, 1);
    assertRefused(ErrorCode.ALREADY_EXISTS, Set.of(), 0, 0);
    assertRefused(ErrorCode.UNAVAILABLE, Set.of(3), 0, 3);
    assertRefused(ErrorCode.INVALID_ARGUMENT, Set.of(), 0, 5);
  }

  @Test
  void shouldRefuseToLeaveNoMajorityThatLives() {
    assertRefused(ErrorCode.INVALID_ARGUMENT, Set.of(1), 2, -1);
    assertRefused(ErrorCode.INVALID_ARGUMENT, Set.of(1, 2), 0, 3);
  }
}
