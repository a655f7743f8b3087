package io.vdfs.datanode.meta.raft;

import io.vdfs.datanode.meta.service.edge.LeadershipListener;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns Ratis' notices into a clean sequence for the listener. Confined to the metadata loop. */
final class Leadership {
  private static final Logger LOG = LoggerFactory.getLogger(Leadership.class);

  private final LeadershipListener listener;
  private boolean leading;

  Leadership(LeadershipListener listener) {
    this.listener = listener;
  }

  void onReady(long term) {
    onNotLeader();
    leading = true;
    LOG.info("leads the metadata group: term={}", term);
    guard(() -> listener.onLeader(term));
  }

  void onNotLeader() {
    if (leading) {
      leading = false;
      LOG.info("leads the metadata group no longer");
      guard(listener::onFollower);
    }
  }

  private static void guard(Runnable notice) {
    try {
      notice.run();
    } catch (RuntimeException e) {
      LOG.error("leadership listener failed", e);
    }
  }
}
