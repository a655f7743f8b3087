package io.vdfs.datanode.rpc;

/**
 * Lets each number through once. Numbers come roughly in order; those {@value #SIZE} or more behind
 * the highest are taken for used. Not thread-safe.
 */
final class NumberWindow {
  /** More calls than one process has under way. */
  static final int SIZE = 4096;

  private final long[] used = new long[SIZE / Long.SIZE];
  private long highest = -1;

  /** Whether the number was not used before; it is from now on. */
  boolean use(long number) {
    if (number < 0 || number == Long.MAX_VALUE || number <= highest - SIZE) {
      return false;
    }
    for (long skipped = Math.max(highest + 1, number - SIZE + 1); skipped <= number; skipped++) {
      used[word(skipped)] &= ~bit(skipped);
    }
    highest = Math.max(highest, number);
    boolean fresh = (used[word(number)] & bit(number)) == 0;
    used[word(number)] |= bit(number);
    return fresh;
  }

  private static int word(long number) {
    return (int) (number % SIZE) / Long.SIZE;
  }

  private static long bit(long number) {
    return 1L << (number % Long.SIZE);
  }
}
