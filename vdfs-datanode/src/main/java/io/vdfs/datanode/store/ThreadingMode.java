package io.vdfs.datanode.store;

/** Who forces files in the background. */
enum ThreadingMode {
  /** A thread per volume. */
  OWN_THREADS,
  /**
   * Whoever calls {@link DiskBlockStore#writeBack()}: tests, which want the same order each time.
   */
  CALLER
}
