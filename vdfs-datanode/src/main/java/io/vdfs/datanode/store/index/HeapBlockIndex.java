package io.vdfs.datanode.store.index;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** An index on the heap, for tests and small nodes. Thread-safe. */
public final class HeapBlockIndex implements BlockIndex {
  private final Map<BlockKey, BlockEntry> entries = new ConcurrentHashMap<>();

  @Override
  public Optional<BlockEntry> get(BlockKey key) {
    return Optional.ofNullable(entries.get(key));
  }

  @Override
  public void put(BlockKey key, BlockEntry entry) {
    entries.put(key, entry);
  }

  @Override
  public void remove(BlockKey key) {
    entries.remove(key);
  }

  @Override
  public long size() {
    return entries.size();
  }

  @Override
  public void close() {
    entries.clear();
  }
}
