package io.vdfs.datanode.segment;

import io.vdfs.common.metrics.Counters;
import io.vdfs.common.model.NodeId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Segment delivery of a node: its sessions, and the memory that their segments may take together.
 * Thread-safe.
 */
public final class SegmentDelivery implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SegmentDelivery.class);

  private final SegmentMemory memory;
  private final Counters<SegmentCounter> counters;
  private final Set<SegmentSession> sessions = ConcurrentHashMap.newKeySet();

  private SegmentDelivery(SegmentMemory memory, Counters<SegmentCounter> counters) {
    this.memory = memory;
    this.counters = counters;
  }

  /**
   * Removes the segments that an earlier run left.
   *
   * @param node whose volumes this process has locked, so that no other process uses its directory
   * @return empty where there can be none: the bytes go over the socket then
   */
  public static Optional<SegmentDelivery> open(SegmentSettings settings, NodeId node) {
    return open(settings, node, new SecureRandom(), SegmentFiles.REAL);
  }

  static Optional<SegmentDelivery> open(
      SegmentSettings settings, NodeId node, SecureRandom random, SegmentFiles files) {
    Counters<SegmentCounter> counters = new Counters<>(SegmentCounter.class);
    try {
      SegmentDirectory directory =
          SegmentDirectory.open(
              settings.directory(), node, settings.group(), random, files, counters);
      return Optional.of(new SegmentDelivery(new SegmentMemory(settings, directory), counters));
    } catch (IOException | UnsupportedOperationException e) {
      LOG.warn("no segment delivery: directory={}, cause={}", settings.directory(), e.toString());
      return Optional.empty();
    }
  }

  /** Removes the segments that an earlier run left, where this one makes none. */
  public static void clear(SegmentSettings settings, NodeId node) {
    if (Files.exists(SegmentDirectory.of(settings.directory(), node), LinkOption.NOFOLLOW_LINKS)) {
      open(settings, node).ifPresent(SegmentDelivery::close);
    }
  }

  public Counters<SegmentCounter> counters() {
    return counters;
  }

  /** Begins to serve a process on this machine, which has no memory yet; never blocks. */
  SegmentSession begin() {
    SegmentSession session = new SegmentSession(memory, counters, sessions::remove);
    sessions.add(session);
    return session;
  }

  /** Ends all sessions. */
  @Override
  public void close() {
    sessions.forEach(SegmentSession::close);
    memory.close();
  }
}
