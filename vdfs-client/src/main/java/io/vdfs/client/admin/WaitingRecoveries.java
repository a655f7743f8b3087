package io.vdfs.client.admin;

import java.time.Duration;
import java.util.List;

/**
 * Files that lease recovery cannot close now. Immutable.
 *
 * @param files the longest waiting first; empty where the caller may not know them
 * @param more number of files that are not listed
 */
public record WaitingRecoveries(List<Waiting> files, int more) {
  /**
   * A file that waits.
   *
   * @param path empty if the file went away meanwhile
   * @param reason in words
   */
  public record Waiting(String path, Duration waiting, String reason) {}
}
