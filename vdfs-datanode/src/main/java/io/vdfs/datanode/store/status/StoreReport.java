package io.vdfs.datanode.store.status;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * The findings of opening a store. Immutable.
 *
 * @param freshVolumes directories that were empty and got a new volume identity: nothing that the
 *     node may have held there before is there
 * @param failedVolumes configured volumes that are not served
 * @param unserved volumes that the node had and does not serve, whether their directories are
 *     configured or not, with the directory where each is or was last
 * @param files combined files in use
 * @param blocks blocks indexed
 * @param rebuiltIndexes index files made anew from footers
 * @param recoveredBlocks blocks that a crash left open and that were verified
 * @param problems damage found, one line each with path and values; damaged files are put aside
 */
public record StoreReport(
    List<Path> freshVolumes,
    List<FailedVolume> failedVolumes,
    Map<UUID, Path> unserved,
    int files,
    long blocks,
    int rebuiltIndexes,
    int recoveredBlocks,
    List<String> problems) {
  public StoreReport {
    failedVolumes = List.copyOf(failedVolumes);
    unserved = Map.copyOf(unserved);
    freshVolumes = List.copyOf(freshVolumes);
    problems = List.copyOf(problems);
  }
}
