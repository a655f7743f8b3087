package io.vdfs.client.names;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.vdfs.client.admin.NodeDeletions;
import io.vdfs.client.admin.RecoveryAnswer;
import io.vdfs.client.admin.WaitingRecoveries;
import io.vdfs.client.meta.MetadataCalls;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.rpc.ControlMethods;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.BulkDeleteOp;
import io.vdfs.common.wire.proto.BulkDeleteResult;
import io.vdfs.common.wire.proto.ChangeAclOp;
import io.vdfs.common.wire.proto.CheckAccessQuery;
import io.vdfs.common.wire.proto.ContentSummaryQuery;
import io.vdfs.common.wire.proto.ContentSummaryResult;
import io.vdfs.common.wire.proto.DeleteOp;
import io.vdfs.common.wire.proto.DeletionProgressQuery;
import io.vdfs.common.wire.proto.DeletionProgressResult;
import io.vdfs.common.wire.proto.GetStatusQuery;
import io.vdfs.common.wire.proto.ListQuery;
import io.vdfs.common.wire.proto.ListResult;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.MkdirsOp;
import io.vdfs.common.wire.proto.NodeDeletionsProto;
import io.vdfs.common.wire.proto.RecoverLeaseCall;
import io.vdfs.common.wire.proto.RecoverLeaseResult;
import io.vdfs.common.wire.proto.RenameOp;
import io.vdfs.common.wire.proto.SetQuotaOp;
import io.vdfs.common.wire.proto.SetXAttrOp;
import io.vdfs.common.wire.proto.StatusProto;
import io.vdfs.common.wire.proto.SurplusQuery;
import io.vdfs.common.wire.proto.WaitingRecoveriesCall;
import io.vdfs.common.wire.proto.WaitingRecoveriesResult;
import io.vdfs.common.wire.proto.WaitingRecoveryProto;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * The names of one cluster as one user sees them, and what goes with them: attributes, quotas,
 * leases. Each change is one atomic, linearizable step: a call that fails has happened or not,
 * never half.
 *
 * <p>Paths are absolute and normal: no empty, {@code .} or {@code ..} component and no slash at the
 * end, except for the root {@code /}. Methods throw {@link VdfsException} with the code that the
 * cluster gave (NOT_FOUND, PERMISSION_DENIED, ...), UNAVAILABLE if it can't be reached in time, and
 * {@link java.io.InterruptedIOException}.
 *
 * <p>Thread-safe.
 */
public final class Names {
  /** Of the paths of one request, well below what a request may have. */
  private static final int MOST_PATH_BYTES = ControlMethods.MAX_BODY_BYTES / 2;

  private static final int MOST_BYTES_OF_A_CHARACTER = 3;

  private final MetadataCalls metadata;

  /**
   * The names that one user sees.
   *
   * @param metadata called in the user's name
   */
  public Names(MetadataCalls metadata) {
    this.metadata = metadata;
  }

  /**
   * Makes a directory.
   *
   * @param unmaskedMode before the umask: what a default ACL of the parent filters instead
   * @param createParents also missing parents; if it then fails, some of them may stay
   * @return false if it was there already
   * @throws VdfsException ALREADY_EXISTS if a file has that name; NOT_FOUND if the parent is
   *     missing; NOT_A_DIRECTORY if an ancestor is a file
   */
  public boolean mkdirs(String path, int mode, int unmaskedMode, boolean createParents)
      throws IOException {
    MkdirsOp operation =
        MkdirsOp.newBuilder()
            .setPath(path)
            .setMode(mode)
            .setUnmaskedMode(unmaskedMode)
            .setCreateParents(createParents)
            .build();
    return metadata
        .call(MetaRequest.newBuilder().setMkdirs(operation).build())
        .getMkdirs()
        .getCreated();
  }

  /**
   * @throws VdfsException NOT_FOUND; NOT_A_DIRECTORY if an ancestor is a file
   */
  public FileInfo status(String path) throws IOException {
    return new FileInfo(status(GetStatusQuery.newBuilder().setPath(path)));
  }

  /** As {@link #status}, with the ACL. */
  public FileInfo statusWithAcl(String path) throws IOException {
    return new FileInfo(status(GetStatusQuery.newBuilder().setPath(path).setWithAcl(true)));
  }

  /**
   * Returns normally if the caller may do this by mode and ACL.
   *
   * @param permission rwx as 1 to 7; 0 asks only whether the path is there
   * @throws VdfsException PERMISSION_DENIED; NOT_FOUND
   */
  public void checkAccess(String path, int permission) throws IOException {
    CheckAccessQuery query =
        CheckAccessQuery.newBuilder().setPath(path).setPermission(permission).build();
    metadata.call(MetaRequest.newBuilder().setCheckAccess(query).build());
  }

  private StatusProto status(GetStatusQuery.Builder query) throws IOException {
    return metadata.call(MetaRequest.newBuilder().setGetStatus(query).build()).getStatus();
  }

  /**
   * One page of a directory; for a file, the file itself with an empty name.
   *
   * @param startAfter the name before the first to list; empty at the beginning
   */
  public ListPage list(String path, String startAfter, int limit) throws IOException {
    ListQuery query =
        ListQuery.newBuilder().setPath(path).setStartAfter(startAfter).setLimit(limit).build();
    ListResult page = page(metadata.call(MetaRequest.newBuilder().setList(query).build()));
    List<FileInfo> entries = page.getEntriesList().stream().map(FileInfo::new).toList();
    for (FileInfo entry : entries) {
      checkName(path, entry.name());
    }
    return new ListPage(entries, page.getMore());
  }

  /** A forged name must not lead a copy of a tree out of that tree. */
  private static void checkName(String path, String name) throws VdfsException {
    if (name.indexOf('/') >= 0 || name.equals(".") || name.equals("..")) {
      throw new VdfsException(
          ErrorCode.INTERNAL, "a listing holds what is no name: path=" + path + ", name=" + name);
    }
  }

  private static ListResult page(MetaResponse response) throws VdfsException {
    try {
      return ListResult.parseFrom(response.getList());
    } catch (InvalidProtocolBufferException e) {
      throw new VdfsException(
          ErrorCode.INTERNAL, "unreadable listing: bytes=" + response.getList().size(), e);
    }
  }

  /**
   * Renames to exactly {@code target}.
   *
   * @param overwrite replace a file, or an empty directory by a directory, in the same step
   * @throws VdfsException NOT_FOUND if source or target's parent is missing; ALREADY_EXISTS,
   *     NOT_A_DIRECTORY, IS_A_DIRECTORY, DIRECTORY_NOT_EMPTY of the target; INVALID_ARGUMENT if the
   *     target lies below the source
   */
  public void rename(String source, String target, boolean overwrite) throws IOException {
    RenameOp operation =
        RenameOp.newBuilder().setSource(source).setTarget(target).setOverwrite(overwrite).build();
    metadata.call(MetaRequest.newBuilder().setRename(operation).build());
  }

  /**
   * Renames to the name of {@code source} in {@code target} where that is a directory, else to
   * exactly {@code target}, in one step; replaces nothing.
   *
   * @return false if nothing was renamed: source or target's parent missing, target there, or
   *     target below the source
   * @throws VdfsException NOT_A_DIRECTORY if the target lies below a file
   */
  public boolean renameInto(String source, String target) throws IOException {
    RenameOp operation =
        RenameOp.newBuilder().setSource(source).setTarget(target).setIntoDirectory(true).build();
    return metadata
        .call(MetaRequest.newBuilder().setRename(operation).build())
        .getRename()
        .getMoved();
  }

  /**
   * Deletes a file or a whole tree at once.
   *
   * @return false if nothing was there
   * @throws VdfsException DIRECTORY_NOT_EMPTY unless {@code recursive}
   */
  public boolean delete(String path, boolean recursive) throws IOException {
    DeleteOp operation = DeleteOp.newBuilder().setPath(path).setRecursive(recursive).build();
    return metadata
        .call(MetaRequest.newBuilder().setDelete(operation).build())
        .getDelete()
        .getDeleted();
  }

  /**
   * Deletes files, and directories that are empty at that moment, the deepest paths first; in one
   * step unless the paths are too long for one request.
   *
   * @param paths at most 1000
   * @return the reason for each path that stays; one that was not there counts as deleted
   */
  public Map<String, String> deleteAll(List<String> paths) throws IOException {
    Map<String, String> failures = new LinkedHashMap<>();
    List<String> rest = new ArrayList<>(paths);
    rest.sort(Comparator.comparingLong(Names::depth).reversed());
    while (!rest.isEmpty()) {
      List<String> part = rest.subList(0, fitting(rest));
      BulkDeleteOp operation = BulkDeleteOp.newBuilder().addAllPaths(part).build();
      BulkDeleteResult result =
          metadata.call(MetaRequest.newBuilder().setBulkDelete(operation).build()).getBulkDelete();
      result
          .getFailuresList()
          .forEach(failure -> failures.put(failure.getPath(), failure.getError().getMessage()));
      part.clear();
    }
    return failures;
  }

  private static long depth(String path) {
    return path.chars().filter(character -> character == '/').count();
  }

  /** How many of the paths go into one request; at least one. */
  private static int fitting(List<String> paths) {
    int count = 0;
    int bytes = 0;
    for (String path : paths) {
      bytes += MOST_BYTES_OF_A_CHARACTER * path.length();
      if (count > 0 && bytes > MOST_PATH_BYTES) {
        break;
      }
      count++;
    }
    return count;
  }

  public void setAttributes(String path, AttributeChange change) throws IOException {
    metadata.call(MetaRequest.newBuilder().setSetAttributes(change.of(path)).build());
  }

  /**
   * @param entries none where {@code change} needs none
   * @throws VdfsException INVALID_ARGUMENT if no valid ACL would be left
   */
  public void changeAcl(String path, AclChange change, List<AclRule> entries) throws IOException {
    ChangeAclOp operation =
        ChangeAclOp.newBuilder()
            .setPath(path)
            .setChange(change.message())
            .addAllEntries(entries.stream().map(AclRule::message).toList())
            .build();
    metadata.call(MetaRequest.newBuilder().setChangeAcl(operation).build());
  }

  /** All extended attributes by their full name, in order of names. */
  public Map<String, byte[]> xattrs(String path) throws IOException {
    return xattrs(path, List.of());
  }

  /**
   * Extended attributes by name.
   *
   * @param names each of which must be there; empty for all that the user may see
   */
  public Map<String, byte[]> xattrs(String path, Collection<String> names) throws IOException {
    Map<String, byte[]> attributes = new TreeMap<>();
    status(GetStatusQuery.newBuilder().setPath(path).setWithXattrs(true).addAllXattrNames(names))
        .getXattrsMap()
        .forEach((name, value) -> attributes.put(name, value.toByteArray()));
    return attributes;
  }

  /**
   * @param create allowed to add the attribute
   * @param replace allowed to replace it
   */
  public void setXAttr(String path, String name, byte[] value, boolean create, boolean replace)
      throws IOException {
    SetXAttrOp operation =
        SetXAttrOp.newBuilder()
            .setPath(path)
            .setName(name)
            .setValue(ByteString.copyFrom(value))
            .setCreate(create)
            .setReplace(replace)
            .build();
    metadata.call(MetaRequest.newBuilder().setSetXattr(operation).build());
  }

  public void removeXAttr(String path, String name) throws IOException {
    SetXAttrOp operation = SetXAttrOp.newBuilder().setPath(path).setName(name).build();
    metadata.call(MetaRequest.newBuilder().setSetXattr(operation).build());
  }

  /** The totals of a tree, by walking it. */
  public ContentTotals contentSummary(String path) throws IOException {
    return totals(ContentSummaryQuery.newBuilder().setPath(path).build());
  }

  /**
   * Inodes, space and limits of a tree, the rest 0; where it has a quota they come from its counts,
   * so nothing is walked.
   */
  public ContentTotals quotaUsage(String path) throws IOException {
    return totals(ContentSummaryQuery.newBuilder().setPath(path).setQuotaOnly(true).build());
  }

  /** Upper bound of the bytes on disks that no longer count, as replications were lowered. */
  public long surplusBytes() throws IOException {
    return metadata
        .call(MetaRequest.newBuilder().setSurplus(SurplusQuery.getDefaultInstance()).build())
        .getSurplus()
        .getBytes();
  }

  /** How far the nodes have removed what was deleted. */
  public List<NodeDeletions> deletionProgress() throws IOException {
    DeletionProgressResult result =
        metadata
            .call(
                MetaRequest.newBuilder()
                    .setDeletionProgress(DeletionProgressQuery.getDefaultInstance())
                    .build())
            .getDeletionProgress();
    List<NodeDeletions> nodes = new ArrayList<>();
    for (NodeDeletionsProto node : result.getNodesList()) {
      nodes.add(
          new NodeDeletions(WireIds.nodeId(node.getNode()), node.getMissed(), node.getBehind()));
    }
    return nodes;
  }

  private ContentTotals totals(ContentSummaryQuery query) throws IOException {
    ContentSummaryResult result =
        metadata
            .call(MetaRequest.newBuilder().setContentSummary(query).build())
            .getContentSummary();
    return new ContentTotals(
        result.getLength(),
        result.getFiles(),
        result.getDirectories(),
        result.getSpaceConsumed(),
        result.getInodes(),
        result.hasInodeLimit() ? OptionalLong.of(result.getInodeLimit()) : OptionalLong.empty(),
        result.hasSpaceLimit() ? OptionalLong.of(result.getSpaceLimit()) : OptionalLong.empty());
  }

  /**
   * Changes the quota of a directory; for superusers.
   *
   * @param inodes files and directories in the tree, its top included; -1: any number; empty: as it
   *     is
   * @param space bytes of all replicas; likewise
   */
  public void setQuota(String path, OptionalLong inodes, OptionalLong space) throws IOException {
    SetQuotaOp.Builder operation = SetQuotaOp.newBuilder().setPath(path);
    inodes.ifPresent(operation::setInodeLimit);
    space.ifPresent(operation::setSpaceLimit);
    metadata.call(MetaRequest.newBuilder().setSetQuota(operation).build());
  }

  /**
   * Ends another client's writing to a file.
   *
   * @return false if recovery goes on: ask again
   */
  public boolean recoverLease(String path) throws IOException {
    return recoverLease(path, false).closed();
  }

  /**
   * As {@link #recoverLease(String)}, and says what was found.
   *
   * @param accept whether to close on fewer copies than a file must have; for superusers
   */
  public RecoveryAnswer recoverLease(String path, boolean accept) throws IOException {
    RecoverLeaseCall call = RecoverLeaseCall.newBuilder().setPath(path).setAccept(accept).build();
    RecoverLeaseResult result =
        metadata.call(MetaRequest.newBuilder().setRecoverLease(call).build()).getRecoverLease();
    return new RecoveryAnswer(result.getClosed(), result.getRunning(), result.getFound());
  }

  /**
   * Files that lease recovery cannot close now; for users other than superusers their number alone.
   */
  public WaitingRecoveries waitingRecoveries() throws IOException {
    WaitingRecoveriesResult result =
        metadata
            .call(
                MetaRequest.newBuilder()
                    .setWaitingRecoveries(WaitingRecoveriesCall.getDefaultInstance())
                    .build())
            .getWaitingRecoveries();
    return new WaitingRecoveries(
        result.getRecoveriesList().stream().map(Names::waiting).toList(), result.getMore());
  }

  private static WaitingRecoveries.Waiting waiting(WaitingRecoveryProto recovery) {
    return new WaitingRecoveries.Waiting(
        recovery.getPath(), Duration.ofMillis(recovery.getWaitingMillis()), recovery.getReason());
  }
}
