package io.vdfs.common.config;

import java.util.Set;

/** Finds the known name that a user may have meant. Stateless. */
public final class NearestName {
  private NearestName() {}

  /**
   * The name that differs least from {@code given}, the first of several.
   *
   * @param names not empty
   */
  public static String of(String given, Set<String> names) {
    String best = "";
    int bestDistance = Integer.MAX_VALUE;
    for (String name : names) {
      int distance = editDistance(given, name);
      if (distance < bestDistance) {
        best = name;
        bestDistance = distance;
      }
    }
    return best;
  }

  /** Levenshtein distance by rows (R. Wagner and M. Fischer, 1974). */
  private static int editDistance(String a, String b) {
    int[] previous = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      previous[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int[] row = new int[b.length() + 1];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int substitution = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        row[j] = Math.min(substitution, 1 + Math.min(row[j - 1], previous[j]));
      }
      previous = row;
    }
    return previous[b.length()];
  }
}
