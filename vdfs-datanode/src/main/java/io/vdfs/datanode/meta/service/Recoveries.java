package io.vdfs.datanode.meta.service;

import io.vdfs.common.model.FileKey;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The recoveries under way, at most one for a file. Confined to the service loop. */
final class Recoveries {
  private static final Logger LOG = LoggerFactory.getLogger(Recoveries.class);

  private final LeaseRecovery recovery;
  private final ServiceLoop loop;
  private final Map<FileKey, CompletableFuture<Boolean>> running = new HashMap<>();

  Recoveries(LeaseRecovery recovery, ServiceLoop loop) {
    this.recovery = recovery;
    this.loop = loop;
  }

  /**
   * Starts an attempt, or joins the one under way.
   *
   * @return whether the file is closed or in other hands now; never fails
   */
  CompletableFuture<Boolean> start(FileKey file, int epoch) {
    CompletableFuture<Boolean> known = running.get(file);
    if (known != null) {
      return known;
    }
    LOG.info("lease recovery starts: file={}, epoch={}", file, epoch);
    CompletableFuture<Boolean> attempt =
        recovery
            .recover(file, epoch)
            .handleAsync(
                (outcome, error) -> {
                  running.remove(file);
                  return ended(file, outcome, error);
                },
                loop);
    if (!attempt.isDone()) {
      running.put(file, attempt);
    }
    return attempt;
  }

  private static boolean ended(FileKey file, LeaseRecovery.Outcome outcome, Throwable error) {
    if (error == null) {
      LOG.info("lease recovery ended: file={}, outcome={}", file, outcome);
      return outcome == LeaseRecovery.Outcome.OVER;
    }
    LOG.warn(
        "lease recovery has to wait: file={}, reason={}", file, Futures.cause(error).getMessage());
    return false;
  }

  boolean isRunning(FileKey file) {
    return running.containsKey(file);
  }
}
