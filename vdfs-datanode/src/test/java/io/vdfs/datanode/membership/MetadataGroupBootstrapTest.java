package io.vdfs.datanode.membership;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vdfs.common.cluster.ClusterProperties;
import io.vdfs.common.cluster.ClusterSnapshot;
import io.vdfs.common.cluster.MetadataGroup;
import io.vdfs.common.cluster.MetadataMember;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class MetadataGroupBootstrapTest {
  private final ClusterProperties properties = Nodes.properties(5);
  private final MetadataGroupBootstrap bootstrap = new MetadataGroupBootstrap(properties);

  @Test
  void shouldWaitForEnoughNodes() {
    assertEquals(Optional.empty(), bootstrap.foundation(Nodes.snapshot(2)));
  }

  @Test
  void shouldTakeTheFirstNodesInRingOrder() {
    MetadataGroup group = bootstrap.foundation(Nodes.snapshot(5)).orElseThrow();
    List<String> hosts = group.members().stream().map(MetadataMember::host).toList();
    // rack 1 holds the nodes 1, 3, 5 and rack 0 the nodes 2, 4
    assertEquals(List.of("host-1", "host-2", "host-3"), hosts);
    assertEquals(Optional.of(group), bootstrap.foundation(Nodes.snapshot(5)));
  }

  @Test
  void shouldNotFoundASecondGroup() {
    ClusterSnapshot before = Nodes.snapshot(5);
    MetadataGroup group = bootstrap.foundation(before).orElseThrow();
    ClusterSnapshot founded =
        new ClusterSnapshot(Optional.empty(), before.liveNodes(), Optional.of(group));
    assertEquals(Optional.empty(), bootstrap.foundation(founded));
  }

  @Test
  void shouldNotFoundAGroupWhereARingMapSaysThatThereWasOne() {
    ClusterSnapshot before = Nodes.snapshot(5);
    ClusterSnapshot damaged =
        new ClusterSnapshot(
            new RingPolicy(properties).successor(Optional.empty(), before.liveRingNodes()),
            before.liveNodes(),
            Optional.empty());
    assertEquals(Optional.empty(), bootstrap.foundation(damaged));
  }
}
