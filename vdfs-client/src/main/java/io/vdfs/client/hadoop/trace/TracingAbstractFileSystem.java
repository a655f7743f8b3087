package io.vdfs.client.hadoop.trace;

import io.vdfs.client.hadoop.trace.calls.CallTracer;
import io.vdfs.client.hadoop.trace.calls.TracedInput;
import io.vdfs.client.hadoop.trace.calls.TracedIterator;
import io.vdfs.client.hadoop.trace.calls.TracedOutput;
import io.vdfs.client.hadoop.trace.calls.TracedStream;
import io.vdfs.client.hadoop.trace.names.TracedUri;
import io.vdfs.client.trace.TraceOp;
import io.vdfs.client.trace.TraceRecorder;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.AbstractFileSystem;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.BlockStoragePolicySpi;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileChecksum;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FsServerDefaults;
import org.apache.hadoop.fs.FsStatus;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.MultipartUploaderBuilder;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.fs.impl.OpenFileParameters;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.AclStatus;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.util.Progressable;

/**
 * {@code trace://} for {@code FileContext}: wraps the one that Hadoop has there for the filesystem
 * inside, so that each call stays the same. Records what {@link TracingFileSystem} records, to the
 * same files. It is never closed: its trace ends with the process. Thread-safe.
 */
public final class TracingAbstractFileSystem extends AbstractFileSystem {
  private static final int NO_PORT = -1;

  /** Hadoop reads the authority as a host name, which {@code file-} is not. */
  private static final URI NAMELESS = URI.create(TracedUri.SCHEME + ":///");

  private final AbstractFileSystem fs;
  private final TracedUri uri;
  private final TraceRecorder recorder;
  private final CallTracer tracer;

  /** A call to the filesystem inside. */
  @FunctionalInterface
  private interface Inside<T> {
    T on(Path path) throws IOException;
  }

  /** A call without a result. */
  @FunctionalInterface
  private interface Step {
    void on(Path path) throws IOException;
  }

  /** Called by Hadoop, by reflection. */
  public TracingAbstractFileSystem(URI name, Configuration conf)
      throws IOException, URISyntaxException {
    this(name, conf, Recorders.JVM);
  }

  TracingAbstractFileSystem(URI name, Configuration conf, Recorders recorders)
      throws IOException, URISyntaxException {
    super(NAMELESS, TracedUri.SCHEME, false, NO_PORT);
    TracedUri named = TracedUri.of(name, conf);
    TraceSettings settings = TraceSettings.of(conf);
    InnerFileSystems.open(name, named, settings, conf).close(); // for its checks
    fs = AbstractFileSystem.createFileSystem(named.inner(), conf);
    uri = new TracedUri(named.outer(), named.inner());
    recorder = recorders.acquire(settings, conf);
    tracer = new CallTracer(recorder, uri, this::innerHome);
  }

  /** Paths are never relative here, except for unusable ones. */
  private Path innerHome() {
    return fs.getHomeDirectory();
  }

  private <T> T call(TraceOp op, Path path, Inside<T> step) throws IOException {
    checkPath(path);
    Path inside = uri.inner(path);
    return tracer.call(op, inside, () -> step.on(inside));
  }

  private void run(TraceOp op, Path path, Step step) throws IOException {
    checkPath(path);
    Path inside = uri.inner(path);
    tracer.run(op, inside, () -> step.on(inside));
  }

  private TracedStream stream(Path path) {
    return new TracedStream(recorder, tracer.name(uri.inner(path)));
  }

  private <S, T> RemoteIterator<T> listed(
      Path path, Function<S, T> translation, Inside<RemoteIterator<S>> step) throws IOException {
    RemoteIterator<S> entries = call(TraceOp.LIST, path, step);
    return new TracedIterator<>(entries, translation, tracer, uri.inner(path));
  }

  @Override
  public URI getUri() {
    return uri.outer();
  }

  @Override
  public int getUriDefaultPort() {
    return NO_PORT;
  }

  @Override
  public boolean isValidName(String name) {
    return fs.isValidName(name);
  }

  @Override
  public Path getInitialWorkingDirectory() {
    return uri.outer(fs.getInitialWorkingDirectory());
  }

  @Override
  public Path getHomeDirectory() {
    return uri.outer(fs.getHomeDirectory());
  }

  @Override
  @Deprecated
  public FsServerDefaults getServerDefaults() throws IOException {
    return tracer.call(TraceOp.SERVER_DEFAULTS, null, fs::getServerDefaults);
  }

  @Override
  public FsServerDefaults getServerDefaults(Path path) throws IOException {
    return call(TraceOp.SERVER_DEFAULTS, path, inside -> fs.getServerDefaults(inside));
  }

  @Override
  public Path resolvePath(Path path) throws IOException {
    return uri.outer(call(TraceOp.RESOLVE, path, inside -> fs.resolvePath(inside)));
  }

  @Override
  public Path getEnclosingRoot(Path path) throws IOException {
    return uri.outer(call(TraceOp.RESOLVE, path, inside -> fs.getEnclosingRoot(inside)));
  }

  @Override
  public FSDataOutputStream createInternal(
      Path path,
      EnumSet<CreateFlag> flags,
      FsPermission absolutePermission,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress,
      Options.ChecksumOpt checksumOpt,
      boolean createParent)
      throws IOException {
    FSDataOutputStream out =
        call(
            StreamTracingFileSystem.opOf(flags),
            path,
            inside ->
                fs.createInternal(
                    inside,
                    flags,
                    absolutePermission,
                    bufferSize,
                    replication,
                    blockSize,
                    progress,
                    checksumOpt,
                    createParent));
    return TracedOutput.around(out, stream(path), statistics);
  }

  @Override
  public void mkdir(Path path, FsPermission permission, boolean createParent) throws IOException {
    run(TraceOp.MKDIRS, path, inside -> fs.mkdir(inside, permission, createParent));
  }

  @Override
  public boolean delete(Path path, boolean recursive) throws IOException {
    return call(TraceOp.DELETE, path, inside -> fs.delete(inside, recursive));
  }

  @Override
  public FSDataInputStream open(Path path) throws IOException {
    FSDataInputStream in = call(TraceOp.OPEN, path, inside -> fs.open(inside));
    return TracedInput.around(in, stream(path), statistics);
  }

  @Override
  public FSDataInputStream open(Path path, int bufferSize) throws IOException {
    FSDataInputStream in = call(TraceOp.OPEN, path, inside -> fs.open(inside, bufferSize));
    return TracedInput.around(in, stream(path), statistics);
  }

  @Override
  public CompletableFuture<FSDataInputStream> openFileWithOptions(
      Path path, OpenFileParameters parameters) throws IOException {
    Path inside = uri.inner(path);
    OpenFileParameters inner = OpenedFiles.inside(parameters, uri);
    return OpenedFiles.traced(
        tracer.future(TraceOp.OPEN, inside, () -> fs.openFileWithOptions(inside, inner)),
        in -> TracedInput.around(in, stream(path), statistics));
  }

  @Override
  public boolean truncate(Path path, long newLength) throws IOException {
    return call(TraceOp.TRUNCATE, path, inside -> fs.truncate(inside, newLength));
  }

  @Override
  public boolean setReplication(Path path, short replication) throws IOException {
    return call(TraceOp.SET_REPLICATION, path, inside -> fs.setReplication(inside, replication));
  }

  @Override
  public void renameInternal(Path source, Path target) throws IOException {
    rename(source, target, (from, to) -> fs.renameInternal(from, to));
  }

  @Override
  public void renameInternal(Path source, Path target, boolean overwrite) throws IOException {
    rename(source, target, (from, to) -> fs.renameInternal(from, to, overwrite));
  }

  /** A kind of rename. */
  @FunctionalInterface
  private interface Renaming {
    void run(Path from, Path to) throws IOException;
  }

  private void rename(Path source, Path target, Renaming renaming) throws IOException {
    checkPath(source);
    checkPath(target);
    Path from = uri.inner(source);
    Path to = uri.inner(target);
    tracer.run(TraceOp.RENAME, from, tracer.name(to), () -> renaming.run(from, to));
  }

  @Override
  public boolean supportsSymlinks() {
    return fs.supportsSymlinks();
  }

  @Override
  public void createSymlink(Path target, Path link, boolean createParent) throws IOException {
    Path inner =
        TracedUri.SCHEME.equalsIgnoreCase(target.toUri().getScheme()) ? uri.inner(target) : target;
    run(TraceOp.SYMLINK, link, inside -> fs.createSymlink(inner, inside, createParent));
  }

  @Override
  public Path getLinkTarget(Path path) throws IOException {
    return uri.outer(call(TraceOp.LINK_TARGET, path, inside -> fs.getLinkTarget(inside)));
  }

  @Override
  public void setPermission(Path path, FsPermission permission) throws IOException {
    run(TraceOp.SET_PERMISSION, path, inside -> fs.setPermission(inside, permission));
  }

  @Override
  public void setOwner(Path path, String owner, String group) throws IOException {
    run(TraceOp.SET_OWNER, path, inside -> fs.setOwner(inside, owner, group));
  }

  @Override
  public void setTimes(Path path, long modificationMillis, long accessMillis) throws IOException {
    run(TraceOp.SET_TIMES, path, inside -> fs.setTimes(inside, modificationMillis, accessMillis));
  }

  @Override
  public FileChecksum getFileChecksum(Path path) throws IOException {
    return call(TraceOp.CHECKSUM, path, inside -> fs.getFileChecksum(inside));
  }

  @Override
  public FileStatus getFileStatus(Path path) throws IOException {
    return uri.outerStatus(call(TraceOp.STATUS, path, inside -> fs.getFileStatus(inside)));
  }

  @Override
  public FileStatus getFileLinkStatus(Path path) throws IOException {
    return uri.outerStatus(call(TraceOp.STATUS, path, inside -> fs.getFileLinkStatus(inside)));
  }

  @Override
  public void msync() throws IOException {
    tracer.run(TraceOp.MSYNC, null, fs::msync);
  }

  @Override
  public void access(Path path, FsAction mode) throws IOException {
    run(TraceOp.ACCESS, path, inside -> fs.access(inside, mode));
  }

  @Override
  public BlockLocation[] getFileBlockLocations(Path path, long start, long length)
      throws IOException {
    return call(TraceOp.LOCATIONS, path, inside -> fs.getFileBlockLocations(inside, start, length));
  }

  @Override
  public FsStatus getFsStatus(Path path) throws IOException {
    return call(TraceOp.SPACE, path, inside -> fs.getFsStatus(inside));
  }

  @Override
  public FsStatus getFsStatus() throws IOException {
    return tracer.call(TraceOp.SPACE, null, fs::getFsStatus);
  }

  @Override
  public RemoteIterator<FileStatus> listStatusIterator(Path path) throws IOException {
    return this.<FileStatus, FileStatus>listed(
        path, uri::outerStatus, inside -> fs.listStatusIterator(inside));
  }

  @Override
  public RemoteIterator<LocatedFileStatus> listLocatedStatus(Path path) throws IOException {
    return this.<LocatedFileStatus, LocatedFileStatus>listed(
        path, uri::outerLocated, inside -> fs.listLocatedStatus(inside));
  }

  @Override
  public FileStatus[] listStatus(Path path) throws IOException {
    return uri.outerStatuses(call(TraceOp.LIST, path, inside -> fs.listStatus(inside)));
  }

  @Override
  public RemoteIterator<Path> listCorruptFileBlocks(Path path) throws IOException {
    RemoteIterator<Path> found =
        call(TraceOp.CORRUPT_BLOCKS, path, inside -> fs.listCorruptFileBlocks(inside));
    return new TracedIterator<Path, Path>(found, uri::outer, tracer, uri.inner(path));
  }

  @Override
  public void setVerifyChecksum(boolean verify) throws IOException {
    fs.setVerifyChecksum(verify);
  }

  @Override
  public String getCanonicalServiceName() {
    return fs.getCanonicalServiceName();
  }

  @Override
  public List<Token<?>> getDelegationTokens(String renewer) throws IOException {
    return tracer.call(TraceOp.TOKEN, null, () -> fs.getDelegationTokens(renewer));
  }

  @Override
  public void modifyAclEntries(Path path, List<AclEntry> entries) throws IOException {
    run(TraceOp.SET_ACL, path, inside -> fs.modifyAclEntries(inside, entries));
  }

  @Override
  public void removeAclEntries(Path path, List<AclEntry> entries) throws IOException {
    run(TraceOp.SET_ACL, path, inside -> fs.removeAclEntries(inside, entries));
  }

  @Override
  public void setAcl(Path path, List<AclEntry> entries) throws IOException {
    run(TraceOp.SET_ACL, path, inside -> fs.setAcl(inside, entries));
  }

  @Override
  public void removeDefaultAcl(Path path) throws IOException {
    run(TraceOp.SET_ACL, path, inside -> fs.removeDefaultAcl(inside));
  }

  @Override
  public void removeAcl(Path path) throws IOException {
    run(TraceOp.SET_ACL, path, inside -> fs.removeAcl(inside));
  }

  @Override
  public AclStatus getAclStatus(Path path) throws IOException {
    return call(TraceOp.GET_ACL, path, inside -> fs.getAclStatus(inside));
  }

  @Override
  public void setXAttr(Path path, String name, byte[] value) throws IOException {
    run(TraceOp.SET_XATTR, path, inside -> fs.setXAttr(inside, name, value));
  }

  @Override
  public void setXAttr(Path path, String name, byte[] value, EnumSet<XAttrSetFlag> flags)
      throws IOException {
    run(TraceOp.SET_XATTR, path, inside -> fs.setXAttr(inside, name, value, flags));
  }

  @Override
  public byte[] getXAttr(Path path, String name) throws IOException {
    return call(TraceOp.GET_XATTR, path, inside -> fs.getXAttr(inside, name));
  }

  @Override
  public Map<String, byte[]> getXAttrs(Path path) throws IOException {
    return call(TraceOp.GET_XATTR, path, inside -> fs.getXAttrs(inside));
  }

  @Override
  public Map<String, byte[]> getXAttrs(Path path, List<String> names) throws IOException {
    return call(TraceOp.GET_XATTR, path, inside -> fs.getXAttrs(inside, names));
  }

  @Override
  public List<String> listXAttrs(Path path) throws IOException {
    return call(TraceOp.GET_XATTR, path, inside -> fs.listXAttrs(inside));
  }

  @Override
  public void removeXAttr(Path path, String name) throws IOException {
    run(TraceOp.SET_XATTR, path, inside -> fs.removeXAttr(inside, name));
  }

  @Override
  public Path createSnapshot(Path path, String name) throws IOException {
    return uri.outer(call(TraceOp.SNAPSHOT, path, inside -> fs.createSnapshot(inside, name)));
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
  public void satisfyStoragePolicy(Path path) throws IOException {
    run(TraceOp.SET_POLICY, path, inside -> fs.satisfyStoragePolicy(inside));
  }

  @Override
  public void setStoragePolicy(Path path, String name) throws IOException {
    run(TraceOp.SET_POLICY, path, inside -> fs.setStoragePolicy(inside, name));
  }

  @Override
  public void unsetStoragePolicy(Path path) throws IOException {
    run(TraceOp.SET_POLICY, path, inside -> fs.unsetStoragePolicy(inside));
  }

  @Override
  public BlockStoragePolicySpi getStoragePolicy(Path path) throws IOException {
    return call(TraceOp.GET_POLICY, path, inside -> fs.getStoragePolicy(inside));
  }

  @Override
  public Collection<? extends BlockStoragePolicySpi> getAllStoragePolicies() throws IOException {
    return tracer.call(TraceOp.GET_POLICY, null, fs::getAllStoragePolicies);
  }

  @Override
  @SuppressWarnings("rawtypes") // as Hadoop declares it
  public MultipartUploaderBuilder createMultipartUploader(Path basePath) throws IOException {
    return new TracedUploaderBuilder(
        (MultipartUploaderBuilder<?, ?>) fs.createMultipartUploader(uri.inner(basePath)),
        uri,
        tracer);
  }

  @Override
  public boolean hasPathCapability(Path path, String capability) throws IOException {
    Path inside = uri.inner(path);
    return tracer.call(
        TraceOp.CAPABILITY, inside, capability, () -> fs.hasPathCapability(inside, capability));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TracingAbstractFileSystem traced
        && uri.outer().equals(traced.uri.outer());
  }

  @Override
  public int hashCode() {
    return uri.outer().hashCode();
  }
}
