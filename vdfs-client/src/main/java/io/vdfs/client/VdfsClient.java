package io.vdfs.client;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.vdfs.client.meta.ClusterAccess;
import io.vdfs.client.meta.ClusterSnapshot;
import io.vdfs.client.meta.ClusterSpace;
import io.vdfs.client.meta.LeaseRenewer;
import io.vdfs.client.meta.MetadataCalls;
import io.vdfs.client.meta.NodeCalls;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.metrics.Metric;
import io.vdfs.common.ring.RingNode;
import io.vdfs.common.rpc.ControlMethods;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.AclChangeProto;
import io.vdfs.common.wire.proto.AclEntryProto;
import io.vdfs.common.wire.proto.AppendOp;
import io.vdfs.common.wire.proto.BulkDeleteOp;
import io.vdfs.common.wire.proto.BulkDeleteResult;
import io.vdfs.common.wire.proto.ChangeAclOp;
import io.vdfs.common.wire.proto.CheckAccessQuery;
import io.vdfs.common.wire.proto.ContentSummaryQuery;
import io.vdfs.common.wire.proto.ContentSummaryResult;
import io.vdfs.common.wire.proto.CreateOp;
import io.vdfs.common.wire.proto.DeleteOp;
import io.vdfs.common.wire.proto.DeletionProgressQuery;
import io.vdfs.common.wire.proto.DeletionProgressResult;
import io.vdfs.common.wire.proto.GetStatusQuery;
import io.vdfs.common.wire.proto.ListQuery;
import io.vdfs.common.wire.proto.ListResult;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.MkdirsOp;
import io.vdfs.common.wire.proto.OpenFileResult;
import io.vdfs.common.wire.proto.OpenQuery;
import io.vdfs.common.wire.proto.RecoverLeaseCall;
import io.vdfs.common.wire.proto.RecoverLeaseResult;
import io.vdfs.common.wire.proto.RenameOp;
import io.vdfs.common.wire.proto.SetQuotaOp;
import io.vdfs.common.wire.proto.SetXAttrOp;
import io.vdfs.common.wire.proto.StatusProto;
import io.vdfs.common.wire.proto.SurplusQuery;
import io.vdfs.common.wire.proto.WaitingRecoveriesCall;
import io.vdfs.common.wire.proto.WaitingRecoveriesResult;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * One cluster as one user sees it. Each change of names or attributes is one atomic, linearizable
 * step: a call that fails has happened or not, never half.
 *
 * <p>Paths are absolute and normal: no empty, {@code .} or {@code ..} component and no slash at the
 * end, but for the root {@code /}. Methods throw {@link VdfsException} with the code that the
 * cluster gave (NOT_FOUND, PERMISSION_DENIED, ...), UNAVAILABLE if it can't be reached in time, and
 * {@link java.io.InterruptedIOException}.
 *
 * <p>Thread-safe.
 */
public final class VdfsClient implements AutoCloseable {
  /** Of the paths of one request, well below what a request may have. */
  private static final int MOST_PATH_BYTES = ControlMethods.MAX_BODY_BYTES / 2;

  private static final int MOST_BYTES_OF_A_CHARACTER = 3;

  private final MetadataCalls metadata;
  private final ClusterAccess cluster;
  private final ContentAccess content;
  private final LeaseRenewer leases;
  private final LedgerClient ledger;
  private final NodeCalls nodes;
  private final Runnable onClose;
  private final ContentRewrite rewrite;

  /**
   * Takes over {@code content} and {@code leases}, which it closes.
   *
   * @param onClose runs last when the client is closed
   */
  public VdfsClient(
      MetadataCalls metadata,
      ClusterAccess cluster,
      ContentAccess content,
      LeaseRenewer leases,
      LedgerClient ledger,
      NodeCalls nodes,
      Runnable onClose) {
    this.metadata = metadata;
    this.cluster = cluster;
    this.content = content;
    this.leases = leases;
    this.ledger = ledger;
    this.nodes = nodes;
    this.onClose = onClose;
    this.rewrite = new ContentRewrite(this, metadata);
  }

  /** The cluster as last heard of: properties, ring map, live nodes. */
  public ClusterSnapshot cluster() throws IOException {
    return cluster.current();
  }

  /** Calls to one certain node, for tools. */
  public NodeCalls nodes() {
    return nodes;
  }

  /** What a node has counted since it was started. */
  public List<Metric> counters(RingNode node) throws IOException {
    return nodes.counters(node);
  }

  /**
   * What reading and writing of files and calls to the metadata service did so far, by the names of
   * the counters.
   */
  public Map<String, Long> ioCounters() {
    Map<String, Long> counters = new LinkedHashMap<>(content.counters());
    counters.putAll(metadata.counters());
    return counters;
  }

  /** The ledgers of logical splits. */
  public LedgerClient ledger() {
    return ledger;
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
   * Creates a file and opens it for writing. It can be seen at once, with length 0. Overwriting
   * replaces also a file that somebody is writing; that writer's next call to the metadata service
   * fails with NOT_FOUND.
   *
   * @throws VdfsException ALREADY_EXISTS, IS_A_DIRECTORY, LEASE_CONFLICT if another writer has it
   *     and it is not to be overwritten
   */
  public ContentWriter create(String path, CreateOptions options) throws IOException {
    CreateOp operation =
        CreateOp.newBuilder()
            .setPath(path)
            .setMode(options.mode())
            .setUnmaskedMode(options.unmaskedMode())
            .setOverwrite(options.overwrite())
            .setCreateParents(options.createParents())
            .setReplication(options.replication())
            .setBlockSize(options.blockSize())
            .setHolder(holder())
            .build();
    return openForWriting(MetaRequest.newBuilder().setCreate(operation).build());
  }

  /** Opens an existing file for writing at its end. */
  public ContentWriter append(String path) throws IOException {
    AppendOp operation = AppendOp.newBuilder().setPath(path).setHolder(holder()).build();
    return openForWriting(MetaRequest.newBuilder().setAppend(operation).build());
  }

  /**
   * Cuts a closed file at {@code length}, by copying what stays; one atomic step to all others.
   * Needs the right to write to its directory too.
   *
   * @throws VdfsException LEASE_CONFLICT if it is being written; FILE_CHANGED if it changed
   *     meanwhile
   */
  public void truncate(String path, long length) throws IOException {
    rewrite.truncate(path, length);
  }

  /**
   * Appends the bytes of closed files to a closed one and removes them, by copying; one atomic step
   * to all others. Throws as {@link #truncate}.
   */
  public void concat(String target, List<String> sources) throws IOException {
    rewrite.concat(target, sources);
  }

  private ByteString holder() {
    return WireIds.encode(leases.holder());
  }

  private ContentWriter openForWriting(MetaRequest request) throws IOException {
    leases.fileOpened();
    boolean opened = false;
    try {
      OpenFileResult file = metadata.call(request).getOpenFile();
      FileInfo info = new FileInfo(file.getStatus());
      ContentWriter writer = content.writer(info, file.getTicket(), leases);
      opened = true;
      ContentWriter bounded =
          file.hasSpaceLeft() ? new QuotaWriter(writer, info, file.getSpaceLeft()) : writer;
      return new LeasedWriter(bounded, leases, file.getFileId());
    } finally {
      if (!opened) {
        leases.fileClosed();
      }
    }
  }

  /**
   * Opens a file for reading. What is read stays this content, also after a rename or an overwrite
   * of the path, until the content is removed.
   */
  public OpenedFile open(String path) throws IOException {
    OpenQuery query = OpenQuery.newBuilder().setPath(path).build();
    return open(openInfo(query));
  }

  /** Opens what an earlier opening told of, without asking the metadata service. */
  public OpenedFile open(FileInfo info) throws IOException {
    return new OpenedFile(info, content.reader(info));
  }

  /**
   * What an opening for reading tells, for {@link #open(FileInfo)}.
   *
   * @param fileId names the file whatever path it has now
   */
  public FileInfo openInfo(long fileId) throws IOException {
    return openInfo(OpenQuery.newBuilder().setFileId(fileId).build());
  }

  private FileInfo openInfo(OpenQuery query) throws IOException {
    MetaRequest request = MetaRequest.newBuilder().setOpen(query).build();
    return new FileInfo(metadata.call(request).getOpenFile().getStatus());
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
   * Returns if the caller may do this, as mode and ACL say.
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
   * One page of a directory; of a file the file itself with an empty name.
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

  /** A copy of a tree must not be led out of it by a name that somebody made up. */
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
   * exactly {@code target}, in one step; over nothing.
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
   * Deletes files, and directories that are empty then, the deepest paths first; in one step unless
   * the paths are too long for one request.
   *
   * @param paths at most 1000
   * @return the reason for each that stays; what was not there counts as deleted
   */
  public Map<String, String> deleteAll(List<String> paths) throws IOException {
    Map<String, String> failures = new LinkedHashMap<>();
    List<String> rest = new ArrayList<>(paths);
    rest.sort(Comparator.comparingLong(VdfsClient::depth).reversed());
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
  public void changeAcl(String path, AclChangeProto change, List<AclEntryProto> entries)
      throws IOException {
    ChangeAclOp operation =
        ChangeAclOp.newBuilder().setPath(path).setChange(change).addAllEntries(entries).build();
    metadata.call(MetaRequest.newBuilder().setChangeAcl(operation).build());
  }

  /** All extended attributes by their full name, in order of names. */
  public Map<String, byte[]> xattrs(String path) throws IOException {
    return xattrs(path, List.of());
  }

  /**
   * Extended attributes by name.
   *
   * @param names of which each must be there; none for all that the user may see
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

  /** What lies in a tree, by walking it. */
  public ContentTotals contentSummary(String path) throws IOException {
    return totals(ContentSummaryQuery.newBuilder().setPath(path).build());
  }

  /**
   * Inodes, space and limits of a tree, the rest 0; where it has a quota they are what that
   * counted, so nothing is walked.
   */
  public ContentTotals quotaUsage(String path) throws IOException {
    return totals(ContentSummaryQuery.newBuilder().setPath(path).setQuotaOnly(true).build());
  }

  /** Bytes on disks that count no longer, as replications were lowered; at most so many. */
  public long surplusBytes() throws IOException {
    return metadata
        .call(MetaRequest.newBuilder().setSurplus(SurplusQuery.getDefaultInstance()).build())
        .getSurplus()
        .getBytes();
  }

  /** How far the nodes have removed what was deleted. */
  public DeletionProgressResult deletionProgress() throws IOException {
    return metadata
        .call(
            MetaRequest.newBuilder()
                .setDeletionProgress(DeletionProgressQuery.getDefaultInstance())
                .build())
        .getDeletionProgress();
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

  /** Minutes after which the cluster deletes what is in the trash; 0: never. */
  public long trashMinutes() throws IOException {
    return cluster.current().trashMinutes();
  }

  /** Room on the volumes of all nodes that answer. */
  public ClusterSpace space() throws IOException {
    return cluster.space();
  }

  /**
   * Where the groups lie that [start, start + length) touches, cut to the file's length. Computed
   * from the ring map; asks nobody unless the map is old.
   */
  public List<BlockPlace> placesByGroup(FileInfo file, long start, long length) throws IOException {
    return BlockPlaces.byGroup(cluster.current(), file, start, length);
  }

  /** As {@link #placesByGroup}, for each block on its own. */
  public List<BlockPlace> placesByBlock(FileInfo file, long start, long length) throws IOException {
    return BlockPlaces.byBlock(cluster.current(), file, start, length);
  }

  /**
   * CRC32C of the first {@code length} bytes of a file, which doesn't depend on how the bytes are
   * cut into blocks and chunks. Of a whole file it comes from the checksums of the replicas;
   * otherwise the bytes are read.
   *
   * @param length at most the file's
   */
  public int checksum(FileInfo file, long length) throws IOException {
    if (length < 0 || length > file.length()) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "a checksum covers bytes of the file: file="
              + file.key()
              + ", asked="
              + length
              + ", length="
              + file.length());
    }
    return length == file.length()
        ? content.checksum(file)
        : PrefixChecksum.of(content.reader(file), length);
  }

  /**
   * CRC32C of each part of a range of a closed file, made by the nodes that hold it.
   *
   * @param file as an opening told
   * @param start on the border of a part, counted from the start of the file
   * @return big-endian, one after the other; empty where parts of that size have to be read
   */
  public Optional<byte[]> partChecksums(FileInfo file, long start, long length, int partBytes)
      throws IOException {
    return content.partChecksums(file, start, length, partBytes);
  }

  /**
   * Ends another client's writing to a file.
   *
   * @return false if recovery goes on: ask again
   */
  public boolean recoverLease(String path) throws IOException {
    return recoverLease(path, false).getClosed();
  }

  /**
   * As the other one, and says what was found.
   *
   * @param accept whether to close on fewer copies than a file must have; for superusers
   */
  public RecoverLeaseResult recoverLease(String path, boolean accept) throws IOException {
    RecoverLeaseCall call = RecoverLeaseCall.newBuilder().setPath(path).setAccept(accept).build();
    return metadata.call(MetaRequest.newBuilder().setRecoverLease(call).build()).getRecoverLease();
  }

  /** Files that lease recovery cannot close now; for others than superusers their number alone. */
  public WaitingRecoveriesResult waitingRecoveries() throws IOException {
    return metadata
        .call(
            MetaRequest.newBuilder()
                .setWaitingRecoveries(WaitingRecoveriesCall.getDefaultInstance())
                .build())
        .getWaitingRecoveries();
  }

  /** Ends all transfers; files still open for writing are left to the end of their leases. */
  @Override
  public void close() {
    leases.close();
    content.close();
    onClose.run();
  }
}
