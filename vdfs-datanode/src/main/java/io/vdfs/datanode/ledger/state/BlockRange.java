package io.vdfs.datanode.ledger.state;

/** Consecutive blocks of the file with index {@code file} in the stream. Immutable. */
public record BlockRange(int file, int first, int count) {
  /** Block after the last one. */
  public int end() {
    return first + count;
  }
}
