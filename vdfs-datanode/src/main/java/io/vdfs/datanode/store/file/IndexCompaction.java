package io.vdfs.datanode.store.file;

import io.vdfs.common.store.CombinedFileHeader;
import io.vdfs.datanode.store.disk.DiskFile;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * Copies the records of an index file that count: the last one of each slot, unless it was reopened
 * since, and the highest fence of each group. Reads the file twice, since memory has room for no
 * more than the place of each slot's record. Stateless.
 */
final class IndexCompaction {
  private IndexCompaction() {}

  /** The places of the records that count. */
  private static final class Places implements IndexReader.Sink {
    private final Map<Integer, Long> settled = new HashMap<>();
    private final Map<Integer, Long> fences = new HashMap<>();
    private boolean damaged;

    @Override
    public void onRecord(IndexRecord record, long offset, int size) {
      if (record instanceof IndexRecord.Fence fence) {
        fences.merge(fence.group(), fence.epoch(), Math::max);
      } else if (record instanceof IndexRecord.Settled found) {
        settled.put(found.footer().slot(), offset);
      } else if (record instanceof IndexRecord.Reopened reopened) {
        settled.remove(reopened.slot());
      }
    }

    @Override
    public void onDamage(String what) {
      damaged = true;
    }
  }

  /** Writes those records. */
  private record Copy(Places places, IndexWriter writer) implements IndexReader.Sink {
    @Override
    public void onRecord(IndexRecord record, long offset, int size) throws IOException {
      if (record instanceof IndexRecord.Settled found
          && places.settled.getOrDefault(found.footer().slot(), -1L) == offset) {
        writer.append(record);
      }
    }

    @Override
    public void onDamage(String what) {
      places.damaged = true;
    }
  }

  /**
   * @param end of the records in {@code from}
   * @return size of the copy, which is durable except for its name; 0 if the file is damaged and
   *     must stay as it is for the next start to make it anew from the footers
   */
  static long copy(DiskFile from, long end, DiskFile to, CombinedFileHeader header)
      throws IOException {
    Places places = new Places();
    new IndexReader(from, header, end).read(places);
    if (places.damaged) {
      return 0;
    }
    IndexWriter writer = new IndexWriter(to, header);
    for (Map.Entry<Integer, Long> fence : places.fences.entrySet()) {
      writer.append(new IndexRecord.Fence(fence.getKey(), fence.getValue()));
    }
    new IndexReader(from, header, end).read(new Copy(places, writer));
    return places.damaged ? 0 : writer.finish();
  }
}
