package io.vdfs.datanode.store.index;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.store.BlockRole;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * An index that knows how much is held, by volume and role: each change of an entry changes the
 * sums by what it adds and what it takes away. They are exact while no entry is being changed.
 * Thread-safe as the index behind it is.
 */
public final class TalliedIndex implements BlockIndex {
  private final BlockIndex index;
  private final int groupBlocks;
  private final Map<Place, Sums> sums = new ConcurrentHashMap<>();

  private record Place(int volume, BlockRole role) {}

  private record Sums(LongAdder groups, LongAdder bytes) {
    Sums() {
      this(new LongAdder(), new LongAdder());
    }
  }

  /**
   * @param index empty; changed and closed by this one alone from now on
   * @param groupBlocks blocks of a group
   */
  public TalliedIndex(BlockIndex index, int groupBlocks) {
    this.index = index;
    this.groupBlocks = groupBlocks;
  }

  @Override
  public Optional<BlockEntry> get(BlockKey key) {
    return index.get(key);
  }

  @Override
  public void put(BlockKey key, BlockEntry entry) throws VdfsException {
    Optional<BlockEntry> before = index.get(key);
    index.put(key, entry);
    before.ifPresent(old -> add(key, old, -1));
    add(key, entry, 1);
  }

  @Override
  public void remove(BlockKey key) {
    Optional<BlockEntry> before = index.get(key);
    index.remove(key);
    before.ifPresent(old -> add(key, old, -1));
  }

  private void add(BlockKey key, BlockEntry entry, int sign) {
    if (entry.length() > 0) {
      Sums place =
          sums.computeIfAbsent(new Place(entry.volume(), entry.role()), missing -> new Sums());
      place.bytes().add((long) sign * entry.length());
      place.groups().add(key.block() % groupBlocks == 0 ? sign : 0);
    }
  }

  /** Groups whose first block lies on that volume in that role, with at least a byte. */
  public long groups(int volume, BlockRole role) {
    Sums place = sums.get(new Place(volume, role));
    return place == null ? 0 : place.groups().sum();
  }

  /** Bytes of all blocks that lie on that volume in that role. */
  public long bytes(int volume, BlockRole role) {
    Sums place = sums.get(new Place(volume, role));
    return place == null ? 0 : place.bytes().sum();
  }

  @Override
  public long size() {
    return index.size();
  }

  @Override
  public void close() {
    index.close();
  }
}
