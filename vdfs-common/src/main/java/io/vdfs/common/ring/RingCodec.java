package io.vdfs.common.ring;

import com.google.protobuf.InvalidProtocolBufferException;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ArcProto;
import io.vdfs.common.wire.proto.RingMapProto;
import io.vdfs.common.wire.proto.RingNodeProto;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Ring maps and nodes as messages, see {@code ring.proto}. What comes in is checked in full:
 * whatever a decoder returns is a valid value, and every other input ends in a {@link
 * VdfsException} of code INVALID_ARGUMENT that names the offending value. Pure.
 */
public final class RingCodec {
  /** The format this release writes and reads. */
  public static final int FORMAT_VERSION = 2;

  /** Most bytes of an encoded map: ZooKeeper refuses data of 1 MiB. */
  public static final int MAX_BYTES = 1_000_000;

  private RingCodec() {}

  /**
   * @throws VdfsException INVALID_ARGUMENT if the map is too large to be published
   */
  public static byte[] encode(RingMap map) throws VdfsException {
    byte[] bytes = toProto(map).toByteArray();
    checkSize(bytes.length);
    return bytes;
  }

  public static RingMap decode(byte[] bytes) throws VdfsException {
    checkSize(bytes.length);
    try {
      return fromProto(RingMapProto.parseFrom(bytes));
    } catch (InvalidProtocolBufferException e) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT, "not a ring map: bytes=" + bytes.length, e);
    }
  }

  public static RingMapProto toProto(RingMap map) {
    RingMapProto.Builder proto =
        RingMapProto.newBuilder()
            .setFormatVersion(FORMAT_VERSION)
            .setEpoch(map.epoch())
            .setReplication(map.replication())
            .setPlacement(map.placement().wireNumber());
    Map<NodeId, Integer> indexes = new HashMap<>();
    for (RingNode node : map.nodes().values()) {
      indexes.put(node.id(), indexes.size());
      proto.addNodes(toProto(node));
    }
    for (ArcReplicas arc : map.arcs()) {
      ArcProto.Builder arcProto = proto.addArcsBuilder();
      arc.serving().forEach(node -> arcProto.addServing(indexes.get(node)));
      arc.joining().forEach(node -> arcProto.addJoining(indexes.get(node)));
    }
    return proto.build();
  }

  public static RingMap fromProto(RingMapProto proto) throws VdfsException {
    checkSize(proto.getSerializedSize());
    checkVersion("ring map", proto.getFormatVersion());
    Map<NodeId, RingNode> nodes = new LinkedHashMap<>();
    for (RingNodeProto nodeProto : proto.getNodesList()) {
      RingNode node = fromProto(nodeProto);
      if (nodes.put(node.id(), node) != null) {
        throw invalid("a node is listed twice in a ring map: node=" + node.id(), null);
      }
    }
    List<NodeId> table = List.copyOf(nodes.keySet());
    List<ArcReplicas> arcs = new ArrayList<>(proto.getArcsCount());
    for (ArcProto arc : proto.getArcsList()) {
      arcs.add(arc(arc, arcs.size(), table));
    }
    try {
      return new RingMap(
          proto.getEpoch(),
          proto.getReplication(),
          Placement.ofWire(proto.getPlacement()),
          arcs,
          nodes);
    } catch (IllegalArgumentException e) {
      throw invalid("invalid ring map: " + e.getMessage(), e);
    }
  }

  public static RingNodeProto toProto(RingNode node) {
    return RingNodeProto.newBuilder()
        .setId(WireIds.encode(node.id()))
        .setHost(node.host())
        .setControlPort(node.controlPort())
        .setDataPort(node.dataPort())
        .setRaftPort(node.raftPort())
        .setWebPort(node.webPort())
        .setRack(node.rack())
        .setCores(node.cores())
        .setWeight(node.weight())
        .build();
  }

  public static RingNode fromProto(RingNodeProto proto) throws VdfsException {
    NodeId id = new NodeId(WireIds.uuid("node id", proto.getId()));
    try {
      return new RingNode(
          id,
          proto.getHost(),
          proto.getControlPort(),
          proto.getDataPort(),
          proto.getRaftPort(),
          proto.getWebPort(),
          proto.getRack(),
          proto.getCores(),
          proto.getWeight());
    } catch (IllegalArgumentException e) {
      throw invalid("invalid node: node=" + id + ": " + e.getMessage(), e);
    }
  }

  private static ArcReplicas arc(ArcProto proto, int arc, List<NodeId> table) throws VdfsException {
    if (proto.getServingCount() + proto.getJoiningCount() > RingMap.MAX_ARC_MEMBERS) {
      throw invalid(
          "too many members: arc=%s, serving=%s, joining=%s, limit=%s"
              .formatted(
                  arc, proto.getServingCount(), proto.getJoiningCount(), RingMap.MAX_ARC_MEMBERS),
          null);
    }
    List<NodeId> serving = members(proto.getServingList(), arc, table);
    List<NodeId> joining = members(proto.getJoiningList(), arc, table);
    try {
      return new ArcReplicas(serving, joining);
    } catch (IllegalArgumentException e) {
      throw invalid("invalid arc: arc=" + arc + ": " + e.getMessage(), e);
    }
  }

  private static List<NodeId> members(List<Integer> indexes, int arc, List<NodeId> table)
      throws VdfsException {
    List<NodeId> members = new ArrayList<>(indexes.size());
    for (int index : indexes) {
      if (index < 0 || index >= table.size()) {
        throw invalid(
            "no such node in the table: arc=%s, index=%s, nodes=%s"
                .formatted(arc, Integer.toUnsignedString(index), table.size()),
            null);
      }
      members.add(table.get(index));
    }
    return members;
  }

  private static void checkVersion(String what, int version) throws VdfsException {
    if (version != FORMAT_VERSION) {
      throw invalid(
          ("unknown format of a %s: version=%s, known=%s; run one release everywhere, and"
                  + " format anew what another one formatted")
              .formatted(what, Integer.toUnsignedString(version), FORMAT_VERSION),
          null);
    }
  }

  private static void checkSize(int bytes) throws VdfsException {
    if (bytes > MAX_BYTES) {
      throw invalid("ring map too large: bytes=" + bytes + ", limit=" + MAX_BYTES, null);
    }
  }

  private static VdfsException invalid(String message, IllegalArgumentException cause) {
    return new VdfsException(ErrorCode.INVALID_ARGUMENT, message, cause);
  }
}
