package io.vdfs.datanode.repair;

import io.vdfs.common.model.FileKey;

/**
 * Keeps reports of what this node holds apart from discards: else the metadata would be told of a
 * copy that is gone by the time they hear of it. Confined to the loop of repair.
 */
public interface DiscardGate {
  /** Number of reports, made or about to be made, that discarding a file could make wrong. */
  long claims();

  /**
   * Announces that what is held of a file is to go. Until {@link #endDiscard} nothing of it counts
   * as held.
   *
   * @param claims as they were before the metadata were asked whether the file is needed
   * @return false, with nothing changed, if it may be needed again by now
   */
  boolean beginDiscard(FileKey file, long claims);

  void endDiscard(FileKey file);
}
