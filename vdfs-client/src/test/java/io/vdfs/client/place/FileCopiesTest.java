package io.vdfs.client.place;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vdfs.client.fake.FakeClient;
import io.vdfs.client.fake.FakeCluster;
import io.vdfs.client.fake.FakeCluster.Fault;
import io.vdfs.client.meta.cluster.ClusterDescription;
import io.vdfs.client.names.FileInfo;
import io.vdfs.client.place.FileCopies.Range;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.ArcReplicas;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ExclusionProto;
import io.vdfs.common.wire.proto.StatusProto;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class FileCopiesTest {
  private static final long GROUP = FakeCluster.GEOMETRY.groupSize();

  private final FakeCluster cluster = new FakeCluster();

  private ClusterDescription snapshot() throws IOException {
    return new FakeClient(cluster, "elsewhere").client().cluster();
  }

  private static FileInfo file(long length, int replication, ExclusionProto... exclusions) {
    return new FileInfo(
        StatusProto.newBuilder()
            .setInodeId(77)
            .setGeneration(1)
            .setLength(length)
            .setReplication(replication)
            .addAllExclusions(List.of(exclusions))
            .build());
  }

  private ExclusionProto exclusion(int node, int first, int end) {
    return ExclusionProto.newBuilder()
        .setNode(WireIds.encode(cluster.node(node)))
        .setFirstGroup(first)
        .setEndGroup(end)
        .build();
  }

  private List<Range> ranges(FileInfo file) throws IOException {
    return FileCopies.of(snapshot(), file).ranges();
  }

  @Test
  void shouldCountAllCopiesOfASoundFile() throws IOException {
    assertEquals(List.of(new Range(0, 4, 3, 3, 3)), ranges(file(3 * GROUP + 1, 3)));
    assertEquals(4, FileCopies.of(snapshot(), file(3 * GROUP + 1, 3)).groups());
    assertEquals(List.of(), ranges(file(0, 3)));
  }

  @Test
  void shouldCountNodesLeftOutGroupByGroup() throws IOException {
    FileInfo file = file(5 * GROUP, 3, exclusion(0, 1, 3), exclusion(1, 2, 3), exclusion(2, 2, 3));

    List<Range> ranges = ranges(file);

    assertEquals(
        List.of(
            new Range(0, 1, 3, 3, 3),
            new Range(1, 2, 3, 2, 2),
            new Range(2, 3, 3, 0, 0),
            new Range(3, 5, 3, 3, 3)),
        ranges);
    assertEquals(List.of(0, 1, 3, 0), ranges.stream().map(Range::lacking).toList());
  }

  @Test
  void shouldLetASpareStepInForANodeLeftOut() throws IOException {
    assertEquals(List.of(new Range(0, 3, 2, 2, 2)), ranges(file(3 * GROUP, 2, exclusion(0, 0, 3))));
  }

  @Test
  void shouldWantNoMoreThanTheRingCanHave() throws IOException {
    assertEquals(List.of(new Range(0, 1, 3, 3, 3)), ranges(file(GROUP, 5)));
  }

  @Test
  void shouldTellCopiesOnLiveNodesApart() throws IOException {
    cluster.fault(1, Fault.DEAD);
    assertEquals(List.of(new Range(0, 2, 3, 3, 2)), ranges(file(2 * GROUP, 3)));
    assertEquals(
        List.of(new Range(0, 2, 3, 1, 0)),
        ranges(file(2 * GROUP, 3, exclusion(0, 0, 2), exclusion(2, 0, 2))));
  }

  @Test
  void shouldMissCopiesWhereAnArcHasTooFewNodes() throws VdfsException, IOException {
    ClusterDescription whole = snapshot();
    List<NodeId> left = List.of(cluster.node(0), cluster.node(1));
    RingMap ring = whole.ring();
    RingMap after =
        new RingMap(
            ring.epoch() + 1,
            ring.replication(),
            ring.placement(),
            ring.arcs().stream()
                .map(arc -> new ArcReplicas(left, List.of(cluster.node(2))))
                .toList(),
            ring.nodes());
    ClusterDescription joining =
        new ClusterDescription(
            whole.name(),
            whole.properties(),
            after,
            whole.live(),
            whole.metadataMembers(),
            whole.leader(),
            0);

    assertEquals(
        List.of(new Range(0, 2, 3, 2, 2)), FileCopies.of(joining, file(2 * GROUP, 3)).ranges());
    assertEquals(
        List.of(new Range(0, 2, 2, 2, 2)), FileCopies.of(joining, file(2 * GROUP, 2)).ranges());
  }
}
