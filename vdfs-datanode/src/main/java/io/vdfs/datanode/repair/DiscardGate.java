package io.vdfs.datanode.repair;

import io.vdfs.common.model.FileKey;

/**
 * Keeps apart who says what this node holds and who discards some of it: else the metadata would be
 * told of a copy that is gone by the time they hear it. Confined to the loop of repair.
 */
public interface DiscardGate {
  /** How often something was said, or was about to be, that a discarded file could make wrong. */
  long claims();

  /**
   * What is held of a file is to go. Until {@link #endDiscard} nothing of it counts as held.
   *
   * @param claims as they were before the metadata were asked whether anybody needs it
   * @return false, with nothing changed, if it may be needed again by now
   */
  boolean beginDiscard(FileKey file, long claims);

  void endDiscard(FileKey file);
}
