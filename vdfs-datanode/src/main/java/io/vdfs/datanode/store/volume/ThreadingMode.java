package io.vdfs.datanode.store.volume;

/** Which threads scan volumes at the start, and force files in the background. */
public enum ThreadingMode {
  /** A thread per volume. */
  OWN_THREADS,
  /**
   * The threads that open the store and call {@code DiskBlockStore.writeBack}: for tests, which
   * want the same order each time.
   */
  CALLER
}
