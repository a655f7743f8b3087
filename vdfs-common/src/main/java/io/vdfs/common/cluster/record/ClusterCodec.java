package io.vdfs.common.cluster.record;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.ClusterGeometry;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.Placement;
import io.vdfs.common.ring.RingCodec;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ClusterCopyProto;
import io.vdfs.common.wire.proto.ClusterProto;
import io.vdfs.common.wire.proto.GoneNodesProto;
import io.vdfs.common.wire.proto.LiveNodeProto;
import io.vdfs.common.wire.proto.MetadataGroupProto;
import io.vdfs.common.wire.proto.MetadataMemberProto;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/**
 * A cluster's records as messages, see {@code ring.proto}; the ring map has its own {@link
 * RingCodec}. What comes in is checked in full: every input that is no valid value ends in a {@link
 * VdfsException} of code INVALID_ARGUMENT that names the offending value. Pure.
 */
public final class ClusterCodec {
  /** The format this release writes and reads. */
  public static final int FORMAT_VERSION = 3;

  private static final int MAX_BYTES = 64 << 10;

  /** The most nodes that fit into the record. */
  private static final int MOST_GONE = 3_000;

  private static final int MAX_MEMBERS = 99;

  private ClusterCodec() {}

  public static ClusterProto toProto(ClusterProperties properties) {
    ClusterGeometry geometry = properties.geometry();
    return ClusterProto.newBuilder()
        .setFormatVersion(FORMAT_VERSION)
        .setClusterId(WireIds.encode(properties.clusterId()))
        .setBlockSize(geometry.blockSize())
        .setGroupBlocks(geometry.groupBlocks())
        .setChunkSize(geometry.chunkSize())
        .setArcs(geometry.arcs())
        .setReplication(properties.replication())
        .setExpectedNodes(properties.expectedNodes())
        .setMetadataMembers(properties.metadataMembers())
        .setSuperuser(properties.superuser())
        .setSupergroup(properties.supergroup())
        .setMinimumSplitBytes(properties.minimumSplitBytes())
        .setPlacement(properties.placement().wireNumber())
        .build();
  }

  public static ClusterProperties fromProto(ClusterProto proto) throws VdfsException {
    checkVersion("cluster properties", proto.getFormatVersion());
    UUID id = WireIds.uuid("cluster id", proto.getClusterId());
    try {
      return new ClusterProperties(
          id,
          new ClusterGeometry(
              proto.getBlockSize(), proto.getGroupBlocks(), proto.getChunkSize(), proto.getArcs()),
          proto.getReplication(),
          proto.getExpectedNodes(),
          proto.getMetadataMembers(),
          proto.getSuperuser(),
          proto.getSupergroup(),
          proto.getMinimumSplitBytes(),
          Placement.ofWire(proto.getPlacement()));
    } catch (IllegalArgumentException e) {
      throw invalid("invalid cluster properties: " + e.getMessage(), e);
    }
  }

  /** The record of a cluster that is not founded yet. */
  public static byte[] encode(ClusterProperties properties) {
    return toProto(properties).toByteArray();
  }

  /** The record of a cluster whose metadata group was founded and whose ring was dealt. */
  public static byte[] encodeFounded(ClusterProperties properties) {
    return toProto(properties).toBuilder().setFounded(true).build().toByteArray();
  }

  /** Whether that is the record of a cluster that was founded. */
  public static boolean isFounded(byte[] bytes) throws VdfsException {
    ClusterProto proto = parse("cluster properties", ClusterProto.parser(), bytes);
    checkVersion("cluster properties", proto.getFormatVersion());
    return proto.getFounded();
  }

  public static ClusterProperties decodeProperties(byte[] bytes) throws VdfsException {
    return fromProto(parse("cluster properties", ClusterProto.parser(), bytes));
  }

  public static byte[] encode(LiveNode node) {
    return LiveNodeProto.newBuilder()
        .setFormatVersion(FORMAT_VERSION)
        .setNode(RingCodec.toProto(node.node()))
        .setIncarnation(WireIds.encode(node.incarnation()))
        .setStartedMillis(node.started().toEpochMilli())
        .setSessionTimeoutMillis(Math.toIntExact(node.sessionTimeout().toMillis()))
        .setKnowsFoundation(node.knowsFoundation())
        .build()
        .toByteArray();
  }

  public static LiveNode decodeNode(byte[] bytes) throws VdfsException {
    LiveNodeProto proto = parse("live node", LiveNodeProto.parser(), bytes);
    checkVersion("live node", proto.getFormatVersion());
    return new LiveNode(
        RingCodec.fromProto(proto.getNode()),
        WireIds.uuid("incarnation", proto.getIncarnation()),
        Instant.ofEpochMilli(proto.getStartedMillis()),
        Duration.ofMillis(Integer.toUnsignedLong(proto.getSessionTimeoutMillis())),
        proto.getKnowsFoundation());
  }

  /**
   * @param name of the znode that holds the bytes, which is the node's id
   * @throws VdfsException IO_ERROR also if they are of another node
   */
  public static LiveNode decodeNode(String name, byte[] bytes) throws VdfsException {
    LiveNode node = decodeNode(bytes);
    if (!node.id().toString().equals(name)) {
      throw new VdfsException(
          ErrorCode.IO_ERROR,
          "a node under a foreign name: name=" + name + ", node=" + node.node());
    }
    return node;
  }

  public static byte[] encode(MetadataGroup group) {
    return toProto(group).toByteArray();
  }

  private static MetadataGroupProto toProto(MetadataGroup group) {
    MetadataGroupProto.Builder proto =
        MetadataGroupProto.newBuilder()
            .setFormatVersion(FORMAT_VERSION)
            .setGroupId(WireIds.encode(group.groupId()))
            .setVersion(group.version());
    group.formerGroups().forEach(former -> proto.addFormerGroupIds(WireIds.encode(former)));
    for (MetadataMember member : group.members()) {
      proto
          .addMembersBuilder()
          .setId(WireIds.encode(member.id().uuid()))
          .setHost(member.host())
          .setRaftPort(member.raftPort());
    }
    return proto.build();
  }

  public static MetadataGroup decodeMetadataGroup(byte[] bytes) throws VdfsException {
    return fromProto(parse("metadata group", MetadataGroupProto.parser(), bytes));
  }

  private static MetadataGroup fromProto(MetadataGroupProto proto) throws VdfsException {
    checkVersion("metadata group", proto.getFormatVersion());
    if (proto.getMembersCount() > MAX_MEMBERS) {
      throw invalid(
          "too many members of a metadata group: members=%s, limit=%s"
              .formatted(proto.getMembersCount(), MAX_MEMBERS),
          null);
    }
    UUID id = WireIds.uuid("metadata group id", proto.getGroupId());
    try {
      List<MetadataMember> members = new ArrayList<>();
      for (MetadataMemberProto member : proto.getMembersList()) {
        NodeId node = new NodeId(WireIds.uuid("node id", member.getId()));
        members.add(new MetadataMember(node, member.getHost(), member.getRaftPort()));
      }
      List<UUID> former = new ArrayList<>();
      for (ByteString bytesOfId : proto.getFormerGroupIdsList()) {
        former.add(WireIds.uuid("former metadata group id", bytesOfId));
      }
      return new MetadataGroup(id, members, proto.getVersion(), former);
    } catch (IllegalArgumentException e) {
      throw invalid("invalid metadata group: " + e.getMessage(), e);
    }
  }

  /** What is gone, the first few thousand nodes and volumes of it. */
  public static byte[] encode(DeclaredGone gone) {
    GoneNodesProto.Builder proto = GoneNodesProto.newBuilder().setFormatVersion(FORMAT_VERSION);
    gone.nodes().stream().limit(MOST_GONE).forEach(node -> proto.addNodes(WireIds.encode(node)));
    gone.volumes().stream()
        .limit(MOST_GONE)
        .forEach(volume -> proto.addVolumes(WireIds.encode(volume)));
    return proto.build().toByteArray();
  }

  public static DeclaredGone decodeGone(byte[] bytes) throws VdfsException {
    GoneNodesProto proto = parse("what is gone", GoneNodesProto.parser(), bytes);
    checkVersion("what is gone", proto.getFormatVersion());
    Set<NodeId> nodes = new TreeSet<>();
    for (ByteString node : proto.getNodesList()) {
      nodes.add(new NodeId(WireIds.uuid("node id", node)));
    }
    Set<UUID> volumes = new TreeSet<>();
    for (ByteString volume : proto.getVolumesList()) {
      volumes.add(WireIds.uuid("volume id", volume));
    }
    return new DeclaredGone(nodes, volumes);
  }

  public static byte[] encode(ClusterCopy copy) {
    return ClusterCopyProto.newBuilder()
        .setCluster(toProto(copy.properties()))
        .setRing(RingCodec.toProto(copy.ring()))
        .setMetadataGroup(toProto(copy.group()))
        .build()
        .toByteArray();
  }

  public static ClusterCopy decodeCopy(byte[] bytes) throws VdfsException {
    ClusterCopyProto proto =
        parse(
            "copy of a cluster", ClusterCopyProto.parser(), bytes, RingCodec.MAX_BYTES + MAX_BYTES);
    return new ClusterCopy(
        fromProto(proto.getCluster()),
        RingCodec.fromProto(proto.getRing()),
        fromProto(proto.getMetadataGroup()));
  }

  private static <T extends MessageLite> T parse(String what, Parser<T> parser, byte[] bytes)
      throws VdfsException {
    return parse(what, parser, bytes, MAX_BYTES);
  }

  private static <T extends MessageLite> T parse(
      String what, Parser<T> parser, byte[] bytes, int limit) throws VdfsException {
    if (bytes.length > limit) {
      throw invalid(what + " too large: bytes=" + bytes.length + ", limit=" + limit, null);
    }
    try {
      return parser.parseFrom(bytes);
    } catch (InvalidProtocolBufferException e) {
      throw invalid("not a record of this kind: kind=" + what + ", bytes=" + bytes.length, e);
    }
  }

  private static void checkVersion(String what, int version) throws VdfsException {
    if (version != FORMAT_VERSION) {
      throw invalid(
          ("unknown format: kind=%s, version=%s, known=%s; run one release everywhere, and"
                  + " format anew what another one formatted")
              .formatted(what, Integer.toUnsignedString(version), FORMAT_VERSION),
          null);
    }
  }

  private static VdfsException invalid(String message, Exception cause) {
    return new VdfsException(ErrorCode.INVALID_ARGUMENT, message, cause);
  }
}
