package io.vdfs.datanode.meta.state.nodes;

import com.google.protobuf.ByteString;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.ClusterRecordProto;
import io.vdfs.common.wire.proto.KnownVolumeProto;
import io.vdfs.common.wire.proto.NodeVolumesProto;
import io.vdfs.common.wire.proto.VolumeStateProto;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/**
 * The volumes of nodes, as the nodes reported them and operators decided, in the cluster's record.
 * Immutable.
 */
public final class RecordedVolumes {
  private static final Set<VolumeStateProto> BAD =
      Set.of(VolumeStateProto.VOLUME_SUSPECT, VolumeStateProto.VOLUME_FAILED);

  private final Map<NodeId, Map<UUID, KnownVolumeProto>> nodes;

  private RecordedVolumes(Map<NodeId, Map<UUID, KnownVolumeProto>> nodes) {
    this.nodes = Collections.unmodifiableMap(nodes);
  }

  /** Each id in the record was checked before it was recorded. */
  public static RecordedVolumes of(ClusterRecordProto record) {
    Map<NodeId, Map<UUID, KnownVolumeProto>> nodes = new TreeMap<>();
    for (NodeVolumesProto node : record.getVolumesList()) {
      Map<UUID, KnownVolumeProto> volumes = new TreeMap<>();
      node.getVolumesList().forEach(volume -> volumes.put(decoded(volume.getId()), volume));
      nodes.put(new NodeId(decoded(node.getNode())), volumes);
    }
    return new RecordedVolumes(nodes);
  }

  private static UUID decoded(ByteString id) {
    try {
      return WireIds.uuid("recorded id", id);
    } catch (VdfsException e) {
      throw new IllegalStateException("a volume of no node, or no volume: id=" + id, e);
    }
  }

  /** The record with these volumes. */
  public ClusterRecordProto in(ClusterRecordProto record) {
    ClusterRecordProto.Builder next = record.toBuilder().clearVolumes();
    nodes.forEach(
        (node, volumes) ->
            next.addVolumes(
                NodeVolumesProto.newBuilder()
                    .setNode(WireIds.encode(node))
                    .addAllVolumes(volumes.values())));
    return next.build();
  }

  /** Nodes that have reported. */
  public Set<NodeId> nodes() {
    return nodes.keySet();
  }

  /** Nodes with a volume that was not given up. */
  public Set<NodeId> holders() {
    Set<NodeId> found = new TreeSet<>(nodes.keySet());
    found.removeIf(node -> of(node).values().stream().allMatch(RecordedVolumes::isGivenUp));
    return found;
  }

  /** The volumes of a node by their ids; empty if it has not reported. */
  public Map<UUID, KnownVolumeProto> of(NodeId node) {
    return Collections.unmodifiableMap(nodes.getOrDefault(node, Map.of()));
  }

  /** The node that has, or had, a volume. */
  public Optional<NodeId> nodeOf(UUID volume) {
    return nodes.entrySet().stream()
        .filter(node -> node.getValue().containsKey(volume))
        .map(Map.Entry::getKey)
        .findFirst();
  }

  /** Volumes that were given up, of all nodes. */
  public Set<UUID> givenUp() {
    Set<UUID> found = new TreeSet<>();
    nodes
        .values()
        .forEach(
            volumes ->
                volumes.forEach(
                    (id, volume) -> {
                      if (isGivenUp(volume)) {
                        found.add(id);
                      }
                    }));
    return found;
  }

  /** How many volumes are suspect or failed, of these nodes. */
  public long bad(Collection<NodeId> ofNodes) {
    return ofNodes.stream()
        .flatMap(node -> of(node).values().stream())
        .filter(volume -> BAD.contains(volume.getState()))
        .count();
  }

  private static boolean isGivenUp(KnownVolumeProto volume) {
    return volume.getState() == VolumeStateProto.VOLUME_GIVEN_UP;
  }

  /**
   * The record after a node's report. A volume that was given up stays so unless it serves again.
   *
   * @param reported all volumes that the node knows of
   */
  public RecordedVolumes withReport(NodeId node, Collection<KnownVolumeProto> reported) {
    Map<UUID, KnownVolumeProto> before = of(node);
    Map<UUID, KnownVolumeProto> volumes = new TreeMap<>();
    for (KnownVolumeProto volume : reported) {
      UUID id = decoded(volume.getId());
      volumes.put(id, merged(before.get(id), volume));
    }
    return with(node, volumes);
  }

  private static KnownVolumeProto merged(KnownVolumeProto before, KnownVolumeProto reported) {
    if (before == null) {
      return reported;
    }
    KnownVolumeProto.Builder merged = reported.toBuilder();
    if (isGivenUp(before) && reported.getState() != VolumeStateProto.VOLUME_SERVING) {
      merged.setState(VolumeStateProto.VOLUME_GIVEN_UP);
    }
    if (reported.getCapacity() == 0) {
      merged.setCapacity(before.getCapacity());
    }
    return merged.build();
  }

  /**
   * @param lost of the node's recorded volumes
   */
  public RecordedVolumes withGivenUp(NodeId node, Collection<UUID> lost) {
    Map<UUID, KnownVolumeProto> volumes = new TreeMap<>(of(node));
    for (UUID id : lost) {
      volumes.computeIfPresent(
          id,
          (same, volume) -> volume.toBuilder().setState(VolumeStateProto.VOLUME_GIVEN_UP).build());
    }
    return with(node, volumes);
  }

  private RecordedVolumes with(NodeId node, Map<UUID, KnownVolumeProto> volumes) {
    Map<NodeId, Map<UUID, KnownVolumeProto>> next = new TreeMap<>(nodes);
    next.put(node, volumes);
    return new RecordedVolumes(next);
  }

  /** The volumes of these nodes alone. */
  public RecordedVolumes only(Collection<NodeId> kept) {
    Map<NodeId, Map<UUID, KnownVolumeProto>> next = new TreeMap<>(nodes);
    next.keySet().retainAll(Set.copyOf(kept));
    return new RecordedVolumes(next);
  }

  /** The volumes of a node in words, for messages. */
  public List<String> told(NodeId node) {
    return of(node).entrySet().stream()
        .map(
            volume ->
                "%s at %s %s"
                    .formatted(
                        volume.getKey(),
                        volume.getValue().getDirectory(),
                        state(volume.getValue())))
        .toList();
  }

  private static String state(KnownVolumeProto volume) {
    return switch (volume.getState()) {
      case VOLUME_SERVING -> "serving";
      case VOLUME_SUSPECT -> "suspect";
      case VOLUME_FAILED -> "failed";
      case VOLUME_GIVEN_UP -> "given up";
      case UNRECOGNIZED -> "in a state that this release does not know";
    };
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RecordedVolumes volumes && nodes.equals(volumes.nodes);
  }

  @Override
  public int hashCode() {
    return nodes.hashCode();
  }
}
