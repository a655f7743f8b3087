package io.vdfs.datanode.stream;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.FileKey;
import io.vdfs.datanode.store.BlockData;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;

/**
 * Reads the blocks of a node for others: first their turn on the disk, then the bytes. Thread-safe.
 */
public interface StoreReads {
  /**
   * Where a reader runs, as shares of what may wait are counted. An immutable value: those of one
   * host are equal.
   */
  interface Host {
    /** This machine, which has no share, as all tasks of the node run here. */
    Host HERE = () -> false;

    /** Whether the host has a share, which it may not exceed. */
    boolean limited();
  }

  /**
   * Waits for the turn of a range of a block to come from the disk into memory, where {@link #read}
   * then finds it. Never blocks; cancelling it gives the range up.
   *
   * @param host where the reader runs
   * @return fails with NOT_FOUND, IO_ERROR or UNAVAILABLE
   */
  CompletableFuture<Void> warm(Host host, FileKey file, long block, int offset, int length);

  /**
   * Reads the whole chunks that cover a range of a block, up to what the node holds. They are not
   * compared with their checksums: the reader does that. Blocks on the disk.
   *
   * @return to be released by the receiver
   * @throws VdfsException NOT_FOUND, CORRUPT, IO_ERROR or UNAVAILABLE
   */
  BlockData read(FileKey file, long block, int offset, int length) throws VdfsException;

  /**
   * How many bytes {@link #kept} has of a range now, so that its caller can set memory aside before
   * it takes them. Never blocks.
   */
  OptionalInt keptBytes(FileKey file, long block, int offset, int length);

  /**
   * The whole chunks that cover a range, where they are kept here and {@link #warm} would have to
   * fetch them from the disk. Never blocks.
   *
   * @return to be released by the receiver; holds no more memory than it has bytes
   */
  Optional<BlockData> kept(FileKey file, long block, int offset, int length);
}
