package io.vdfs.client.trace;

import java.time.Instant;

/**
 * What a trace file says about its process. Immutable.
 *
 * @param began wall-clock time at {@code beganNanos}
 * @param beganNanos of {@code System.nanoTime}; all times of records count from here
 * @param attempt of the MapReduce task, or the container, that the process runs; empty if it runs
 *     none
 */
public record TraceHeader(
    Instant began, long beganNanos, String host, long processId, String attempt) {
  /** The name of the process in tables and charts: its attempt, else where it ran. */
  public String process() {
    return attempt.isEmpty() ? host + "-" + processId : attempt;
  }
}
