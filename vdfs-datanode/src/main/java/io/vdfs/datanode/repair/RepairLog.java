package io.vdfs.datanode.repair;

import io.vdfs.common.error.VdfsException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Log messages of repair, no more often than an operator can read. Confined to the loop. */
final class RepairLog {
  private static final Logger LOG = LoggerFactory.getLogger(RepairLog.class);
  private static final Duration PERIOD = Duration.ofSeconds(10);

  private long nextProgress;
  private long nextFailure;
  private long untold; // failures since the last line about one
  private long toldBytes;
  private long toldGroups;
  private Set<Path> toldFull = Set.of();

  RepairLog(long now) {
    nextProgress = now + PERIOD.toNanos();
    nextFailure = now;
  }

  /** Called once a pass found its first lacking group. */
  void onFound(AuditPass pass) {
    LOG.info(
        "An audit finds groups that this node should hold and lacks: ringEpoch={}, sequence={}",
        pass.audit().ring().epoch(),
        pass.audit().sequence());
  }

  /** Logs only where there is something to tell. */
  void onEnded(AuditPass pass, long promoted) {
    if (pass.found() > 0 || promoted > 0) {
      LOG.info(
          "An audit is over: ringEpoch={}, groups={}, lacking={}, failed={}, arcs served now={}",
          pass.audit().ring().epoch(),
          pass.audit().looked(),
          pass.found(),
          pass.failed(),
          promoted);
    }
  }

  void onProgress(long now, long groups, long bytes, long recorded, int waiting) {
    if (now - nextProgress >= 0 && (groups != toldGroups || bytes != toldBytes)) {
      LOG.info(
          "Copies are made again: groups={}, bytes={}, recorded as lacking={}, found and waiting={}",
          groups,
          bytes,
          recorded,
          waiting);
      nextProgress = now + PERIOD.toNanos();
      toldGroups = groups;
      toldBytes = bytes;
    }
  }

  void onFailed(long now, Lacking group, int failures, VdfsException failure) {
    if (now - nextFailure < 0) {
      untold++;
      return;
    }
    LOG.warn(
        "A group could not be copied and is tried again later: file={}, group={}, failures={},"
            + " others since the last such line={}, cause={}: {}",
        group.key().file(),
        group.key().group(),
        failures,
        untold,
        failure.code(),
        failure.getMessage());
    nextFailure = now + PERIOD.toNanos();
    untold = 0;
  }

  /**
   * Logged once as long as the same volumes are full.
   *
   * @param full directories of volumes that take no groups
   */
  void onNoSpace(Set<Path> full, VdfsException failure) {
    if (!full.equals(toldFull)) {
      LOG.warn("There is no room for copies: volumes={}, {}", full, failure.getMessage());
      toldFull = full;
    }
  }

  void onVolumesSuspect(Set<Path> volumes) {
    LOG.warn("What lies on suspect volumes is copied anew: volumes={}", volumes);
  }

  void onAuditFailed(VdfsException failure) {
    LOG.info("An audit did not come to its end: {}: {}", failure.code(), failure.getMessage());
  }

  void onUnpromoted(VdfsException failure) {
    LOG.warn("Arcs that this node copied are not served yet: {}", failure.getMessage());
  }
}
