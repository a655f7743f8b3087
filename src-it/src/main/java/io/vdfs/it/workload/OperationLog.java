package io.vdfs.it.workload;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;

/** The operations of all threads, how long they took and how they ended. Thread-safe. */
final class OperationLog {
  /** Kinds of operations after whose success something is acknowledged. */
  private static final Set<String> CHANGES =
      Set.of(
          "create",
          "overwrite",
          "hflush",
          "hsync",
          "close",
          "append",
          "truncate",
          "rename",
          "delete");

  /**
   * One operation, in {@link System#nanoTime}.
   *
   * @param error of one that failed
   */
  record Entry(String kind, String path, long fromNanos, long toNanos, Optional<String> error) {
    Duration took() {
      return Duration.ofNanos(toNanos - fromNanos);
    }

    @Override
    public String toString() {
      return kind
          + " "
          + path
          + " took "
          + took().toMillis()
          + " ms"
          + error.map(reason -> ": " + reason).orElse("");
    }
  }

  private final ConcurrentLinkedQueue<Entry> entries = new ConcurrentLinkedQueue<>();
  private final ConcurrentLinkedQueue<String> violations = new ConcurrentLinkedQueue<>();

  private final ConcurrentLinkedQueue<String> givenUp = new ConcurrentLinkedQueue<>();

  /** Records that a file that nothing closes was deleted. */
  void giveUp(String path) {
    givenUp.add(path);
  }

  List<String> givenUp() {
    return List.copyOf(givenUp);
  }

  void add(Entry entry) {
    entries.add(entry);
  }

  /** Records that something was lost, wrong or back. */
  void violation(String what) {
    violations.add(what);
  }

  List<String> violations() {
    return List.copyOf(violations);
  }

  int size() {
    return entries.size();
  }

  /** How often each kind succeeded. */
  Map<String, Long> succeeded() {
    Map<String, Long> counts = new TreeMap<>();
    entries.stream()
        .filter(entry -> entry.error().isEmpty())
        .forEach(entry -> counts.merge(entry.kind(), 1L, Long::sum));
    return counts;
  }

  /** Operations that failed although at most one node was away meanwhile. */
  List<Entry> failedWithoutExcuse(OutageLog outages) {
    return entries.stream()
        .filter(entry -> entry.error().isPresent())
        .filter(entry -> !outages.hadTwoAway(entry.fromNanos(), entry.toNanos()))
        .toList();
  }

  /** The slowest operation during which at most one node was away. */
  Optional<Entry> slowest(OutageLog outages) {
    return entries.stream()
        .filter(entry -> !outages.hadTwoAway(entry.fromNanos(), entry.toNanos()))
        .max(Comparator.comparing(Entry::took));
  }

  /** Times of more than this between successes of all threads together, longest first. */
  List<Duration> gaps(Duration longerThan) {
    List<Long> ends =
        entries.stream()
            .filter(entry -> entry.error().isEmpty())
            .map(Entry::toNanos)
            .sorted()
            .toList();
    return IntStream.range(1, ends.size())
        .mapToObj(at -> Duration.ofNanos(ends.get(at) - ends.get(at - 1)))
        .filter(gap -> gap.compareTo(longerThan) > 0)
        .sorted(Comparator.reverseOrder())
        .toList();
  }

  /** The most changes that were acknowledged within any period of this length. */
  int mostChangesWithin(Duration period) {
    long[] ends =
        entries.stream()
            .filter(entry -> entry.error().isEmpty() && CHANGES.contains(entry.kind()))
            .mapToLong(Entry::toNanos)
            .sorted()
            .toArray();
    int most = 0;
    int from = 0;
    for (int to = 0; to < ends.length; to++) {
      while (ends[to] - ends[from] > period.toNanos()) {
        from++;
      }
      most = Math.max(most, to - from + 1);
    }
    return most;
  }

  /** Number of operations under way while a node was away. */
  long underOutage(OutageLog outages) {
    return entries.stream()
        .filter(entry -> outages.during(entry.fromNanos(), entry.toNanos()) > 0)
        .count();
  }
}
