package io.vdfs.datanode.hadoop;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.CallerProto;
import io.vdfs.common.wire.proto.DeleteOp;
import io.vdfs.common.wire.proto.ErrorProto;
import io.vdfs.common.wire.proto.GetStatusQuery;
import io.vdfs.common.wire.proto.ListQuery;
import io.vdfs.common.wire.proto.ListResult;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.MetaResponse;
import io.vdfs.common.wire.proto.RenameOp;
import io.vdfs.common.wire.proto.StatusProto;
import io.vdfs.datanode.rpc.request.Callers;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileAlreadyExistsException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.Progressable;

/**
 * The part of a filesystem that Hadoop's emptier of the trash calls: names, but no contents, as the
 * metadata leader has them. Calls below {@code /user/NAME/.Trash} are made as the owner of that
 * directory; elsewhere as the daemon, which only looks there.
 *
 * <p>Thread-safe.
 */
final class TrashFileSystem extends FileSystem {
  private static final URI NAME = URI.create("vdfs:///");
  private static final Path HOMES = new Path("/user");

  private final LeaderAccess leader;
  private final Callers callers;

  TrashFileSystem(Configuration configuration, LeaderAccess leader, Callers callers) {
    this.leader = leader;
    this.callers = callers;
    setConf(configuration);
  }

  @Override
  public URI getUri() {
    return NAME;
  }

  @Override
  public Path getHomeDirectory() {
    return new Path(HOMES, callers.self().getUser());
  }

  /** Empty unless this node leads: one emptier for all is enough. */
  @Override
  public Collection<FileStatus> getTrashRoots(boolean allUsers) {
    return leader.leads() ? super.getTrashRoots(allUsers) : List.of();
  }

  @Override
  public FileStatus getFileStatus(Path path) throws IOException {
    return status(call(path, statusOf(path)).getStatus(), path);
  }

  @Override
  public FileStatus[] listStatus(Path path) throws IOException {
    List<FileStatus> entries = new ArrayList<>();
    String last = "";
    boolean more = true;
    while (more) {
      ListQuery.Builder query = ListQuery.newBuilder().setPath(plain(path)).setStartAfter(last);
      ListResult page =
          ListResult.parseFrom(
              call(path, MetaRequest.newBuilder().setList(query).build()).getList());
      for (StatusProto entry : page.getEntriesList()) {
        entries.add(
            status(entry, entry.getName().isEmpty() ? path : new Path(path, entry.getName())));
        last = entry.getName();
      }
      more = page.getMore();
    }
    return entries.toArray(FileStatus[]::new);
  }

  @Override
  public boolean delete(Path path, boolean recursive) throws IOException {
    DeleteOp.Builder delete = DeleteOp.newBuilder().setPath(plain(path)).setRecursive(recursive);
    return call(path, MetaRequest.newBuilder().setDelete(delete).build()).getDelete().getDeleted();
  }

  @Override
  public boolean rename(Path source, Path target) throws IOException {
    RenameOp.Builder rename =
        RenameOp.newBuilder().setSource(plain(source)).setTarget(plain(target));
    return call(source, MetaRequest.newBuilder().setRename(rename).build()).getRename().getMoved();
  }

  /** Never overwrites, whatever the options are: the emptier renames to names that are free. */
  @Override
  @SuppressWarnings("InlineMeSuggester")
  @Deprecated
  protected void rename(Path source, Path target, Options.Rename... options) throws IOException {
    rename(source, target);
  }

  private MetaResponse call(Path path, MetaRequest request) throws IOException {
    return call(path, request, callerFor(path));
  }

  private MetaResponse call(Path path, MetaRequest request, CallerProto caller) throws IOException {
    MetaResponse response = leader.call(request, caller).join();
    if (response.hasError()) {
      throw failure(path, response.getError());
    }
    return response;
  }

  private CallerProto callerFor(Path path) throws IOException {
    for (Path up = path; up != null && up.getParent() != null; up = up.getParent()) {
      if (up.getName().equals(TRASH_PREFIX)) {
        StatusProto trash = call(up, statusOf(up), callers.self()).getStatus();
        return callers.of(UserGroupInformation.createRemoteUser(trash.getOwner()));
      }
    }
    return callers.self();
  }

  private static MetaRequest statusOf(Path path) {
    return MetaRequest.newBuilder()
        .setGetStatus(GetStatusQuery.newBuilder().setPath(plain(path)))
        .build();
  }

  private static IOException failure(Path path, ErrorProto error) {
    ErrorCode code = WireIds.errorCode(error);
    String message = "%s: path=%s".formatted(error.getMessage(), path);
    return switch (code) {
      case NOT_FOUND -> new FileNotFoundException(message);
      case ALREADY_EXISTS -> new FileAlreadyExistsException(message);
      case PERMISSION_DENIED -> new AccessControlException(message);
      default -> new IOException(code + " " + message);
    };
  }

  private static FileStatus status(StatusProto status, Path path) {
    return new FileStatus(
        status.getLength(),
        status.getDirectory(),
        status.getReplication(),
        status.getBlockSize(),
        status.getModificationMillis(),
        status.getAccessMillis(),
        new FsPermission((short) status.getMode()),
        status.getOwner(),
        status.getGroup(),
        path);
  }

  private static String plain(Path path) {
    return path.toUri().getPath();
  }

  @Override
  public Path getWorkingDirectory() {
    return getHomeDirectory();
  }

  @Override
  public void setWorkingDirectory(Path directory) {
    throw namesOnly();
  }

  @Override
  public FSDataInputStream open(Path path, int bufferSize) {
    throw namesOnly();
  }

  @Override
  public FSDataOutputStream create(
      Path path,
      FsPermission permission,
      boolean overwrite,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress) {
    throw namesOnly();
  }

  @Override
  public FSDataOutputStream append(Path path, int bufferSize, Progressable progress) {
    throw namesOnly();
  }

  @Override
  public boolean mkdirs(Path path, FsPermission permission) {
    throw namesOnly();
  }

  private static UnsupportedOperationException namesOnly() {
    return new UnsupportedOperationException("the emptier of the trash only moves and deletes");
  }
}
