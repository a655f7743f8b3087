package io.vdfs.datanode.meta.service.edge;

/**
 * Told of this member's leadership. Called one at a time, in order, on a thread of the group; must
 * not wait.
 */
public interface LeadershipListener {
  /** This member leads from now on and everything committed earlier has been applied. */
  void onLeader(long term);

  /** This member leads no longer; never called twice without {@link #onLeader} between. */
  void onFollower();
}
