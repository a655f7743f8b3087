package io.vdfs.it.quickstart;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * The output of a job that counts: wordcount writes a word and its number, grep a number and the
 * match. Immutable.
 *
 * @param total sum of all numbers
 * @param different lines of output
 * @param top those of the highest numbers, highest first
 */
record TopCounts(long total, long different, List<Entry> top) {
  private static final int SHOWN = 10;

  /** A line of output. */
  record Entry(String text, long count) {
    static final Comparator<Entry> BY_COUNT =
        Comparator.comparingLong(Entry::count)
            .thenComparing(Entry::text, Comparator.reverseOrder());
  }

  /**
   * @param countFirst whether numbers stand before texts
   */
  static TopCounts read(FileSystem fileSystem, Path output, boolean countFirst) throws IOException {
    PriorityQueue<Entry> best = new PriorityQueue<>(Entry.BY_COUNT);
    long total = 0;
    long different = 0;
    for (FileStatus part : fileSystem.globStatus(new Path(output, "part-r-*"))) {
      try (BufferedReader lines =
          new BufferedReader(
              new InputStreamReader(fileSystem.open(part.getPath()), StandardCharsets.UTF_8))) {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          Entry entry = parse(line, countFirst);
          total += entry.count();
          different++;
          add(best, entry);
        }
      }
    }
    return new TopCounts(total, different, highestFirst(best));
  }

  static TopCounts of(Map<String, Long> counts) {
    PriorityQueue<Entry> best = new PriorityQueue<>(Entry.BY_COUNT);
    counts.forEach((text, count) -> add(best, new Entry(text, count)));
    long total = counts.values().stream().mapToLong(Long::longValue).sum();
    return new TopCounts(total, counts.size(), highestFirst(best));
  }

  private static void add(PriorityQueue<Entry> best, Entry entry) {
    best.add(entry);
    if (best.size() > SHOWN) {
      best.remove();
    }
  }

  private static List<Entry> highestFirst(PriorityQueue<Entry> best) {
    List<Entry> top = new ArrayList<>(best);
    top.sort(Entry.BY_COUNT.reversed());
    return List.copyOf(top);
  }

  static Entry parse(String line, boolean countFirst) {
    int tab = countFirst ? line.indexOf('\t') : line.lastIndexOf('\t');
    String left = line.substring(0, tab);
    String right = line.substring(tab + 1);
    return countFirst
        ? new Entry(right, Long.parseLong(left))
        : new Entry(left, Long.parseLong(right));
  }
}
