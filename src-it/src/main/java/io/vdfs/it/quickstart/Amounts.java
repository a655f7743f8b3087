package io.vdfs.it.quickstart;

import java.util.Locale;

/** Numbers as people read them. Stateless. */
final class Amounts {
  private Amounts() {}

  static String mebibytes(long bytes) {
    return String.format(Locale.ROOT, "%,.1f MiB", bytes / (double) (1 << 20));
  }

  static String count(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }

  /** As in {@code 1 task} and {@code 3 tasks}. */
  static String of(long number, String noun) {
    return count(number) + " " + noun + (number == 1 ? "" : "s");
  }
}
