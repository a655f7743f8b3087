package io.vdfs.datanode.store.volume;

/** Who scans volumes at the start, and forces files in the background. */
public enum ThreadingMode {
  /** A thread per volume. */
  OWN_THREADS,
  /**
   * Whoever opens the store, and calls {@code DiskBlockStore.writeBack}: tests, which want the same
   * order each time.
   */
  CALLER
}
