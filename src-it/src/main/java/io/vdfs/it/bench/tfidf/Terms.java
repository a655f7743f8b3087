package io.vdfs.it.bench.tfidf;

import java.util.function.LongConsumer;

/**
 * The terms of a text: runs of ASCII letters, whose case does not count, and of which only the
 * first {@value #LETTERS} letters count. Each is a number: five bits a letter, the first one in the
 * highest bits, so that numbers sort as the terms do. No term is 0.
 */
final class Terms {
  /** How many letters of a term count. */
  static final int LETTERS = 12;

  private static final int LETTER_BITS = 5;
  private static final int LETTER_MASK = (1 << LETTER_BITS) - 1;

  private Terms() {}

  /** Hands on each term in the first {@code length} bytes of a text, in order. */
  static void each(byte[] text, int length, LongConsumer consumer) {
    long term = 0;
    int letters = 0;
    for (int at = 0; at < length; at++) {
      int letter = (text[at] | 0x20) - 'a' + 1;
      if (letter >= 1 && letter <= 26 && text[at] > 0) {
        term |= letters < LETTERS ? letter(letter, letters) : 0;
        letters++;
      } else if (letters > 0) {
        consumer.accept(term);
        term = 0;
        letters = 0;
      }
    }
    if (letters > 0) {
      consumer.accept(term);
    }
  }

  private static long letter(long letter, int position) {
    return letter << shift(position);
  }

  private static int shift(int position) {
    return LETTER_BITS * (LETTERS - 1 - position);
  }

  /** The term itself, in small letters. */
  static String spell(long term) {
    StringBuilder word = new StringBuilder(LETTERS);
    for (int position = 0; position < LETTERS; position++) {
      int letter = (int) (term >>> shift(position)) & LETTER_MASK;
      if (letter > 0) {
        word.append((char) ('a' + letter - 1));
      }
    }
    return word.toString();
  }
}
