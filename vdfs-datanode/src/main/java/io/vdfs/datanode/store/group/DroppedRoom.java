package io.vdfs.datanode.store.group;

import io.vdfs.datanode.store.file.CombinedFile;
import io.vdfs.datanode.store.status.StoreCounter;
import io.vdfs.datanode.store.status.StoreCounters;
import io.vdfs.datanode.store.volume.Volume;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files of which blocks were dropped whose room the disk has not got back. It gets it only
 * after a while, so that no reader that looked a block up before reads what is there then.
 * Thread-safe.
 */
final class DroppedRoom {
  private static final Logger LOG = LoggerFactory.getLogger(DroppedRoom.class);

  private final List<Volume> volumes;
  private final StoreCounters counters;
  private final ConcurrentMap<StoredFile, Long> files = new ConcurrentHashMap<>();

  /**
   * @param volumes on which the files lie
   */
  DroppedRoom(List<Volume> volumes, StoreCounters counters) {
    this.volumes = volumes;
    this.counters = counters;
  }

  /**
   * @param second since 1970, as of which blocks were dropped; Long.MAX_VALUE where the room is to
   *     be given back only when a volume is full
   */
  void onDropped(StoredFile file, long second) {
    files.merge(file, second, DroppedRoom::later);
  }

  private static long later(long one, long other) {
    return one == Long.MAX_VALUE || other == Long.MAX_VALUE
        ? Math.min(one, other)
        : Math.max(one, other);
  }

  /**
   * Gives the room back of what was dropped before a second; all of it where a volume has no room
   * for new groups. Where the filesystem can't do so, or fails, the room stays in use until the
   * next start or the file's deletion, and the log says so.
   */
  void giveBack(long before) {
    if (files.isEmpty()) {
      return;
    }
    boolean all =
        volumes.stream().anyMatch(volume -> !volume.isSuspect() && !volume.acceptsGroup());
    files.forEach(
        (file, second) -> {
          if ((all || second < before) && files.remove(file, second)) {
            giveBack(file);
          }
        });
  }

  private void giveBack(StoredFile file) {
    try {
      for (CombinedFile combined : file.guard().get(() -> List.copyOf(file.combinedFiles()))) {
        int slots = file.guard().get(combined::slots);
        for (int slot = 0; slot < slots; slot++) {
          int next = slot;
          file.guard().run(() -> giveBackGuarded(file, combined, next));
          file.guard().letOthersGoFirst();
        }
      }
    } catch (IOException e) {
      counters.increment(StoreCounter.ROOM_KEPT);
      LOG.warn(
          "room of dropped blocks is not given back before the next start: file={}, cause={}",
          file.key(),
          e.getMessage());
    }
  }

  private void giveBackGuarded(StoredFile file, CombinedFile combined, int slot)
      throws IOException {
    if (!file.isDeleted() && !file.isDiscarded() && isDropped(file, combined, slot)) {
      counters.add(StoreCounter.ROOM_GIVEN_BACK, combined.deallocate(slot));
    }
  }

  /**
   * Whether the last footer of the block of a slot is in this file, and says that it has no bytes.
   */
  private static boolean isDropped(StoredFile file, CombinedFile combined, int slot) {
    OptionalLong block = combined.blockOf(slot);
    return block.isPresent()
        && combined.isAtRest(slot)
        && file.lastEntry(block.getAsLong())
            .filter(entry -> entry.length() == 0)
            .filter(entry -> file.combinedFile(entry).equals(Optional.of(combined)))
            .isPresent();
  }
}
