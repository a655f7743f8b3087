package io.vdfs.datanode.fuzz;

import com.google.common.primitives.Bytes;
import io.vdfs.common.cluster.record.ClusterCodec;
import io.vdfs.common.cluster.record.ClusterCopy;
import io.vdfs.common.cluster.record.ClusterProperties;
import io.vdfs.common.cluster.record.LiveNode;
import io.vdfs.common.cluster.record.MetadataGroup;
import io.vdfs.common.cluster.record.MetadataMember;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.ArcReplicas;
import io.vdfs.common.ring.Placement;
import io.vdfs.common.ring.RingCodec;
import io.vdfs.common.ring.RingMap;
import io.vdfs.common.ring.RingNode;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Ring map and cluster records, as nodes and clients read them from ZooKeeper and from others. */
class ClusterRecordsFuzzTest extends FuzzContract {
  private static final UUID ID = new UUID(1, 2);
  private static final NodeId NODE = new NodeId(new UUID(3, 4));

  @Override
  protected List<byte[]> seeds() throws Exception {
    RingNode node = new RingNode(NODE, "host", 1, 2, 3, 0, "/rack", 1, 1.0);
    RingMap ring =
        new RingMap(
            1,
            1,
            Placement.TURN,
            List.of(new ArcReplicas(List.of(NODE), List.of())),
            Map.of(NODE, node));
    ClusterProperties properties =
        new ClusterProperties(
            ID, ClusterGeometry.DEFAULT, 3, 3, 0, "vdfs", "supergroup", 1 << 20, Placement.TURN);
    MetadataGroup group = new MetadataGroup(ID, List.of(MetadataMember.of(node)));
    LiveNode live = new LiveNode(node, ID, Instant.EPOCH, Duration.ofSeconds(6), true);
    return List.of(
        kind(3, ClusterCodec.encode(live)),
        kind(4, ClusterCodec.encode(group)),
        kind(5, ClusterCodec.encode(new ClusterCopy(properties, ring, group))),
        kind(0, RingCodec.encode(ring)),
        kind(1, ClusterCodec.encode(properties)),
        kind(2, ClusterCodec.encodeFounded(properties)));
  }

  private static byte[] kind(int kind, byte[] record) {
    return Bytes.concat(new byte[] {(byte) kind}, record);
  }

  @Override
  protected void accept(byte[] input) throws Exception {
    byte[] record = Arrays.copyOfRange(input, Math.min(1, input.length), input.length);
    switch (input.length == 0 ? 0 : input[0]) {
      case 0 -> RingCodec.decode(record);
      case 1 -> ClusterCodec.decodeProperties(record);
      case 2 -> ClusterCodec.isFounded(record);
      case 3 -> ClusterCodec.decodeNode(record);
      case 4 -> ClusterCodec.decodeMetadataGroup(record);
      default -> ClusterCodec.decodeCopy(record);
    }
  }
}
