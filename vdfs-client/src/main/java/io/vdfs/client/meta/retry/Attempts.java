package io.vdfs.client.meta.retry;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** What a call tried and why each node failed it last. Confined to the calling thread. */
public final class Attempts {
  private final Map<String, String> lastFailures = new LinkedHashMap<>();
  private int count;
  private IOException lastCause;

  /** A node failed with an exception, which is reported as the cause if it is the last one. */
  public void failed(String node, IOException cause) {
    failed(node, describe(cause));
    lastCause = cause;
  }

  /** A node failed; a later failure of the same node replaces this one. */
  public void failed(String node, String reason) {
    count++;
    lastFailures.remove(node);
    lastFailures.put(node, reason);
  }

  /** Whether nothing has failed yet. */
  public boolean isEmpty() {
    return lastFailures.isEmpty();
  }

  /** The exception of the last failure that had one, or null. */
  public IOException lastCause() {
    return lastCause;
  }

  private static String describe(IOException cause) {
    String message = cause.getMessage();
    String line = message == null ? cause.getClass().getSimpleName() : message;
    int end = line.indexOf('\n');
    return end < 0 ? line : line.substring(0, end);
  }

  @Override
  public String toString() {
    return "attempts="
        + count
        + ", tried="
        + lastFailures.entrySet().stream()
            .map(entry -> entry.getKey() + " (" + entry.getValue() + ")")
            .collect(Collectors.joining(", ", "[", "]"));
  }
}
