package io.vdfs.datanode.rpc;

import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.datanode.meta.group.GroupStatus;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

/** The services of a node that the control calls about metadata members need. Thread-safe. */
public interface MemberService {
  /** Empty where the node hosts no member. */
  Optional<GroupStatus> status();

  Optional<UUID> groupId();

  /** Whether this node was started lately and has known no leader of the metadata since. */
  boolean isStarting();

  /** Why this node's member does not run though the group wants it; empty where it does. */
  Optional<String> stopped();

  /** The feature level in force, as this node's member has it; 0 where it hosts none. */
  int level();

  /** The highest feature level that this node can carry out. */
  int newestLevel();

  /** The last change that this node led. */
  Optional<MemberChange> lastChange();

  /** Begins a change; the errors are those of the leader's checks. */
  void change(Optional<NodeId> removed, Optional<NodeId> added) throws VdfsException;

  /**
   * Prepares this node for becoming a member; fails with a VdfsException.
   *
   * @param level the feature level in force
   */
  CompletableFuture<Void> invite(UUID groupId, long version, int level);
}
