package io.vdfs.datanode.meta.op.copies;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.ArcReplicas;
import io.vdfs.common.ring.GroupReplicas;
import io.vdfs.common.ring.Placement;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ExclusionProto;
import io.vdfs.common.wire.proto.FileRecord;
import io.vdfs.common.wire.proto.InodeRecord;
import io.vdfs.datanode.meta.MetadataHarness;
import io.vdfs.datanode.meta.state.LeftOutNodes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class FurtherKeepersTest {
  private static final int NODES = 5;
  private static final int GROUPS = 60;

  private final Random random = new Random(5);

  private static NodeId node(int number) {
    try {
      return WireIds.nodeId(MetadataHarness.id(number));
    } catch (VdfsException e) {
      throw new AssertionError(e);
    }
  }

  private RingMap ring() {
    Map<NodeId, RingNode> nodes = new TreeMap<>();
    for (int number = 1; number <= NODES; number++) {
      nodes.put(node(number), new RingNode(node(number), "host" + number, 1, 2, 3, 0, "/r", 1, 1));
    }
    List<ArcReplicas> arcs = new ArrayList<>();
    for (int arc = 0; arc < 4; arc++) {
      List<NodeId> list = new ArrayList<>(nodes.keySet());
      Collections.shuffle(list, random);
      arcs.add(new ArcReplicas(list.subList(0, 1 + random.nextInt(NODES)), List.of()));
    }
    return new RingMap(1, 3, random.nextBoolean() ? Placement.TURN : Placement.RANDOM, arcs, nodes);
  }

  private InodeRecord file() {
    FileRecord.Builder content = FileRecord.newBuilder().setReplication(1 + random.nextInt(6));
    for (int range = random.nextInt(12); range > 0; range--) {
      int first = random.nextInt(GROUPS);
      content.addExclusions(
          ExclusionProto.newBuilder()
              .setNode(MetadataHarness.id(1 + random.nextInt(NODES)))
              .setFirstGroup(first)
              .setEndGroup(first + random.nextInt(20)));
    }
    return InodeRecord.newBuilder().setId(256 + random.nextInt(1000)).setFile(content).build();
  }

  /** The same for each group by itself. */
  private static List<ByteString> expected(
      int replication, InodeRecord file, RingMap ring, int group) {
    LeftOutNodes leftOut = new LeftOutNodes(file.getFile());
    List<NodeId> serving = ring.replicas(file.getId(), group).serving();
    Set<NodeId> holders =
        Set.copyOf(GroupReplicas.of(serving, replication, leftOut.of(group)).keepers());
    return Repairs.withoutCopy(file, group, serving, holders, leftOut);
  }

  @Test
  void shouldFindTheSameAsForEachGroupByItself() {
    int found = 0;
    for (int round = 0; round < 2_000; round++) {
      RingMap ring = ring();
      InodeRecord file = file();
      int replication = 1 + random.nextInt(6);
      FurtherKeepers keepers = new FurtherKeepers(replication, file, ring);
      for (int group = 0; group < GROUPS; group++) {
        List<ByteString> of = keepers.of(group);
        assertEquals(
            expected(replication, file, ring, group), of, "round=" + round + ", group=" + group);
        found += of.size();
      }
    }
    assertTrue(found > 4_000, "found=" + found);
  }
}
