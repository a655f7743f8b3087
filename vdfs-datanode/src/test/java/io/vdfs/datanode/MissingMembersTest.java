package io.vdfs.datanode;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vdfs.common.cluster.ClusterSnapshot;
import io.vdfs.common.cluster.LiveNode;
import io.vdfs.common.cluster.MetadataMember;
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

class MissingMembersTest {
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  /** Nodes 0 to 2 are members, 3 to 5 spare, 6 is not in the ring map. Racks a a b a b b b. */
  private final List<RingNode> nodes = new ArrayList<>();

  private final List<MetadataMember> members;
  private final MissingMembers missing = new MissingMembers(PATIENCE);
  private Set<Integer> heard = Set.of(0);

  MissingMembersTest() {
    String racks = "aababbb";
    for (int i = 0; i < racks.length(); i++) {
      String rack = "/" + racks.charAt(i);
      nodes.add(new RingNode(new NodeId(new UUID(0, i)), "n" + i, 1, 2, 3 + i, 0, rack, 1, 1.0));
    }
    members = nodes.subList(0, 3).stream().map(MetadataMember::of).toList();
  }

  private ClusterSnapshot without(Set<Integer> dead) {
    Map<NodeId, RingNode> listed = new HashMap<>();
    Map<NodeId, LiveNode> live = new HashMap<>();
    for (int i = 0; i < nodes.size(); i++) {
      RingNode node = nodes.get(i);
      if (i < 6) {
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

  /** Missing member and successor as numbers, joined; empty if nothing is to be done. */
  private String at(int minutes, Integer... dead) {
    return missing
        .overdue(
            members,
            id -> heard.contains(number(id)),
            without(Set.of(dead)),
            Duration.ofMinutes(minutes).toNanos())
        .map(found -> number(found.missing()) + ">" + number(found.successor()))
        .orElse("");
  }

  private int number(NodeId id) {
    return nodes.stream().map(RingNode::id).toList().indexOf(id);
  }

  @Test
  void shouldReplaceAfterTheTimeOfPatience() {
    assertEquals("", at(5, 2));
    assertEquals("", at(14, 2));
    assertEquals("2>4", at(15, 2));
  }

  @Test
  void shouldCountAnewForOneThatWasBack() {
    assertEquals("", at(0, 2));
    assertEquals("", at(9));
    assertEquals("", at(10, 2));
    assertEquals("", at(19, 2));
    assertEquals("2>4", at(20, 2));
  }

  @Test
  void shouldCountAnewAfterForgetting() {
    assertEquals("", at(0, 2));
    missing.forget();
    assertEquals("", at(10, 2));
    assertEquals("2>4", at(20, 2));
  }

  @Test
  void shouldLeaveWhoIsHeard() {
    heard = Set.of(0, 2);
    assertEquals("", at(0, 2));
    assertEquals("", at(60, 2));
  }

  @Test
  void shouldBeginWithTheOneMissingLongest() {
    assertEquals("", at(0, 1));
    assertEquals("", at(5, 1, 2));
    assertEquals("1>3", at(30, 1, 2, 4, 5));
  }

  @Test
  void shouldPreferAnotherRackThanTheMembersThatLive() {
    at(0, 1);
    assertEquals("1>4", at(10, 1), "each rack has one member that lives, the ring's order counts");
    at(20, 2);
    assertEquals("2>4", at(30, 2), "rack a has two members");
    assertEquals("2>3", at(31, 2, 4, 5));
  }

  @Test
  void shouldTryOthersAfterAFailure() {
    at(0, 2);
    missing.onFailure(nodes.get(4).id());
    assertEquals("2>5", at(10, 2));
    missing.onFailure(nodes.get(5).id());
    assertEquals("2>3", at(11, 2));
    missing.onFailure(nodes.get(3).id());
    assertEquals("2>4", at(12, 2));
  }

  @Test
  void shouldNotTakeWhoIsNotInTheRingMap() {
    at(0, 2);
    assertEquals("", at(10, 2, 3, 4, 5));
  }
}
