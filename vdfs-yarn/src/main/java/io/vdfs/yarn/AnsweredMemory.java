package io.vdfs.yarn;

import java.util.OptionalLong;

/**
 * Keeps memory for a DataNode that does not answer: if it is down, its heap looks free, and it
 * would not find it again when it comes back. Confined to one thread.
 */
final class AnsweredMemory {
  private OptionalLong last = OptionalLong.empty();

  /**
   * @param measured memory for containers in MiB, if it can be measured
   * @param answers whether the DataNode answers now
   * @return no more than at the last answer, if there was one
   */
  OptionalLong limit(OptionalLong measured, boolean answers) {
    if (answers) {
      last = measured;
      return measured;
    }
    if (measured.isEmpty() || last.isEmpty()) {
      return measured;
    }
    return OptionalLong.of(Math.min(measured.getAsLong(), last.getAsLong()));
  }
}
