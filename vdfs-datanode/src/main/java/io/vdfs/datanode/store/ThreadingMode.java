package io.vdfs.datanode.store;

/** Who scans volumes at the start, and forces files in the background. */
enum ThreadingMode {
  /** A thread per volume. */
  OWN_THREADS,
  /**
   * Whoever opens the store, and calls {@link DiskBlockStore#writeBack()}: tests, which want the
   * same order each time.
   */
  CALLER
}
