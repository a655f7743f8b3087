package io.vdfs.datanode.store.volume;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToIntFunction;

/**
 * Decides on which volume a node puts a group of which it holds nothing yet. A volume must have
 * room and not be suspect. Of those, the one where the file has fewest slots comes first, so that
 * its groups go round the volumes whichever of them this node holds; of equal ones, the next one
 * from a place that depends on the file, so that files of one group go round the volumes too.
 * Stateless.
 */
public final class VolumeChoice {
  private VolumeChoice() {}

  /**
   * @param volumes of the node, in their order
   * @param slotsOn how many slots the file has on a volume, in the role that the group is to have
   * @throws VdfsException NO_SPACE or IO_ERROR if no volume takes it
   */
  public static Volume choose(
      List<Volume> volumes, FileKey file, int group, ToIntFunction<Volume> slotsOn)
      throws VdfsException {
    for (Volume volume : byPreference(volumes, file, slotsOn)) {
      if (volume.acceptsGroup()) {
        return volume;
      }
    }
    boolean allSuspect = volumes.stream().allMatch(Volume::isSuspect);
    throw new VdfsException(
        allSuspect ? ErrorCode.IO_ERROR : ErrorCode.NO_SPACE,
        "%s: file=%s, group=%s, volumes=%s, needed=%s%s"
            .formatted(
                allSuspect ? "all volumes are suspect" : "no volume has room",
                file,
                group,
                volumes.stream().map(Volume::directory).toList(),
                volumes.get(0).roomForGroup(),
                allSuspect
                    ? "; this node's log says what failed there"
                    : "; free space there or lower vdfs.volume.reserve"));
  }

  private static List<Volume> byPreference(
      List<Volume> volumes, FileKey file, ToIntFunction<Volume> slotsOn) {
    List<Volume> order = new ArrayList<>(volumes);
    Collections.rotate(order, -Math.floorMod(mix(file), volumes.size()));
    order.sort(Comparator.comparingInt(slotsOn));
    return order;
  }

  /**
   * The finaliser of SplitMix64. Another hash than the one that says which nodes hold the file:
   * with that one the files of one node might all have the same remainder.
   */
  private static long mix(FileKey key) {
    long z = key.fileId() + key.generation() * 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
