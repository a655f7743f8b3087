package io.vdfs.datanode.ledger;

/** Consecutive blocks of the file with index {@code file} in the stream. Immutable. */
record BlockRange(int file, int first, int count) {
  int end() {
    return first + count;
  }
}
