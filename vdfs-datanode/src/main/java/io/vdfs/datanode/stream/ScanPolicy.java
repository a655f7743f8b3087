package io.vdfs.datanode.stream;

import java.util.List;
import java.util.Optional;

/**
 * Decides which scan of a volume is read next, and for how long. Pure: the answer depends on the
 * arguments alone. Goals by priority:
 *
 * <ol>
 *   <li>a scan that is waited for gets its turn within a bounded number of bytes read for others;
 *   <li>few seeks: a turn is as long as the others can bear;
 *   <li>the disk moves forward.
 * </ol>
 */
interface ScanPolicy {
  /**
   * A scan that is waited for.
   *
   * @param waitingSince when its oldest demand arrived, in nanoseconds
   * @param lastTurn number of the read that was its last one, or of its arrival; later ones are
   *     higher
   */
  record Waiting(Extent next, long waitingSince, long lastTurn) {}

  /**
   * Picks one of the scans that are waited for.
   *
   * @param last where a scan was read last, successfully or not
   * @param now in nanoseconds
   * @return position in {@code waiting}, which is not empty
   */
  int choose(List<Waiting> waiting, Optional<Extent> last, long now);

  /**
   * Bytes that a scan may read in one go while others wait.
   *
   * @param waiting scans that are waited for, the one being read included
   * @param bytesPerSecond recent speed of the disk
   */
  long run(int waiting, double bytesPerSecond);

  /** Whether to read bytes that were not asked for. */
  boolean readsAhead();
}
