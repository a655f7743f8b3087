package io.vdfs.datanode.ledger.state;

import io.vdfs.common.model.BlockDigest;
import io.vdfs.common.model.FileKey;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.BlockRangeProto;
import io.vdfs.common.wire.proto.FileKeyProto;
import io.vdfs.common.wire.proto.StreamFile;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The pinned input files of a stream and which of their blocks are handed out. Only ever grows,
 * until the stream is sealed. Confined to the ledger's owner.
 */
public final class FileTable {
  private final int blockSize;
  private final List<PinnedFile> files = new ArrayList<>();
  private final Map<FileKey, List<Integer>> indexes = new HashMap<>();

  /** A table without files. */
  public FileTable(int blockSize) {
    this.blockSize = blockSize;
  }

  /** Number of files, each as often as it was named. */
  public int size() {
    return files.size();
  }

  /** The file at an index below {@link #size}. */
  public PinnedFile file(int index) {
    return files.get(index);
  }

  /**
   * Where a file stands, in ascending order; several times if it was named so, never if it is none
   * of them.
   *
   * @param most of them, the first ones
   */
  public List<Integer> indexes(FileKey key, int most) {
    List<Integer> all = indexes.getOrDefault(key, List.of());
    return all.subList(0, Math.min(most, all.size()));
  }

  /** Adds a new file, or more ranges to the last one. */
  void add(StreamFile message) {
    PinnedFile file;
    if (message.getIndex() == files.size()) {
      FileKeyProto key = message.getFile();
      file =
          new PinnedFile(
              new FileKey(key.getFileId(), key.getGeneration()),
              message.getLength(),
              message.getPath());
      files.add(file);
      indexes.computeIfAbsent(file.key(), unused -> new ArrayList<>(1)).add(message.getIndex());
    } else {
      file = files.get(message.getIndex());
    }
    for (BlockRangeProto range : message.getRangesList()) {
      file.addRange((int) range.getFirst(), (int) range.getCount());
    }
  }

  /** Byte of the file at which blocks begin. */
  public long offset(BlockRange range) {
    return (long) range.first() * blockSize;
  }

  /** Bytes of blocks, of which the last one of a file may be shorter. */
  public long bytes(BlockRange range) {
    long end = Math.min(file(range.file()).length(), (long) range.end() * blockSize);
    return end - offset(range);
  }

  /** Count, bytes and digest of blocks. */
  public Totals totals(BlockRange range) {
    FileKey key = file(range.file()).key();
    long digest = BlockDigest.of(key, range.first(), range.count());
    return new Totals(range.count(), bytes(range), digest);
  }

  /**
   * A file with some of its ranges as it travels, without the nodes of its groups.
   *
   * @param from index of the first range
   * @param to index of the one after the last range
   */
  StreamFile toMessage(int index, int from, int to) {
    PinnedFile file = file(index);
    StreamFile.Builder message = pinned(index);
    for (int i = from; i < to; i++) {
      message.addRanges(
          BlockRangeProto.newBuilder().setFirst(file.rangeFirst(i)).setCount(file.rangeCount(i)));
    }
    return message.build();
  }

  /** As {@link #toMessage}, without the ranges. */
  public StreamFile.Builder pinned(int index) {
    PinnedFile file = file(index);
    return StreamFile.newBuilder()
        .setIndex(index)
        .setFile(WireIds.encode(file.key()))
        .setLength(file.length())
        .setPath(file.path());
  }
}
