package io.vdfs.datanode.host;

import io.vdfs.common.cluster.record.MetadataMember;
import io.vdfs.common.concurrent.Causes;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.rpc.ControlMethods;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.MetadataInviteRequest;
import io.vdfs.common.wire.proto.MetadataInviteResponse;
import io.vdfs.datanode.loop.ThreadServiceLoop;
import io.vdfs.datanode.meta.group.GroupMember;
import io.vdfs.datanode.meta.group.GroupStatus;
import io.vdfs.datanode.rpc.MemberChange;
import io.vdfs.datanode.rpc.NodeClient;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Changes the members of the metadata group from the node that leads it, one at a time: invites the
 * new one, lets Raft bring it up to date and take it in, and has the outcome published. Refuses
 * what would leave the group without a majority that lives. Thread-safe.
 */
public final class MemberChanges implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MemberChanges.class);

  private final MetadataHost host;
  private final Inviter inviter;
  private final ThreadServiceLoop loop = new ThreadServiceLoop("vdfs-member-change");
  private final AtomicReference<Optional<MemberChange>> last =
      new AtomicReference<>(Optional.empty());

  /** The way to a node that shall become a member. */
  @FunctionalInterface
  public interface Inviter {
    /**
     * Returns when the node is ready to be taken up.
     *
     * @param version of the members now
     * @param level the feature level in force
     */
    void invite(RingNode node, UUID group, long version, int level) throws VdfsException;
  }

  /** A change that may be made. */
  private record Plan(
      GroupMember leader,
      UUID group,
      long version,
      Optional<NodeId> added,
      List<MetadataMember> members) {}

  public MemberChanges(MetadataHost host, Inviter inviter) {
    this.host = host;
    this.inviter = inviter;
  }

  /** Invites by calls as a node. */
  public static Inviter by(NodeClient client) {
    return (node, group, version, level) -> {
      MetadataInviteResponse response =
          client.call(
              node.id(),
              new InetSocketAddress(node.host(), node.controlPort()),
              ControlMethods.METADATA_INVITE,
              MetadataInviteRequest.newBuilder()
                  .setGroupId(WireIds.encode(group))
                  .setVersion(version)
                  .setLevel(level)
                  .build(),
              MetadataInviteResponse.parser());
      if (response.hasError()) {
        throw WireIds.exception(response.getError());
      }
    };
  }

  /** The last change that this node led, as far as it has come. */
  public Optional<MemberChange> last() {
    return last.get();
  }

  /**
   * Begins a change; {@link #last} tells how it ends.
   *
   * @throws VdfsException NOT_LEADER; UNAVAILABLE where another change is under way or the new
   *     member does not live; NOT_FOUND, ALREADY_EXISTS or INVALID_ARGUMENT where the change makes
   *     no sense
   */
  public void begin(Optional<NodeId> removed, Optional<NodeId> added) throws VdfsException {
    Plan plan = plan(removed, added);
    MemberChange change = MemberChange.begun(removed, added);
    Optional<MemberChange> before = last.get();
    if (before.filter(MemberChange::isUnderWay).isPresent()
        || !last.compareAndSet(before, Optional.of(change))) {
      throw new VdfsException(
          ErrorCode.UNAVAILABLE,
          "another change of the metadata members is under way: %s; wait for its end"
              .formatted(last.get().map(MemberChange::toString).orElse("just ended")));
    }
    LOG.info("Changing the metadata members: {}, wanted={}", change, plan.members);
    loop.execute(() -> carryOut(plan, change));
  }

  private Plan plan(Optional<NodeId> removed, Optional<NodeId> added) throws VdfsException {
    GroupMember leader = host.member().filter(GroupMember::isLeader).orElseThrow(this::notLeader);
    GroupStatus status = leader.status();
    if (!status.isSettled()) {
      throw new VdfsException(
          ErrorCode.UNAVAILABLE,
          "a change of the metadata members is under way: %s; wait for its end"
              .formatted(status.configuration()));
    }
    return new Plan(
        leader,
        host.groupId().orElseThrow(this::notLeader),
        status.configuration().version(),
        added,
        MemberChangeRules.membersAfter(
            status.configuration().members(), host.snapshot(), removed, added));
  }

  private VdfsException notLeader() {
    return new VdfsException(
        ErrorCode.NOT_LEADER,
        "only the leader changes the metadata members: leader=%s"
            .formatted(
                host.member()
                    .flatMap(GroupMember::leader)
                    .map(NodeId::toString)
                    .orElse("unknown")));
  }

  private void carryOut(Plan plan, MemberChange change) {
    try {
      if (plan.added.isPresent()) {
        RingNode node = MemberChangeRules.joining(host.snapshot(), plan.added.get());
        inviter.invite(node, plan.group, plan.version, plan.leader.level());
      }
      plan.leader.change(plan.members).join();
      host.onChanged();
      last.set(Optional.of(change.done()));
      LOG.info("Changed the metadata members: {}", change);
    } catch (VdfsException | RuntimeException e) {
      Throwable cause = Causes.of(e);
      last.set(Optional.of(change.failed(String.valueOf(cause.getMessage()))));
      LOG.warn("Metadata members not changed: {}, error={}", change, cause.toString());
    }
  }

  @Override
  public void close() {
    loop.close();
  }
}
