package io.vdfs.datanode.ledger.state;

import io.vdfs.common.wire.proto.StreamFile;
import io.vdfs.common.wire.proto.StreamHeader;
import io.vdfs.common.wire.proto.StreamNode;

/**
 * Estimates, rather too high than too low, how many bytes of heap a stream takes on each member of
 * the metadata group: objects with references of four bytes, arrays with the room that doubling
 * leaves. Counts what creates a stream, and with it the lists to which its blocks will move; does
 * not count that a list may cut up a part into many runs, which takes as many draws.
 *
 * <p>A function of the header, the files, their blocks and the number of chunks alone, so that a
 * replica that was restored from a snapshot counts as one that saw the requests. Pure.
 */
public final class StreamMemory {
  private static final int STREAM = 1024;

  /** Bytes of a node: its message, its place in the index, and a pool with room for four ranges. */
  private static final int NODE = 384;

  private static final int NEIGHBOUR = 8;

  /** Bytes of a chunk: its sum. */
  public static final int CHUNK = 24;

  /** Bytes of a file: its key, index by key, and the objects around path and ranges. */
  private static final int FILE = 256;

  private static final int PATH_CHARACTER = 2;

  /**
   * Bytes of a part: a range of the file, one of a pool and a run in a list (8, 12, 20), and room.
   */
  private static final int PART = 64;

  private StreamMemory() {}

  /** Bytes of a stream without files. */
  public static long of(StreamHeader header) {
    long bytes = STREAM + (long) NODE * header.getNodesCount();
    for (StreamNode node : header.getNodesList()) {
      bytes += (long) NEIGHBOUR * node.getNeighboursCount();
    }
    return bytes;
  }

  /** Bytes of a file that is new, without its ranges. */
  public static long of(StreamFile file) {
    return FILE + (long) PATH_CHARACTER * file.getPath().length();
  }

  /**
   * Bytes of a range: those of a part for each group that it touches. A range that goes on where
   * the range before it ended adds nothing for a group that both touch.
   *
   * @param after the end of the range before it in the file, 0 if it is the first one
   * @param count at least 1
   */
  public static long ofRange(long after, long first, long count, int groupBlocks) {
    long groups = (first + count - 1) / groupBlocks - first / groupBlocks + 1;
    boolean goesOn = after > 0 && first == after && first % groupBlocks != 0;
    return PART * (goesOn ? groups - 1 : groups);
  }
}
