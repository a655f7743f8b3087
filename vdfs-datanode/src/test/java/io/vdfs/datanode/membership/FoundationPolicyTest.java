package io.vdfs.datanode.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.vdfs.common.cluster.record.ClusterProperties;
import io.vdfs.common.cluster.record.ClusterSnapshot;
import io.vdfs.common.cluster.record.LiveNode;
import io.vdfs.common.cluster.record.MetadataGroup;
import io.vdfs.common.cluster.record.MetadataMember;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.Placement;
import io.vdfs.common.ring.RingMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class FoundationPolicyTest {
  private final ClusterProperties properties = Nodes.properties(5);
  private final FoundationPolicy policy = new FoundationPolicy(properties);
  private final ClusterSnapshot before = Nodes.snapshot(5);
  private final Foundation foundation = policy.foundation(before).orElseThrow();

  private ClusterSnapshot shown(
      Optional<RingMap> ring, Optional<MetadataGroup> group, boolean founded) {
    return new ClusterSnapshot(ring, before.liveNodes(), group, founded);
  }

  @Test
  void shouldWaitForEnoughNodes() {
    assertEquals(Optional.empty(), policy.foundation(Nodes.snapshot(4)));
    assertEquals(Optional.empty(), policy.damage(Nodes.snapshot(4)));
  }

  @Test
  void shouldBeginWithFiveMembersOfFiveNodes() {
    List<String> hosts =
        foundation.group().members().stream().map(MetadataMember::host).sorted().toList();
    assertEquals(List.of("host-1", "host-2", "host-3", "host-4", "host-5"), hosts);
    assertEquals(1, foundation.ring().epoch());
    assertEquals(5, foundation.ring().nodes().size());
    assertEquals(Optional.of(foundation), policy.foundation(before));
  }

  @Test
  void shouldBeginWithAsManyMembersAsWereAskedFor() {
    ClusterProperties asked =
        new ClusterProperties(
            properties.clusterId(),
            properties.geometry(),
            3,
            5,
            3,
            "vdfs",
            "supergroup",
            1 << 20,
            Placement.TURN);
    MetadataGroup group = new FoundationPolicy(asked).foundation(before).orElseThrow().group();
    assertEquals(3, group.members().size());
    assertEquals(foundation.group().groupId(), group.groupId());
  }

  @Test
  void shouldFindNothingMissingOfAWholeCluster() {
    ClusterSnapshot whole =
        shown(Optional.of(foundation.ring()), Optional.of(foundation.group()), true);
    assertEquals(Optional.empty(), policy.foundation(whole));
    assertEquals(Optional.empty(), policy.damage(whole));
  }

  @Test
  void shouldFoundNothingWhereAnythingSaysThatTheClusterHasBegun() {
    Optional<RingMap> ring = Optional.of(foundation.ring());
    Optional<MetadataGroup> group = Optional.of(foundation.group());
    assertDamaged("[ring map]", shown(Optional.empty(), group, true));
    assertDamaged("[ring map]", shown(Optional.empty(), group, false));
    assertDamaged("[metadata group]", shown(ring, Optional.empty(), true));
    assertDamaged("[metadata group]", shown(ring, Optional.empty(), false));
    assertDamaged("[ring map, metadata group]", shown(Optional.empty(), Optional.empty(), true));
  }

  @Test
  void shouldFoundNothingWhereOneNodeRemembersTheCluster() {
    Map<NodeId, LiveNode> live = new TreeMap<>(before.liveNodes());
    live.computeIfPresent(
        Nodes.node(4).id(),
        (id, node) ->
            new LiveNode(
                node.node(), node.incarnation(), node.started(), node.sessionTimeout(), true));
    assertDamaged(
        "[ring map, metadata group]",
        new ClusterSnapshot(Optional.empty(), live, Optional.empty(), false));
  }

  private void assertDamaged(String missing, ClusterSnapshot snapshot) {
    assertEquals(Optional.empty(), policy.foundation(snapshot));
    String damage = policy.damage(snapshot).orElseThrow();
    assertTrue(damage.contains("missing=" + missing), damage);
    assertTrue(damage.contains("vdfs-daemon cluster-restore"), damage);
    assertTrue(damage.contains(properties.clusterId().toString()), damage);
  }
}
