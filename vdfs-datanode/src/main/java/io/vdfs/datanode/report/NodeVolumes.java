package io.vdfs.datanode.report;

import io.vdfs.common.metrics.Metric;
import io.vdfs.common.store.BlockRole;
import io.vdfs.common.wire.proto.NodeSpaceProto;
import io.vdfs.common.wire.proto.VolumeSpaceProto;
import io.vdfs.datanode.machine.DiskLoads;
import io.vdfs.datanode.machine.DiskLoads.DiskLoad;
import io.vdfs.datanode.store.BlockStore;
import io.vdfs.datanode.store.status.FailedVolume;
import io.vdfs.datanode.store.status.HeldBlocks;
import io.vdfs.datanode.store.status.VolumeUsage;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.ToLongFunction;

/** A node's reports of its volumes, each by itself and all together. Stateless. */
public final class NodeVolumes {
  private NodeVolumes() {}

  /** Bytes of the volumes that serve. */
  public static long capacity(BlockStore store) {
    return store.usage().stream().mapToLong(VolumeUsage::capacity).sum();
  }

  /**
   * @param weight with which the node would join the ring now
   * @param metadataProblem why there is no metadata on this node, if a disk is the cause
   */
  public static NodeSpaceProto toProto(
      BlockStore store, double weight, Optional<String> metadataProblem) {
    NodeSpaceProto.Builder space = NodeSpaceProto.newBuilder().setWeight(weight);
    for (VolumeUsage volume : store.usage()) {
      space
          .setCapacity(space.getCapacity() + volume.capacity())
          .setUsed(space.getUsed() + volume.used())
          .setFree(space.getFree() + volume.free())
          .addVolumes(
              VolumeSpaceProto.newBuilder()
                  .setDirectory(volume.directory().toString())
                  .setState(state(volume))
                  .setCapacity(volume.capacity())
                  .setUsed(volume.used())
                  .setFree(volume.free()));
      problem(volume)
          .ifPresent(
              why ->
                  space.addProblems(
                      "takes no new blocks: directory=" + volume.directory() + ", " + why));
    }
    for (FailedVolume volume : store.report().failedVolumes()) {
      space.addProblems("not served: " + volume.why());
      space.addVolumes(
          VolumeSpaceProto.newBuilder()
              .setDirectory(volume.directory().toString())
              .setState(VolumeSpaceProto.State.FAILED));
    }
    metadataProblem.ifPresent(space::addProblems);
    return space.build();
  }

  private static VolumeSpaceProto.State state(VolumeUsage volume) {
    if (volume.suspect().isPresent()) {
      return VolumeSpaceProto.State.SUSPECT;
    }
    return volume.roomy() ? VolumeSpaceProto.State.SERVING : VolumeSpaceProto.State.FULL;
  }

  private static Optional<String> problem(VolumeUsage volume) {
    return volume.suspect().isPresent() || volume.roomy()
        ? volume.suspect()
        : Optional.of(
            "full but for vdfs.volume.reserve: free=%s; free space there or lower it"
                .formatted(volume.free()));
  }

  /**
   * Numbers of each volume that serves, one kind after the other.
   *
   * @param readAhead most bytes that a volume reads before they are asked for
   */
  static List<Metric> metrics(BlockStore store, DiskLoads disks, long readAhead) {
    List<VolumeUsage> volumes = store.usage();
    List<Metric> metrics = new ArrayList<>();
    add(metrics, volumes, "capacity_bytes", "bytes of the disk", VolumeUsage::capacity);
    add(metrics, volumes, "used_bytes", "bytes of the disk that are taken", VolumeUsage::used);
    add(metrics, volumes, "free_bytes", "bytes that blocks may still take", VolumeUsage::free);
    add(
        metrics,
        volumes,
        "takes_blocks",
        "1 where new blocks go there, 0 where it is full or suspect",
        volume -> volume.takesGroups() ? 1 : 0);
    add(
        metrics,
        volumes,
        "read_ahead_bytes",
        "most bytes that are read before anybody asks for them",
        volume -> readAhead);
    addHeld(metrics, store.held());
    List<VolumeUsage> measured =
        volumes.stream().filter(volume -> disks.of(volume.directory()).isPresent()).toList();
    add(
        metrics,
        measured,
        "disk_busy_percent",
        "share of the last second in which the disk had a request",
        volume -> disks.of(volume.directory()).map(DiskLoad::busyPercent).orElse(0L));
    add(
        metrics,
        measured,
        "disk_queue_hundredths",
        "hundred times the requests that were with the disk in the last second, on average",
        volume -> disks.of(volume.directory()).map(DiskLoad::queueHundredths).orElse(0L));
    return metrics;
  }

  private static void addHeld(List<Metric> metrics, List<HeldBlocks> held) {
    for (BlockRole role : BlockRole.values()) {
      String name = role.name().toLowerCase(Locale.ROOT);
      List<HeldBlocks> ofRole = held.stream().filter(part -> part.role() == role).toList();
      for (HeldBlocks part : ofRole) {
        metrics.add(
            level(
                name + "_groups",
                "groups whose first block lies there, as " + name,
                part.directory(),
                part.groups()));
      }
      for (HeldBlocks part : ofRole) {
        metrics.add(
            level(
                name + "_bytes",
                "bytes of blocks that lie there, as " + name,
                part.directory(),
                part.bytes()));
      }
    }
  }

  private static void add(
      List<Metric> metrics,
      List<VolumeUsage> volumes,
      String name,
      String label,
      ToLongFunction<VolumeUsage> value) {
    for (VolumeUsage volume : volumes) {
      metrics.add(level(name, label, volume.directory(), value.applyAsLong(volume)));
    }
  }

  private static Metric level(String name, String label, Path directory, long value) {
    return new Metric(
        "volume",
        name,
        label,
        true,
        value,
        Optional.of(new Metric.Part("directory", directory.toString())));
  }
}
