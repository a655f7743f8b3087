package io.vdfs.datanode.meta.ring;

import java.time.Duration;

/**
 * How long a missing node is waited for before others take its places; zero for ever. Immutable.
 *
 * @param scarce where an arc that the node serves has at most one live serving node left
 * @param usual where there are more
 * @param massLoss where more than a third of the nodes with places are missing; never shorter than
 *     the others
 */
public record RingPatience(Duration scarce, Duration usual, Duration massLoss) {
  public static final RingPatience DEFAULT =
      new RingPatience(Duration.ofSeconds(45), Duration.ofMinutes(10), Duration.ofMinutes(10));

  /**
   * @throws IllegalArgumentException if one is negative
   */
  public RingPatience {
    if (scarce.isNegative() || usual.isNegative() || massLoss.isNegative()) {
      throw new IllegalArgumentException(
          "patience is not negative: scarce=%s, usual=%s, massLoss=%s"
              .formatted(scarce, usual, massLoss));
    }
  }
}
