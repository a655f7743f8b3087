package io.vdfs.common.ring;

import io.vdfs.common.model.InodeIds;

/**
 * The order in which files take their first arcs: round the ring in turn, a little shuffled.
 *
 * <p>A fresh ring deals consecutive arcs to the nodes in turn, so consecutive arcs load all nodes
 * alike, however many there are. Taken strictly in order, though, every third file of a cluster of
 * three would lie on one node. So three things are drawn, each from a hash of its number:
 *
 * <ol>
 *   <li>Six files with consecutive numbers, a <em>window</em>, take six consecutive arcs: the two
 *       halves in either order, the three files of each half in any. So every second to sixth file
 *       is on any of these arcs, and a run of files fills whole windows except at its ends.
 *   <li>Sixteen windows are a <em>leg</em>. A leg is three arcs longer than its files need, and
 *       begins up to six arcs late. So patterns that keep in step with the windows get out of step
 *       with the nodes.
 *   <li>Thirty-five legs are a <em>turn</em>, which begins anywhere on the ring.
 * </ol>
 *
 * <p>Series (see {@link InodeIds}) begin far from each other: series s at the fraction of the ring
 * that the bits of s make in reverse.
 *
 * <p>Part of the on-disk contract. Pure.
 */
final class TurnOrder {
  static final int HALF = 3;
  static final int WINDOW = 2 * HALF;
  static final int LEG = 16 * WINDOW;
  static final int TURN = 35 * LEG;

  private static final int SPARE_ARCS = 3;
  private static final int LATEST = 6;
  private static final int SERIES_BITS = Integer.numberOfTrailingZeros(InodeIds.SERIES);

  private TurnOrder() {}

  /**
   * First arc of a file.
   *
   * @param number of the file, see {@link InodeIds}
   */
  static int arc(long number, int arcs) {
    int series = InodeIds.series(number);
    long count = InodeIds.count(number);
    long start = (long) RingHash.arc(drawn(series, count / TURN, TURN), arcs);
    return (int) ((start + seriesStart(series, arcs) + place(series, count)) % arcs);
  }

  /** Arcs from the beginning of its turn to a file. */
  private static long place(int series, long count) {
    long late = Long.remainderUnsigned(drawn(series, count / LEG, LEG), LATEST + 1L);
    int leg = (int) (count % TURN) / LEG;
    int window = (int) (count % LEG) / WINDOW;
    return late
        + (long) leg * (LEG + SPARE_ARCS)
        + (long) window * WINDOW
        + inWindow(series, count);
  }

  private static int inWindow(int series, long count) {
    int half = (int) (count % WINDOW) / HALF;
    int file = (int) (count % HALF);
    int swapped = (int) drawn(series, count / WINDOW, WINDOW) & 1;
    long order = drawn(series, count / HALF, HALF);
    int step = 1 + ((int) order & 1);
    int first = (int) Long.remainderUnsigned(order >>> 1, HALF);
    return HALF * (half ^ swapped) + (first + step * file) % HALF;
  }

  /** The hash drawn for a part of a series, each part having that many files. */
  private static long drawn(int series, long part, int files) {
    return RingHash.mix(RingHash.mix(((long) series << Short.SIZE) | files) + part);
  }

  static int seriesStart(int series, int arcs) {
    long reversed =
        Integer.toUnsignedLong(Integer.reverse(series)) >>> (Integer.SIZE - SERIES_BITS);
    return (int) ((reversed * arcs) >>> SERIES_BITS);
  }
}
