package io.vdfs.common.ring;

import java.math.BigDecimal;
import java.math.MathContext;

/**
 * The share of the ring that a node gets, relative to the other nodes. By default that follows from
 * the room on its volumes: one for each TiB. Stateless.
 */
public final class NodeWeight {
  /** The weight of a node with a GiB or less. */
  public static final double LEAST = 0.001;

  public static final double MOST = 1000;

  private static final BigDecimal TIB = BigDecimal.valueOf(1L << 40);

  /** Disks of one kind differ by less, so that their nodes weigh the same. */
  private static final MathContext DIGITS = new MathContext(2);

  private NodeWeight() {}

  /**
   * The weight of a node with so much room, in two significant digits and within the range.
   *
   * @param capacity bytes of its volumes; 0 where they are not known
   * @return 1 for a capacity of 0
   * @throws IllegalArgumentException if the capacity is negative
   */
  public static double ofCapacity(long capacity) {
    if (capacity < 0) {
      throw new IllegalArgumentException("a capacity is not negative: capacity=" + capacity);
    }
    return capacity == 0
        ? 1
        : Math.min(
            MOST, Math.max(LEAST, BigDecimal.valueOf(capacity).divide(TIB, DIGITS).doubleValue()));
  }

  /**
   * @throws IllegalArgumentException if it lies outside the range
   */
  static void check(double weight) {
    if (!(weight >= LEAST && weight <= MOST)) {
      throw new IllegalArgumentException(
          "a node's weight lies between 0.001 and 1000: weight=" + weight);
    }
  }
}
