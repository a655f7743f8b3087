package io.vdfs.client.place;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vdfs.client.fake.FakeClient;
import io.vdfs.client.fake.FakeCluster;
import io.vdfs.client.meta.cluster.ClusterDescription;
import io.vdfs.client.names.FileInfo;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ExclusionProto;
import io.vdfs.common.wire.proto.StatusProto;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class BlockPlacesTest {
  private static final long GROUP = FakeCluster.GEOMETRY.groupSize();
  private static final int BLOCK = FakeCluster.GEOMETRY.blockSize();

  private final FakeCluster cluster = new FakeCluster();
  private ClusterDescription snapshot;

  @BeforeEach
  void know() throws IOException {
    snapshot = new FakeClient(cluster, "elsewhere").client().cluster();
  }

  private static FileInfo file(long length, ExclusionProto... exclusions) {
    return new FileInfo(status(length, exclusions).build());
  }

  private static StatusProto.Builder status(long length, ExclusionProto... exclusions) {
    return StatusProto.newBuilder()
        .setInodeId(77)
        .setGeneration(1)
        .setLength(length)
        .setReplication(3)
        .addAllExclusions(List.of(exclusions));
  }

  private ExclusionProto exclusion(int node, int first, int end) {
    return ExclusionProto.newBuilder()
        .setNode(WireIds.encode(cluster.node(node)))
        .setFirstGroup(first)
        .setEndGroup(end)
        .build();
  }

  @Test
  void shouldTileTheFileInGroupsWithHostsInRingOrder() throws VdfsException {
    List<BlockPlace> places = BlockPlaces.byGroup(snapshot, file(2 * GROUP + 5), 0, Long.MAX_VALUE);

    assertEquals(List.of(0L, GROUP, 2 * GROUP), places.stream().map(BlockPlace::offset).toList());
    assertEquals(List.of(GROUP, GROUP, 5L), places.stream().map(BlockPlace::length).toList());
    for (int group = 0; group < 3; group++) {
      assertEquals(
          cluster.ring().replicas(77, group).serving(),
          places.get(group).nodes().stream().map(RingNode::id).toList());
    }
  }

  @Test
  void shouldCoverOnlyWhatIsAskedFor() throws VdfsException {
    FileInfo file = file(3 * GROUP);

    assertEquals(
        List.of(GROUP),
        BlockPlaces.byGroup(snapshot, file, GROUP + 1, 1).stream()
            .map(BlockPlace::offset)
            .toList());
    assertEquals(
        List.of(0L, GROUP),
        BlockPlaces.byGroup(snapshot, file, GROUP - 1, 2).stream()
            .map(BlockPlace::offset)
            .toList());
    assertEquals(List.of(), BlockPlaces.byGroup(snapshot, file(0), 0, 100));
    assertEquals(6, BlockPlaces.byBlock(snapshot, file, 0, 3 * GROUP).size());
    assertEquals(BLOCK, BlockPlaces.byBlock(snapshot, file, BLOCK, 1).get(0).offset());
  }

  @Test
  void shouldLeaveOutExcludedNodesOfTheirGroups() throws VdfsException {
    FileInfo file = file(3 * GROUP, exclusion(0, 1, 2), exclusion(1, 2, 3));
    List<BlockPlace> places = BlockPlaces.byGroup(snapshot, file, 0, 3 * GROUP);

    assertEquals(3, places.get(0).nodes().size());
    assertEquals(
        List.of(),
        places.get(1).nodes().stream().filter(n -> n.id().equals(cluster.node(0))).toList());
    assertEquals(2, places.get(1).nodes().size());
    assertEquals(
        List.of(),
        places.get(2).nodes().stream().filter(n -> n.id().equals(cluster.node(1))).toList());
    assertEquals(2, places.get(2).nodes().size());
  }

  @Test
  void shouldNameOnlyTheNodesThatKeepAFileOfFewerCopies() throws VdfsException {
    FileInfo once = new FileInfo(status(3 * GROUP, exclusion(0, 0, 3)).setReplication(1).build());
    for (BlockPlace place : BlockPlaces.byGroup(snapshot, once, 0, 3 * GROUP)) {
      int group = (int) (place.offset() / GROUP);
      List<NodeId> list = new ArrayList<>(cluster.ring().replicas(77, group).serving());
      list.remove(cluster.node(0));
      assertEquals(list.subList(0, 1), place.nodes().stream().map(RingNode::id).toList());
    }
  }
}
