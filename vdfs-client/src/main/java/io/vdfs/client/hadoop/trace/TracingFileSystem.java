package io.vdfs.client.hadoop.trace;

import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.client.hadoop.terms.HadoopLine;
import io.vdfs.client.hadoop.trace.calls.CallTracer;
import io.vdfs.client.hadoop.trace.calls.TracedIterator;
import io.vdfs.client.hadoop.trace.names.TracedPages;
import io.vdfs.client.hadoop.trace.names.TracedUri;
import io.vdfs.client.read.FetchListener;
import io.vdfs.client.trace.TraceOp;
import io.vdfs.client.trace.TraceRecorder;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BatchListingOperations;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.BulkDelete;
import org.apache.hadoop.fs.FileChecksum;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FsServerDefaults;
import org.apache.hadoop.fs.FsStatus;
import org.apache.hadoop.fs.LeaseRecoverable;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.PartialListing;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathFilter;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.StorageStatistics;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;
import org.apache.hadoop.fs.statistics.IOStatisticsSupport;
import org.apache.hadoop.security.token.Token;

/**
 * A filesystem around any other one of Hadoop's: {@code trace://SCHEME-AUTHORITY/path} is {@code
 * SCHEME://AUTHORITY/path}. Records every operation and every call of its streams to files in
 * {@code fs.trace.sink}, and passes them on unchanged.
 *
 * <p>It can do what the one inside can, and {@link #hasPathCapability} says the same. A capability
 * that Hadoop looks up on the class rather than on the filesystem cannot depend on the one inside:
 * this class is {@link LeaseRecoverable} and has {@link BatchListingOperations}, and these calls
 * throw UnsupportedOperationException where the filesystem inside lacks them.
 *
 * <p>What applications see, statuses too, has paths with the scheme {@code trace}. As thread-safe
 * as the filesystem inside.
 */
public final class TracingFileSystem extends StreamTracingFileSystem
    implements LeaseRecoverable, BatchListingOperations, IOStatisticsSource {
  static {
    HadoopLine.completeTypes();
  }

  private final Recorders recorders;
  private final AtomicBoolean closed = new AtomicBoolean();
  private TraceRecorder recorder;

  /** For Hadoop, which calls {@link #initialize} next. */
  public TracingFileSystem() {
    this(Recorders.JVM);
  }

  TracingFileSystem(Recorders recorders) {
    this.recorders = recorders;
  }

  /**
   * Opens the filesystem inside, in no cache; it is closed with this one.
   *
   * @throws io.vdfs.common.error.VdfsException MISCONFIGURED if the URI names no filesystem, or a
   *     traced one, if a setting is missing or malformed, or if the sink is traced itself
   */
  @Override
  public void initialize(URI name, Configuration conf) throws IOException {
    TracedUri named = TracedUri.of(name, conf);
    TraceSettings settings = TraceSettings.of(conf);
    boolean nested = InnerFileSystems.isNested();
    FileSystem inner = InnerFileSystems.open(name, named, settings, conf);
    fs = inner;
    standsFor(new TracedUri(named.outer(), inner.getUri()));
    super.initialize(name, conf);
    if (nested) {
      return; // it will not be used
    }
    recorder = recorders.acquire(settings, conf);
    tracedBy(new CallTracer(recorder, uri(), inner::getWorkingDirectory));
    streamsTracedBy(recorder);
    if (settings.fetches() && inner instanceof VdfsFileSystem vdfs) {
      vdfs.listenToFetches(path -> fetchesOf(tracer().name(path)));
    }
  }

  private FetchListener fetchesOf(String path) {
    return (start, position, asked, got, way, failure) ->
        recorder
            .claim(TraceOp.FETCH, start)
            .path(path)
            .target(way)
            .range(position, asked)
            .result(got)
            .failure(failure)
            .publish();
  }

  private <S, T> RemoteIterator<T> listed(
      Path path, Function<S, T> translation, Inside<RemoteIterator<S>> step) throws IOException {
    RemoteIterator<S> entries = call(TraceOp.LIST, path, step);
    return new TracedIterator<>(entries, translation, tracer(), uri().inner(path));
  }

  private PathFilter inside(PathFilter filter) {
    return path -> filter.accept(uri().outer(path));
  }

  @Override
  public Path resolvePath(Path path) throws IOException {
    return uri().outer(call(TraceOp.RESOLVE, path, inside -> fs.resolvePath(inside)));
  }

  @Override
  public Path getEnclosingRoot(Path path) throws IOException {
    return uri().outer(call(TraceOp.RESOLVE, path, inside -> fs.getEnclosingRoot(inside)));
  }

  @Override
  public BulkDelete createBulkDelete(Path basePath) throws IOException {
    return TracedBulkDelete.of(fs, basePath, uri(), tracer());
  }

  @Override
  public void concat(Path target, Path[] sources) throws IOException {
    Path[] inside = uri().innerAll(sources);
    run(TraceOp.CONCAT, target, path -> fs.concat(path, inside));
  }

  @Override
  public boolean truncate(Path path, long newLength) throws IOException {
    return call(TraceOp.TRUNCATE, path, inside -> fs.truncate(inside, newLength));
  }

  @Override
  public boolean rename(Path source, Path target) throws IOException {
    Path to = uri().inner(target);
    return call(TraceOp.RENAME, source, tracer().name(to), from -> fs.rename(from, to));
  }

  @Override
  @SuppressWarnings("deprecation") // deprecated for users; Trash and FileContext call it
  protected void rename(Path source, Path target, Options.Rename... options) throws IOException {
    Path to = uri().inner(target);
    call(
        TraceOp.RENAME,
        source,
        tracer().name(to),
        from -> {
          super.rename(from, to, options);
          return null;
        });
  }

  @Override
  public boolean delete(Path path, boolean recursive) throws IOException {
    return call(TraceOp.DELETE, path, inside -> fs.delete(inside, recursive));
  }

  @Override
  @SuppressWarnings("deprecation") // what it passes on
  public boolean exists(Path path) throws IOException {
    return call(TraceOp.STATUS, path, inside -> fs.exists(inside));
  }

  @Override
  @Deprecated
  public boolean isDirectory(Path path) throws IOException {
    return call(TraceOp.STATUS, path, inside -> fs.isDirectory(inside));
  }

  @Override
  @Deprecated
  public boolean isFile(Path path) throws IOException {
    return call(TraceOp.STATUS, path, inside -> fs.isFile(inside));
  }

  @Override
  public FileStatus getFileStatus(Path path) throws IOException {
    statistics.incrementReadOps(1);
    return uri().outerStatus(call(TraceOp.STATUS, path, inside -> fs.getFileStatus(inside)));
  }

  @Override
  public FileStatus getFileLinkStatus(Path path) throws IOException {
    return uri().outerStatus(call(TraceOp.STATUS, path, inside -> fs.getFileLinkStatus(inside)));
  }

  @Override
  public FileStatus[] listStatus(Path path) throws IOException {
    statistics.incrementLargeReadOps(1);
    return uri().outerStatuses(call(TraceOp.LIST, path, inside -> fs.listStatus(inside)));
  }

  @Override
  public FileStatus[] globStatus(Path pattern) throws IOException {
    return uri().outerStatuses(call(TraceOp.GLOB, pattern, inside -> fs.globStatus(inside)));
  }

  @Override
  public FileStatus[] globStatus(Path pattern, PathFilter filter) throws IOException {
    PathFilter inner = inside(filter);
    return uri().outerStatuses(call(TraceOp.GLOB, pattern, inside -> fs.globStatus(inside, inner)));
  }

  @Override
  public RemoteIterator<FileStatus> listStatusIterator(Path path) throws IOException {
    statistics.incrementLargeReadOps(1);
    return this.<FileStatus, FileStatus>listed(
        path, uri()::outerStatus, inside -> fs.listStatusIterator(inside));
  }

  @Override
  public RemoteIterator<LocatedFileStatus> listLocatedStatus(Path path) throws IOException {
    statistics.incrementLargeReadOps(1);
    return this.<LocatedFileStatus, LocatedFileStatus>listed(
        path, uri()::outerLocated, inside -> fs.listLocatedStatus(inside));
  }

  @Override
  protected RemoteIterator<LocatedFileStatus> listLocatedStatus(Path path, PathFilter filter)
      throws IOException {
    statistics.incrementLargeReadOps(1);
    PathFilter inner = inside(filter);
    return this.<LocatedFileStatus, LocatedFileStatus>listed(
        path, uri()::outerLocated, inside -> super.listLocatedStatus(inside, inner));
  }

  @Override
  public RemoteIterator<LocatedFileStatus> listFiles(Path path, boolean recursive)
      throws IOException {
    statistics.incrementLargeReadOps(1);
    return this.<LocatedFileStatus, LocatedFileStatus>listed(
        path, uri()::outerLocated, inside -> fs.listFiles(inside, recursive));
  }

  @Override
  public RemoteIterator<Path> listCorruptFileBlocks(Path path) throws IOException {
    RemoteIterator<Path> found =
        call(TraceOp.CORRUPT_BLOCKS, path, inside -> fs.listCorruptFileBlocks(inside));
    return new TracedIterator<Path, Path>(found, uri()::outer, tracer(), uri().inner(path));
  }

  @Override
  public RemoteIterator<PartialListing<FileStatus>> batchedListStatusIterator(List<Path> paths)
      throws IOException {
    BatchListingOperations inner = batches();
    List<Path> inside = paths.stream().map(uri()::inner).toList();
    RemoteIterator<PartialListing<FileStatus>> pages =
        tracer()
            .call(
                TraceOp.BATCHED_LIST,
                null,
                paths.size() + " paths",
                () -> inner.batchedListStatusIterator(inside));
    return new TracedIterator<PartialListing<FileStatus>, PartialListing<FileStatus>>(
        pages, page -> TracedPages.of(page, uri(), uri()::outerStatus), tracer(), null);
  }

  @Override
  public RemoteIterator<PartialListing<LocatedFileStatus>> batchedListLocatedStatusIterator(
      List<Path> paths) throws IOException {
    BatchListingOperations inner = batches();
    List<Path> inside = paths.stream().map(uri()::inner).toList();
    RemoteIterator<PartialListing<LocatedFileStatus>> pages =
        tracer()
            .call(
                TraceOp.BATCHED_LIST,
                null,
                paths.size() + " paths",
                () -> inner.batchedListLocatedStatusIterator(inside));
    return new TracedIterator<PartialListing<LocatedFileStatus>, PartialListing<LocatedFileStatus>>(
        pages, page -> TracedPages.of(page, uri(), uri()::outerLocated), tracer(), null);
  }

  private BatchListingOperations batches() {
    if (fs instanceof BatchListingOperations batches) {
      return batches;
    }
    throw unsupported("lists no directories in batches");
  }

  private UnsupportedOperationException unsupported(String what) {
    return new UnsupportedOperationException(
        "the filesystem inside %s: uri=%s, filesystem=%s"
            .formatted(what, fs.getUri(), fs.getClass().getName()));
  }

  @Override
  public boolean recoverLease(Path path) throws IOException {
    LeaseRecoverable inner = leases();
    return call(TraceOp.RECOVER_LEASE, path, inner::recoverLease);
  }

  @Override
  public boolean isFileClosed(Path path) throws IOException {
    LeaseRecoverable inner = leases();
    return call(TraceOp.IS_CLOSED, path, inner::isFileClosed);
  }

  private LeaseRecoverable leases() {
    if (fs instanceof LeaseRecoverable leases) {
      return leases;
    }
    throw unsupported("recovers no leases");
  }

  @Override
  public boolean mkdirs(Path path) throws IOException {
    statistics.incrementWriteOps(1);
    return call(TraceOp.MKDIRS, path, inside -> fs.mkdirs(inside));
  }

  @Override
  public boolean mkdirs(Path path, FsPermission permission) throws IOException {
    statistics.incrementWriteOps(1);
    return call(TraceOp.MKDIRS, path, inside -> fs.mkdirs(inside, permission));
  }

  @Override
  @SuppressWarnings("deprecation") // what it passes on
  protected boolean primitiveMkdir(Path path, FsPermission absolutePermission) throws IOException {
    return call(TraceOp.MKDIRS, path, inside -> super.primitiveMkdir(inside, absolutePermission));
  }

  @Override
  public void copyFromLocalFile(boolean deleteSource, Path source, Path target) throws IOException {
    run(
        TraceOp.COPY_FROM_LOCAL,
        target,
        inside -> fs.copyFromLocalFile(deleteSource, source, inside));
  }

  @Override
  public void copyFromLocalFile(boolean deleteSource, boolean overwrite, Path source, Path target)
      throws IOException {
    run(
        TraceOp.COPY_FROM_LOCAL,
        target,
        inside -> fs.copyFromLocalFile(deleteSource, overwrite, source, inside));
  }

  @Override
  public void copyFromLocalFile(
      boolean deleteSource, boolean overwrite, Path[] sources, Path target) throws IOException {
    run(
        TraceOp.COPY_FROM_LOCAL,
        target,
        inside -> fs.copyFromLocalFile(deleteSource, overwrite, sources, inside));
  }

  @Override
  public void copyToLocalFile(boolean deleteSource, Path source, Path target) throws IOException {
    run(TraceOp.COPY_TO_LOCAL, source, inside -> fs.copyToLocalFile(deleteSource, inside, target));
  }

  @Override
  public void copyToLocalFile(boolean deleteSource, Path source, Path target, boolean rawTarget)
      throws IOException {
    run(
        TraceOp.COPY_TO_LOCAL,
        source,
        inside -> fs.copyToLocalFile(deleteSource, inside, target, rawTarget));
  }

  @Override
  public Path startLocalOutput(Path target, Path temporary) throws IOException {
    return uri().outer(fs.startLocalOutput(uri().inner(target), temporary));
  }

  @Override
  public void completeLocalOutput(Path target, Path temporary) throws IOException {
    run(
        TraceOp.COPY_FROM_LOCAL,
        target,
        inside -> fs.completeLocalOutput(inside, uri().inner(temporary)));
  }

  @Override
  public FsStatus getStatus(Path path) throws IOException {
    return call(TraceOp.SPACE, path, inside -> fs.getStatus(inside));
  }

  @Override
  @Deprecated
  public FsServerDefaults getServerDefaults() throws IOException {
    return tracer().call(TraceOp.SERVER_DEFAULTS, null, fs::getServerDefaults);
  }

  @Override
  public FsServerDefaults getServerDefaults(Path path) throws IOException {
    return call(TraceOp.SERVER_DEFAULTS, path, inside -> fs.getServerDefaults(inside));
  }

  @Override
  public long getDefaultBlockSize(Path path) {
    return fs.getDefaultBlockSize(uri().inner(path));
  }

  @Override
  public short getDefaultReplication(Path path) {
    return fs.getDefaultReplication(uri().inner(path));
  }

  @Override
  public BlockLocation[] getFileBlockLocations(FileStatus file, long start, long length)
      throws IOException {
    FileStatus inner = uri().innerStatus(file);
    return call(
        TraceOp.LOCATIONS,
        file == null ? null : file.getPath(),
        path -> fs.getFileBlockLocations(inner, start, length));
  }

  @Override
  public BlockLocation[] getFileBlockLocations(Path path, long start, long length)
      throws IOException {
    return call(TraceOp.LOCATIONS, path, inside -> fs.getFileBlockLocations(inside, start, length));
  }

  @Override
  public void msync() throws IOException {
    tracer().run(TraceOp.MSYNC, null, fs::msync);
  }

  @Override
  @SuppressWarnings("deprecation") // what it passes on
  public void createSymlink(Path target, Path link, boolean createParent) throws IOException {
    Path inner = isTraced(target) ? uri().inner(target) : target;
    run(TraceOp.SYMLINK, link, inside -> fs.createSymlink(inner, inside, createParent));
  }

  /** A link may lead to another filesystem, or be relative to where it stands. */
  private static boolean isTraced(Path path) {
    return TracedUri.SCHEME.equalsIgnoreCase(path.toUri().getScheme());
  }

  @Override
  public Path getLinkTarget(Path path) throws IOException {
    return uri().outer(call(TraceOp.LINK_TARGET, path, inside -> fs.getLinkTarget(inside)));
  }

  @Override
  protected Path resolveLink(Path path) throws IOException {
    return uri().outer(call(TraceOp.LINK_TARGET, path, inside -> super.resolveLink(inside)));
  }

  @Override
  public FileChecksum getFileChecksum(Path path) throws IOException {
    return call(TraceOp.CHECKSUM, path, inside -> fs.getFileChecksum(inside));
  }

  @Override
  public FileChecksum getFileChecksum(Path path, long length) throws IOException {
    return call(TraceOp.CHECKSUM, path, inside -> fs.getFileChecksum(inside, length));
  }

  @Override
  public Path createSnapshot(Path path, String name) throws IOException {
    return uri().outer(call(TraceOp.SNAPSHOT, path, inside -> fs.createSnapshot(inside, name)));
  }

  @Override
  public void renameSnapshot(Path path, String oldName, String newName) throws IOException {
    run(TraceOp.SNAPSHOT, path, inside -> fs.renameSnapshot(inside, oldName, newName));
  }

  @Override
  public void deleteSnapshot(Path path, String name) throws IOException {
    run(TraceOp.SNAPSHOT, path, inside -> fs.deleteSnapshot(inside, name));
  }

  @Override
  public Token<?> getDelegationToken(String renewer) throws IOException {
    return tracer().<Token<?>>call(TraceOp.TOKEN, null, () -> fs.getDelegationToken(renewer));
  }

  @Override
  public boolean hasPathCapability(Path path, String capability) throws IOException {
    return call(
        TraceOp.CAPABILITY, path, capability, inside -> fs.hasPathCapability(inside, capability));
  }

  @Override
  public StorageStatistics getStorageStatistics() {
    return fs.getStorageStatistics();
  }

  /** Of the filesystem inside; null if it has none, or this one is not initialized. */
  @Override
  public IOStatistics getIOStatistics() {
    return fs == null ? null : IOStatisticsSupport.retrieveIOStatistics(fs);
  }

  /**
   * Deletes what was marked for it, closes the filesystem inside and ends the trace, unless others
   * still use it.
   */
  @Override
  public void close() throws IOException {
    if (fs == null || !closed.compareAndSet(false, true)) {
      return;
    }
    try {
      super.close();
    } finally {
      if (recorder != null) {
        recorders.release(recorder);
      }
    }
  }

  @Override
  public String toString() {
    return "TracingFileSystem[" + (fs == null ? "not initialized" : fs.toString()) + "]";
  }
}
