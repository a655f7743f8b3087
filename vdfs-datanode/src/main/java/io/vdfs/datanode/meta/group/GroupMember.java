package io.vdfs.datanode.meta.group;

import io.vdfs.common.cluster.record.MetadataMember;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import java.io.Closeable;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * This node's member of the metadata group. Thread-safe.
 *
 * <p>The futures never fail and always complete in bounded time; what goes wrong is an error in the
 * response: NOT_LEADER, naming the leader where it is known; UNAVAILABLE where there is no leader,
 * no majority, or no outcome in time; INVALID_ARGUMENT for a request too large for the log;
 * UNSUPPORTED for a mutation that must not stand in it, as it is above the feature level in force
 * or this release does not know all of it. After an error of submit other than these two the
 * mutation may still happen: a retry carries the same call id, and is looked up by {@link #recall}
 * before it is submitted. Futures complete on a thread of the group, which must not be kept
 * waiting.
 */
public interface GroupMember extends Closeable {
  /**
   * Replicates a mutation and executes it. Mutations take effect in the order in which this method
   * was called, as far as they take effect at all.
   *
   * @param request with caller and time filled in
   */
  CompletableFuture<MetaResponse> submit(MetaRequest request);

  /**
   * Looks up whether a mutation that was sent before, to whichever member, has happened.
   *
   * @param request with caller and time filled in, and with a call id
   * @param ageMillis since its first try was sent; negative counts as for ever
   * @return the response of the first try; an error, which is OUTCOME_UNKNOWN if that may have been
   *     forgotten; empty if it did not happen so far, and what was tried can't once this try did:
   *     the request may be submitted
   */
  CompletableFuture<Optional<MetaResponse>> recall(MetaRequest request, long ageMillis);

  /** Answers a query; it sees every mutation that was acknowledged anywhere before this call. */
  CompletableFuture<MetaResponse> query(MetaRequest request);

  /** Whether this member leads and is ready to serve, as far as it knows. */
  boolean isLeader();

  /** The leader as far as this member knows. */
  Optional<NodeId> leader();

  /**
   * Whether this member leads and {@code member} has acknowledged that within the longest election
   * timeout; true for the leader itself.
   */
  boolean hears(NodeId member);

  /** The current term, for status displays. */
  long term();

  /** The feature level in force, as far as this member has applied the log. */
  int level();

  /** The highest feature level that this member can carry out. */
  int newestLevel();

  /** What this member knows of itself and the group. */
  GroupStatus status();

  /** Whether it has started lately and known no leader yet. */
  boolean isStarting();

  /**
   * Makes these nodes the members, as leader, when the new ones have caught up. Unlike above, the
   * future may fail, with a VdfsException: NOT_LEADER; UNAVAILABLE where another change is under
   * way, a new member does not catch up or the outcome is unknown; INVALID_ARGUMENT where Raft
   * refuses the change. It may take as long as a new member needs for the whole state.
   *
   * @param members of which more than half are members now; a single one may become two
   */
  CompletableFuture<Void> change(List<MetadataMember> members);

  /** Stops the member; mutations under way may or may not happen. */
  @Override
  void close();
}
