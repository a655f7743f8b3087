package io.vdfs.datanode.scrub;

import io.vdfs.common.model.FileKey;
import java.util.Optional;

/**
 * How far a pass over all groups, in the order of their file keys, has come. Immutable.
 *
 * @param passBegunMillis when the pass began, in milliseconds of the epoch
 * @param wholeSinceMillis when the last pass that came to its end began: all that was held then,
 *     and still is, was read after that; of a node that has completed none, when its first one
 *     began
 * @param last file of the last group that was read; empty at the beginning of a pass
 * @param group the last group of that file that was read
 * @param ended whether the pass came to its end
 */
public record ScrubPosition(
    long passBegunMillis, long wholeSinceMillis, Optional<FileKey> last, int group, boolean ended) {
  /** Before the first pass. */
  public static ScrubPosition first(long nowMillis) {
    return new ScrubPosition(nowMillis, nowMillis, Optional.empty(), 0, false);
  }

  ScrubPosition at(FileKey file, int ofFile) {
    return new ScrubPosition(passBegunMillis, wholeSinceMillis, Optional.of(file), ofFile, false);
  }

  /** The end of this pass. */
  ScrubPosition end() {
    return new ScrubPosition(passBegunMillis, passBegunMillis, Optional.empty(), 0, true);
  }

  /** The beginning of the pass after this one. */
  ScrubPosition nextPass(long nowMillis) {
    return new ScrubPosition(nowMillis, wholeSinceMillis, Optional.empty(), 0, false);
  }

  boolean isBehind(FileKey file, int ofFile) {
    if (last.isEmpty()) {
      return false;
    }
    int order = file.compareTo(last.get());
    return order < 0 || (order == 0 && ofFile <= group);
  }
}
