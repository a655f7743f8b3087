package io.vdfs.client.read;

/**
 * How a file will be read from a position onwards, as far as its reader says. Immutable.
 *
 * @param ahead when bytes are fetched before they are asked for
 * @param end position from which on only what is asked for is fetched
 */
public record ReadPattern(Ahead ahead, long end) {
  /** When to fetch ahead. */
  public enum Ahead {
    /** Reading jumps about: each request is for what is wanted. */
    NEVER,
    /** Nothing is known: once the reading proves sequential. */
    WHEN_SEQUENTIAL,
    /** Reading goes on to the end: from the first byte on, in large requests. */
    AT_ONCE
  }

  /** Of a reader that says nothing. */
  public static final ReadPattern ADAPTIVE = new ReadPattern(Ahead.WHEN_SEQUENTIAL, Long.MAX_VALUE);

  /**
   * @throws IllegalArgumentException if {@code end} is negative
   */
  public ReadPattern {
    if (end < 0) {
      throw new IllegalArgumentException("reading ends at 0 or above: end=" + end);
    }
  }
}
