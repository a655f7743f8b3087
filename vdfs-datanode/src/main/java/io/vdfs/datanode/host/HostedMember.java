package io.vdfs.datanode.host;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.model.NodeId;
import io.vdfs.datanode.meta.group.GroupMember;
import io.vdfs.datanode.meta.group.GroupStatus;
import io.vdfs.datanode.meta.level.FeatureLevels;
import io.vdfs.datanode.rpc.MemberChange;
import io.vdfs.datanode.rpc.MemberService;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Answers questions about this node's member of the metadata group and carries out changes, also
 * while there is none yet. Thread-safe.
 *
 * @param host empty until the node knows of the group
 * @param changes empty until then
 */
public record HostedMember(
    Supplier<Optional<MetadataHost>> host, Supplier<Optional<MemberChanges>> changes)
    implements MemberService {
  @Override
  public Optional<GroupStatus> status() {
    return host.get().flatMap(MetadataHost::member).map(GroupMember::status);
  }

  @Override
  public boolean isStarting() {
    return host.get().isEmpty()
        || host.get().flatMap(MetadataHost::member).map(GroupMember::isStarting).orElse(false);
  }

  @Override
  public Optional<UUID> groupId() {
    return host.get().flatMap(MetadataHost::groupId);
  }

  @Override
  public Optional<MemberChange> lastChange() {
    return changes.get().flatMap(MemberChanges::last);
  }

  @Override
  public void change(Optional<NodeId> removed, Optional<NodeId> added) throws VdfsException {
    changes.get().orElseThrow(HostedMember::starting).begin(removed, added);
  }

  @Override
  public Optional<String> stopped() {
    return host.get().flatMap(MetadataHost::stopped);
  }

  @Override
  public int level() {
    return host.get().flatMap(MetadataHost::member).map(GroupMember::level).orElse(0);
  }

  @Override
  public int newestLevel() {
    return FeatureLevels.ofThisRelease().newest();
  }

  @Override
  public CompletableFuture<Void> invite(UUID groupId, long version, int level) {
    return host.get()
        .map(hosting -> hosting.invite(groupId, version, level))
        .orElseGet(() -> CompletableFuture.failedFuture(starting()));
  }

  private static VdfsException starting() {
    return new VdfsException(
        ErrorCode.UNAVAILABLE, "this node is starting: waits for the metadata group");
  }
}
