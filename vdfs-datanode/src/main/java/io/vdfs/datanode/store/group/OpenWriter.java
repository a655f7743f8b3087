package io.vdfs.datanode.store.group;

/**
 * The open writer of a group, as seen by those that end it. All methods are called with the guard
 * held.
 */
interface OpenWriter {
  long epoch();

  /** A later writer or a fence has come; what was written stays. */
  void onFenced();

  /** The file is being deleted. */
  void onDeleted();

  /** The store is closing; what is visible stays. */
  void abandon();
}
