package io.vdfs.it.bench.costly;

import java.util.List;

/**
 * When a task's JVM began, when its mapper ended, and what it did meanwhile.
 *
 * @param task number of the task within its job
 * @param startMillis since the epoch
 * @param endMillis since the epoch
 */
record LifeSpan(
    int task, String host, long startMillis, long endMillis, long records, long dearRecords) {
  double seconds() {
    return (endMillis - startMillis) / 1e3;
  }

  String toLine() {
    return task
        + " "
        + host
        + " "
        + startMillis
        + " "
        + endMillis
        + " "
        + records
        + " "
        + dearRecords;
  }

  static LifeSpan ofLine(String line) {
    String[] fields = line.trim().split(" ", -1);
    return new LifeSpan(
        Integer.parseInt(fields[0]),
        fields[1],
        Long.parseLong(fields[2]),
        Long.parseLong(fields[3]),
        Long.parseLong(fields[4]),
        Long.parseLong(fields[5]));
  }

  static long firstStart(List<LifeSpan> spans) {
    return spans.stream().mapToLong(LifeSpan::startMillis).min().orElse(0);
  }

  static long lastEnd(List<LifeSpan> spans) {
    return spans.stream().mapToLong(LifeSpan::endMillis).max().orElse(0);
  }
}
