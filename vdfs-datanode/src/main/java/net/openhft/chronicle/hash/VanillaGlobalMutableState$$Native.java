package net.openhft.chronicle.hash;

import net.openhft.chronicle.bytes.BytesStore;

/**
 * The data that a Chronicle Map keeps about itself in its file, at the places that the library's
 * generator gives it. The library takes the class of this name if there is one, and else writes its
 * source and compiles it, which takes more than a second of processor time at each start of a
 * daemon; see decision 27. Confined to the map.
 */
public final class VanillaGlobalMutableState$$Native implements VanillaGlobalMutableState {
  private static final int BULKS = 0;
  private static final int FIRST_FREE_TIER = 3;
  private static final int TIERS_IN_USE = 8;
  private static final int SEGMENT_HEADERS = 13;
  private static final int DATA_STORE_SIZE = 17;
  private static final int SIZE = 25;

  private static final int BULKS_MAX = (1 << 24) - 1;
  private static final long TIERS_MAX = (1L << 40) - 1;
  private static final long SEGMENT_HEADERS_MAX = (1L << 32) - 1;

  private BytesStore<?, ?> bytes;
  private long start;

  private static void check(String what, long value, long max) {
    if (value < 0 || value > max) {
      throw new IllegalArgumentException(
          "no %s of a map: value=%d, most=%d".formatted(what, value, max));
    }
  }

  /** A number of five bytes; those behind it stay as they are. */
  private long readTiers(int place) {
    return bytes.readLong(start + place) & TIERS_MAX;
  }

  private void writeTiers(int place, long value) {
    check("number of tiers", value, TIERS_MAX);
    bytes.writeLong(start + place, (bytes.readLong(start + place) & ~TIERS_MAX) | value);
  }

  @Override
  public int getAllocatedExtraTierBulks() {
    return bytes.readInt(start + BULKS) & BULKS_MAX;
  }

  @Override
  public void setAllocatedExtraTierBulks(int bulks) {
    check("number of bulks", bulks, BULKS_MAX);
    bytes.writeInt(start + BULKS, (bytes.readInt(start + BULKS) & ~BULKS_MAX) | bulks);
  }

  @Override
  public long getFirstFreeTierIndex() {
    return readTiers(FIRST_FREE_TIER);
  }

  @Override
  public void setFirstFreeTierIndex(long index) {
    writeTiers(FIRST_FREE_TIER, index);
  }

  @Override
  public long getExtraTiersInUse() {
    return readTiers(TIERS_IN_USE);
  }

  @Override
  public void setExtraTiersInUse(long tiers) {
    writeTiers(TIERS_IN_USE, tiers);
  }

  @Override
  public long getSegmentHeadersOffset() {
    return bytes.readInt(start + SEGMENT_HEADERS) & SEGMENT_HEADERS_MAX;
  }

  @Override
  public void setSegmentHeadersOffset(long offset) {
    check("offset of segment headers", offset, SEGMENT_HEADERS_MAX);
    bytes.writeInt(start + SEGMENT_HEADERS, (int) offset);
  }

  @Override
  public long getDataStoreSize() {
    return bytes.readLong(start + DATA_STORE_SIZE);
  }

  @Override
  public void setDataStoreSize(long size) {
    check("size", size, Long.MAX_VALUE);
    bytes.writeLong(start + DATA_STORE_SIZE, size);
  }

  @Override
  public long addDataStoreSize(long addition) {
    long size = getDataStoreSize() + addition;
    setDataStoreSize(size);
    return size;
  }

  @Override
  @SuppressWarnings("rawtypes") // as the library declares it
  public void bytesStore(BytesStore store, long offset, long length) {
    if (length != SIZE || offset + length > store.capacity()) {
      throw new IllegalArgumentException(
          "no place for the state of a map: offset=%d, length=%d, capacity=%d"
              .formatted(offset, length, store.capacity()));
    }
    bytes = store;
    start = offset;
  }

  @Override
  public BytesStore<?, ?> bytesStore() {
    return bytes;
  }

  @Override
  public long offset() {
    return start;
  }

  @Override
  public long maxSize() {
    return SIZE;
  }
}
