package io.vdfs.it.workload;

import io.vdfs.it.tools.FileManifest;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** How a {@link CheckedWorkload} went. Immutable once it is over. */
public final class WorkloadOutcome {
  private static final Duration BEST = Duration.ofSeconds(10);

  private final Map<String, FileContent> files;
  private final OperationLog operations;
  private final OutageLog outages;

  WorkloadOutcome(Map<String, FileContent> files, OperationLog operations, OutageLog outages) {
    this.files = files;
    this.operations = operations;
    this.outages = outages;
  }

  /** Observations that must not occur. */
  public List<String> violations() {
    return operations.violations();
  }

  /** Operations that failed while at most one node was away. */
  public List<String> failures() {
    return operations.failedWithoutExcuse(outages).stream().map(Object::toString).toList();
  }

  /** The longest that an operation took while at most one node was away. */
  public Duration slowest() {
    return operations.slowest(outages).map(OperationLog.Entry::took).orElse(Duration.ZERO);
  }

  /** Times of more than this in which nothing succeeded, longest first. */
  public List<Duration> gaps(Duration longerThan) {
    return operations.gaps(longerThan);
  }

  /** How often each kind of operation succeeded. */
  public Map<String, Long> succeeded() {
    return operations.succeeded();
  }

  /**
   * Files that had lost bytes in a power cut that were flushed and not synced, and that lease
   * recovery left open for that. They were deleted.
   */
  public List<String> givenUp() {
    return operations.givenUp();
  }

  /**
   * Changes acknowledged per second in the best ten seconds: what the cluster does while nothing
   * disturbs it, if it was left alone for as long.
   */
  public double changesPerSecond() {
    return (double) operations.mostChangesWithin(BEST) / BEST.toSeconds();
  }

  public int kills() {
    return outages.size();
  }

  /** Number of operations under way while a node was away. */
  public long underOutage() {
    return operations.underOutage(outages);
  }

  /** Names of all files that must exist; no others may. */
  public Set<String> names() {
    return Set.copyOf(files.keySet());
  }

  /** The content that these files must have. */
  public FileManifest manifest() {
    FileManifest manifest = new FileManifest();
    files.forEach((path, content) -> manifest.add(path, content.bytes()));
    return manifest;
  }

  @Override
  public String toString() {
    return "operations="
        + operations.size()
        + ", kills="
        + kills()
        + ", under an outage="
        + underOutage()
        + ", changes per second at best="
        + changesPerSecond()
        + ", slowest="
        + operations.slowest(outages).map(Object::toString).orElse("none")
        + ", failed="
        + failures().size()
        + ", violations="
        + violations().size()
        + ", given up="
        + givenUp()
        + ", succeeded="
        + succeeded();
  }
}
