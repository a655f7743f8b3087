package io.vdfs.datanode.store.status;

import java.nio.file.Path;
import java.util.Optional;
import java.util.UUID;

/**
 * Room on a volume. Immutable.
 *
 * @param capacity bytes of the disk
 * @param used bytes of the disk that are taken, by any files
 * @param free bytes that blocks may still take, without the reserve
 * @param roomy whether a new group has room
 * @param suspect why no new groups go to this volume, if so
 */
public record VolumeUsage(
    Path directory,
    UUID volume,
    long capacity,
    long used,
    long free,
    boolean roomy,
    Optional<String> suspect) {
  /** Whether new groups go to this volume. */
  public boolean takesGroups() {
    return roomy && suspect.isEmpty();
  }
}
