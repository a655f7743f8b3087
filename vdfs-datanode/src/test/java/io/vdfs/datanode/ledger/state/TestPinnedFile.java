package io.vdfs.datanode.ledger.state;

import io.vdfs.common.model.FileKey;

/** Files as a stream pins them, for tests of what reads them. */
public final class TestPinnedFile {
  private TestPinnedFile() {}

  /**
   * A file of any length.
   *
   * @param ranges first block and number of blocks of each, ascending
   */
  public static PinnedFile of(int... ranges) {
    PinnedFile file = new PinnedFile(new FileKey(1, 1), Long.MAX_VALUE, "/in");
    for (int at = 0; at < ranges.length; at += 2) {
      file.addRange(ranges[at], ranges[at + 1]);
    }
    return file;
  }
}
