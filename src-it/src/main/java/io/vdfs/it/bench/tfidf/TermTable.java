package io.vdfs.it.bench.tfidf;

import java.util.stream.LongStream;

/**
 * A number for each term of {@link Terms}, 12 bytes a slot, so that a table of millions of terms
 * fits into the heap of a task. Not thread-safe.
 */
final class TermTable {
  private static final int FIRST_BITS = 10;
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  private int bits = FIRST_BITS;
  private int size;
  private long[] terms = new long[1 << bits];
  private int[] numbers = new int[1 << bits];

  /** Adds to a term's number, which is 0 at first. */
  void add(long term, int amount) {
    int slot = slotToWrite(term);
    numbers[slot] = Math.addExact(numbers[slot], amount);
  }

  /**
   * Sets a term's number.
   *
   * @return what it was before, 0 if the term is new
   */
  int put(long term, int number) {
    int slot = slotToWrite(term);
    int before = numbers[slot];
    numbers[slot] = number;
    return before;
  }

  /** A term's number, 0 if the table does not have it. */
  int get(long term) {
    return numbers[slot(term)];
  }

  int size() {
    return size;
  }

  /** All terms that were ever written, sorted. */
  LongStream sorted() {
    return LongStream.of(terms).filter(term -> term != 0).sorted();
  }

  private int slotToWrite(long term) {
    int slot = slot(term);
    if (terms[slot] != 0) {
      return slot;
    }
    if (size >= terms.length / 4 * 3) {
      grow();
      slot = slot(term);
    }
    terms[slot] = term;
    size++;
    return slot;
  }

  /** The slot where the term is, else where it would be. */
  private int slot(long term) {
    int slot = (int) ((term * GOLDEN) >>> (Long.SIZE - bits));
    while (terms[slot] != 0 && terms[slot] != term) {
      slot = (slot + 1) & (terms.length - 1);
    }
    return slot;
  }

  private void grow() {
    long[] oldTerms = terms;
    int[] oldNumbers = numbers;
    bits++;
    terms = new long[1 << bits];
    numbers = new int[1 << bits];
    for (int old = 0; old < oldTerms.length; old++) {
      if (oldTerms[old] != 0) {
        int slot = slot(oldTerms[old]);
        terms[slot] = oldTerms[old];
        numbers[slot] = oldNumbers[old];
      }
    }
  }
}
