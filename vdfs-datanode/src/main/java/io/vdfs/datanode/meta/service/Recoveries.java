package io.vdfs.datanode.meta.service;

import io.vdfs.common.concurrent.Causes;
import io.vdfs.common.model.FileKey;
import io.vdfs.datanode.loop.ServiceLoop;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The recoveries under way, at most one for a file, and those that wait for nodes. A file that
 * cannot be closed is tried again and again, after a while less often; the log tells when the
 * reason changes. Confined to the service loop.
 */
final class Recoveries {
  private static final Logger LOG = LoggerFactory.getLogger(Recoveries.class);

  private final LeaseRecovery recovery;
  private final LeaseSettings settings;
  private final ServiceLoop loop;
  private final Map<FileKey, CompletableFuture<Ended>> running = new HashMap<>();
  private final Map<FileKey, Waiting> waiting = new HashMap<>();

  /**
   * How an attempt ended.
   *
   * @param over the file is closed or in other hands now
   * @param found by the last attempt, or why there was none
   */
  record Ended(boolean over, String found) {}

  /**
   * A file that the last attempt could not close.
   *
   * @param since when the first attempt ended, by the loop's clock
   * @param last when the last one did
   */
  record Waiting(FileKey file, long since, long last, String reason) {}

  Recoveries(LeaseRecovery recovery, LeaseSettings settings, ServiceLoop loop) {
    this.recovery = recovery;
    this.settings = settings;
    this.loop = loop;
  }

  /**
   * Starts an attempt, unless one is under way or the last one was a moment ago.
   *
   * @param accept whether to close on fewer copies than a file must have
   * @return never fails
   */
  CompletableFuture<Ended> start(FileKey file, int epoch, boolean accept) {
    CompletableFuture<Ended> known = running.get(file);
    if (known != null) {
      return accept
          ? CompletableFuture.completedFuture(new Ended(false, "another attempt is under way"))
          : known;
    }
    Waiting held = waiting.get(file);
    if (held != null && !accept && loop.nanoTime() - held.last() < pause(held).toNanos()) {
      return CompletableFuture.completedFuture(new Ended(false, held.reason()));
    }
    if (held == null || accept) {
      LOG.info("lease recovery starts: file={}, epoch={}, accept={}", file, epoch, accept);
    }
    CompletableFuture<Ended> attempt =
        recovery
            .recover(file, epoch, accept)
            .handleAsync(
                (found, error) -> {
                  running.remove(file);
                  return error == null ? over(file, found) : held(file, error);
                },
                loop);
    if (!attempt.isDone()) {
      running.put(file, attempt);
    }
    return attempt;
  }

  private Duration pause(Waiting held) {
    boolean isOld = loop.nanoTime() - held.since() >= settings.patience().toNanos();
    return isOld ? settings.slowRetry() : settings.scan().dividedBy(2);
  }

  private Ended over(FileKey file, String found) {
    waiting.remove(file);
    LOG.info("lease recovery ended: file={}, found={}", file, found);
    return new Ended(true, found);
  }

  private Ended held(FileKey file, Throwable error) {
    String reason = String.valueOf(Causes.of(error).getMessage());
    Waiting before = waiting.get(file);
    long now = loop.nanoTime();
    waiting.put(file, new Waiting(file, before == null ? now : before.since(), now, reason));
    if (before == null || !before.reason().equals(reason)) {
      LOG.warn("lease recovery has to wait: file={}, reason={}", file, reason);
    }
    return new Ended(false, reason);
  }

  boolean isRunning(FileKey file) {
    return running.containsKey(file);
  }

  /** Forgets files that are not being written any more. */
  void retain(Collection<FileKey> open) {
    waiting.keySet().retainAll(open);
    recovery.retain(open);
  }

  /** Files that cannot be closed now, those that wait longest first. */
  List<Waiting> waiting() {
    return waiting.values().stream().sorted(Comparator.comparingLong(Waiting::since)).toList();
  }
}
