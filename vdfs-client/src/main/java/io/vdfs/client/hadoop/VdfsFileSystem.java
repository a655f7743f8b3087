package io.vdfs.client.hadoop;

import io.vdfs.client.VdfsClient;
import io.vdfs.client.hadoop.cluster.ClientKey;
import io.vdfs.client.hadoop.cluster.ClientOpener;
import io.vdfs.client.hadoop.cluster.ClientSettings;
import io.vdfs.client.hadoop.cluster.ClusterTargets;
import io.vdfs.client.hadoop.cluster.SharedClients;
import io.vdfs.client.hadoop.cluster.UnknownKeys;
import io.vdfs.client.hadoop.locality.NodeDistances;
import io.vdfs.client.hadoop.streams.OpenStreams;
import io.vdfs.client.hadoop.terms.FileChangedException;
import io.vdfs.client.hadoop.terms.HadoopErrors;
import io.vdfs.client.hadoop.terms.HadoopErrors.Intent;
import io.vdfs.client.hadoop.terms.HadoopLine;
import io.vdfs.client.hadoop.terms.PathNames;
import io.vdfs.client.hadoop.values.ChecksumSettings;
import io.vdfs.client.hadoop.values.ContentStatistics;
import io.vdfs.client.hadoop.values.Listing;
import io.vdfs.client.hadoop.values.OpenFileOptions;
import io.vdfs.client.hadoop.values.StatusMapper;
import io.vdfs.client.hadoop.values.VdfsFileStatus;
import io.vdfs.client.meta.cluster.ClusterSpace;
import io.vdfs.client.names.FileInfo;
import io.vdfs.client.read.FetchListener;
import io.vdfs.client.read.ReadPattern;
import io.vdfs.common.error.VdfsException;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.BulkDelete;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileChecksum;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FsServerDefaults;
import org.apache.hadoop.fs.FsStatus;
import org.apache.hadoop.fs.GlobalStorageStatistics;
import org.apache.hadoop.fs.LeaseRecoverable;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathFilter;
import org.apache.hadoop.fs.PathHandle;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.StorageStatistics;
import org.apache.hadoop.fs.UnionStorageStatistics;
import org.apache.hadoop.fs.impl.AbstractFSBuilderImpl;
import org.apache.hadoop.fs.impl.FileSystemMultipartUploaderBuilder;
import org.apache.hadoop.fs.impl.OpenFileParameters;
import org.apache.hadoop.fs.impl.PathCapabilitiesSupport;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.LambdaUtils;

/**
 * The filesystem {@code vdfs://}. Semantics are HDFS': each change of names is one atomic step that
 * every later call of any client sees.
 *
 * <p>{@code vdfs://NAME/} means the cluster NAME of {@code fs.vdfs.cluster.NAME.zookeeper}, {@code
 * vdfs://host:port/} the cluster of that DataNode, {@code vdfs:///} the default cluster. Creating
 * an instance contacts no server; instances of one cluster and user share a client.
 *
 * <p>{@link #getFileChecksum} equals that of HDFS for the same bytes, block size and {@code
 * dfs.bytes-per-checksum}, in the mode of {@code dfs.checksum.combine.mode}. Nodes make the
 * checksums that it takes; bytes are read where {@code dfs.bytes-per-checksum} does not divide the
 * cluster's chunks.
 *
 * <p>Thread-safe, except for the working directory, which belongs to the caller that sets it.
 */
public final class VdfsFileSystem extends CreatingFileSystem
    implements LeaseRecoverable, IOStatisticsSource {
  /** The usual URI scheme. */
  public static final String SCHEME = "vdfs";

  private static final PathFilter ALL = path -> true;

  static {
    HadoopLine.completeTypes();
    LibraryLogs.quieten();
  }

  private final SharedClients clients;
  private final ClientFactory factory;
  private final PinnedFiles pins;
  private final OpenStreams openStreams;

  /** A second call of close waits for the first. */
  private final Object closing = new Object();

  private URI uri;
  private ClientSettings settings;
  private ChecksumSettings checksumSettings;
  private UserGroupInformation user;
  private SharedClients.Lease lease;
  private Calls calls;
  private PathContents contents;
  private FileOpening opening;
  private FileCreation creation;
  private Deletion deletion;
  private Checksums checksums;
  private Attributes attributes;
  private LeaseTakeover recovery;
  private StatusMapper statuses;
  private RenameRules renames;
  private Path workingDirectory;

  private final Calls.Paths paths =
      new Calls.Paths() {
        @Override
        public String name(Path path) {
          checkPath(path);
          return PathNames.of(fixRelativePart(path));
        }

        @Override
        public Path qualified(Path path) {
          return makeQualified(fixRelativePart(path));
        }

        @Override
        public Path root() {
          return new Path(uri);
        }
      };

  /** Makes a client where none is shared yet. */
  @FunctionalInterface
  interface ClientFactory {
    VdfsClient open(ClientKey key, Configuration configuration, UserGroupInformation user);
  }

  /** For Hadoop, which calls {@link #initialize} next. */
  public VdfsFileSystem() {
    this(SharedClients.JVM, ClientOpener::open, PinnedFiles.JVM, OpenStreams.LIMIT);
  }

  /**
   * @param closeLimit of completing all open files when this is closed
   */
  VdfsFileSystem(
      SharedClients clients, ClientFactory factory, PinnedFiles pins, Duration closeLimit) {
    this.clients = clients;
    this.factory = factory;
    this.pins = pins;
    this.openStreams = new OpenStreams(closeLimit);
  }

  /**
   * @throws VdfsException MISCONFIGURED naming the setting that is missing or malformed
   */
  @Override
  public void initialize(URI name, Configuration configuration) throws IOException {
    String authority = name.getRawAuthority();
    String scheme = name.getScheme() == null ? SCHEME : name.getScheme();
    uri = URI.create(scheme + "://" + (authority == null ? "/" : authority));
    super.initialize(name, configuration);
    setConf(configuration);
    UnknownKeys.JVM.warn(configuration);
    settings = ClientSettings.read(configuration);
    checksumSettings = ChecksumSettings.read(configuration);
    user = UserGroupInformation.getCurrentUser();
    ClientKey key = new ClientKey(ClusterTargets.resolve(name, configuration), user, settings);
    lease = clients.acquire(key, () -> factory.open(key, configuration, user));
    calls = new Calls(paths, lease, statistics);
    contents = new PathContents(calls, pins);
    opening = new FileOpening(calls, contents, NodeDistances.of(configuration, lease.client()));
    creation = new FileCreation(calls, contents, openStreams, configuration);
    deletion = new Deletion(calls);
    checksums = new Checksums(calls, contents, checksumSettings);
    attributes = new Attributes(calls, contents);
    recovery = new LeaseTakeover(calls);
    statuses = new StatusMapper(lease.client());
    renames = new RenameRules(lease.client());
    workingDirectory = getHomeDirectory();
  }

  @Override
  Attributes attributes() {
    return attributes;
  }

  @Override
  FileCreation creation() {
    return creation;
  }

  /**
   * The client behind this filesystem, for those that need more than Hadoop's interface.
   *
   * @throws IOException if the filesystem is closed
   */
  public VdfsClient vdfsClient() throws IOException {
    return calls.client();
  }

  /**
   * Whether both were told to use the same cluster; two names of one cluster may not be recognized
   * as such.
   */
  public boolean isOfClusterOf(VdfsFileSystem other) {
    return lease.key().target().equals(other.lease.key().target());
  }

  /**
   * Reports each range that is asked of a node, below the read-ahead buffer, for files that are
   * opened from now on.
   *
   * @param listeners gives the one for a file, by its qualified path
   */
  public void listenToFetches(Function<Path, FetchListener> listeners) {
    opening.listenToFetches(listeners);
  }

  /**
   * Has a path stand for a fixed content in this JVM: until the pin is closed, opening the path, or
   * asking for its status, gives the file {@code fileId} of that generation, cut to {@code length},
   * without asking the metadata service and whatever has become of the path. A thread that pins it
   * to another content gets that; for threads that pin it to nothing, opening it fails meanwhile.
   *
   * @throws FileChangedException if that content is gone or shorter
   */
  public AutoCloseable pin(Path path, long fileId, int generation, long length) throws IOException {
    return contents.pin(path, fileId, generation, length);
  }

  /** That of the URI it was made for: {@link #SCHEME} unless it stands in for another one. */
  @Override
  public String getScheme() {
    return uri == null ? SCHEME : uri.getScheme();
  }

  @Override
  public URI getUri() {
    return uri;
  }

  /** Null: without security there are no tokens, and a cluster's name is no host to look up. */
  @Override
  public String getCanonicalServiceName() {
    return null;
  }

  @Override
  public FSDataInputStream open(Path path, int bufferSize) throws IOException {
    return opening.open(path, ReadPattern.ADAPTIVE);
  }

  /**
   * A status of this filesystem that says that the file is closed and readable saves looking the
   * file up: the content read is then the one that the status describes. The read policy and the
   * end of the split bound what is fetched ahead, see {@link OpenFileOptions}. Other standard
   * options are hints that change nothing.
   */
  @Override
  protected CompletableFuture<FSDataInputStream> openFileWithOptions(
      Path path, OpenFileParameters parameters) throws IOException {
    AbstractFSBuilderImpl.rejectUnknownMandatoryKeys(
        parameters.getMandatoryKeys(), HadoopLine.openFileOptions(), "for " + path);
    ReadPattern pattern = OpenFileOptions.pattern(parameters.getOptions());
    return LambdaUtils.eval(
        new CompletableFuture<>(), () -> opening.open(path, parameters.getStatus(), pattern));
  }

  @Override
  public FSDataInputStream open(PathHandle handle, int bufferSize) throws IOException {
    return opening.open(handle);
  }

  /**
   * @throws IllegalArgumentException for a directory, or for a status of another filesystem
   */
  @Override
  protected PathHandle createPathHandle(FileStatus status, Options.HandleOpt... options) {
    return opening.handle(status, options);
  }

  @Override
  public FileSystemMultipartUploaderBuilder createMultipartUploader(Path basePath) {
    return new FileSystemMultipartUploaderBuilder(this, basePath);
  }

  @Override
  public boolean rename(Path source, Path target) throws IOException {
    String to = paths.name(target);
    return calls.change(source, Intent.CHANGE, (client, from) -> renames.renameInto(from, to));
  }

  /** Renames to exactly {@code target}, with an exception for each refusal; one atomic step. */
  @Override
  @SuppressWarnings("deprecation") // deprecated for users; Trash and FileContext call it
  public void rename(Path source, Path target, Options.Rename... options) throws IOException {
    String to = paths.name(target);
    boolean overwrite = List.of(options).contains(Options.Rename.OVERWRITE);
    calls.run(source, Intent.CHANGE, (client, from) -> renames.renameTo(from, to, overwrite));
  }

  @Override
  public boolean delete(Path path, boolean recursive) throws IOException {
    return deletion.delete(path, recursive);
  }

  /** Whole pages are deleted in one step each. */
  @Override
  public BulkDelete createBulkDelete(Path basePath) throws IOException {
    paths.name(basePath);
    return PagedBulkDelete.of(deletion, paths, paths.qualified(basePath));
  }

  @Override
  public FileStatus[] listStatus(Path path) throws IOException {
    return list(path, ALL).all();
  }

  @Override
  public RemoteIterator<FileStatus> listStatusIterator(Path path) throws IOException {
    return Listing.widened(list(path, ALL));
  }

  @Override
  public RemoteIterator<LocatedFileStatus> listLocatedStatus(Path path) throws IOException {
    return Listing.widened(list(path, ALL));
  }

  @Override
  protected RemoteIterator<LocatedFileStatus> listLocatedStatus(Path path, PathFilter filter)
      throws IOException {
    return Listing.widened(list(path, filter));
  }

  private Listing list(Path path, PathFilter filter) throws IOException {
    paths.name(path);
    statistics.incrementLargeReadOps(1);
    return Listing.of(calls.client(), paths.qualified(path), settings.listPage(), filter);
  }

  @Override
  public void setWorkingDirectory(Path directory) {
    Path absolute = paths.qualified(directory);
    paths.name(absolute);
    workingDirectory = absolute;
  }

  @Override
  public Path getWorkingDirectory() {
    return workingDirectory;
  }

  @Override
  protected Path getInitialWorkingDirectory() {
    return getHomeDirectory();
  }

  @Override
  public Path getHomeDirectory() {
    return makeQualified(new Path(USER_HOME_PREFIX + "/" + user.getShortUserName()), uri);
  }

  private static Path makeQualified(Path path, URI uri) {
    return path.makeQualified(uri, path);
  }

  @Override
  public FileStatus getFileStatus(Path path) throws IOException {
    statistics.incrementReadOps(1);
    return statuses.status(contents.info(path), paths.qualified(path));
  }

  @Override
  public BlockLocation[] getFileBlockLocations(FileStatus file, long start, long length)
      throws IOException {
    if (!StatusMapper.hasLocations(file, start, length)) {
      return file == null ? null : new BlockLocation[0];
    }
    statistics.incrementReadOps(1);
    FileInfo known = file instanceof VdfsFileStatus ours ? ours.info() : null;
    FileInfo info = known == null ? contents.fileInfo(file.getPath()) : known;
    return start >= info.length() ? new BlockLocation[0] : statuses.locations(info, start, length);
  }

  @Override
  public FileChecksum getFileChecksum(Path path) throws IOException {
    return checksums.ofFile(path);
  }

  @Override
  public FileChecksum getFileChecksum(Path path, long length) throws IOException {
    return checksums.ofPrefix(path, length);
  }

  /** Done when it returns; copies what stays, see {@link VdfsClient#truncate}. */
  @Override
  public boolean truncate(Path path, long newLength) throws IOException {
    calls.run(path, Intent.OPEN, (client, name) -> client.truncate(name, newLength));
    return true;
  }

  /**
   * By the rules of HDFS: sources are other files of the same directory, none of them empty or
   * named twice.
   */
  @Override
  public void concat(Path target, Path[] sources) throws IOException {
    List<String> names = new ArrayList<>();
    for (Path source : sources) {
      names.add(paths.name(source));
    }
    calls.run(target, Intent.OPEN, (client, name) -> ConcatRules.concat(client, name, names));
  }

  /** Room on the volumes of all nodes that answer, whatever path is asked for. */
  @Override
  public FsStatus getStatus(Path path) throws IOException {
    ClusterSpace space =
        calls.read(
            path == null ? paths.root() : path, Intent.LOOKUP, (client, name) -> client.space());
    return new FsStatus(space.capacity(), space.used(), space.free());
  }

  @Override
  @Deprecated
  public FsServerDefaults getServerDefaults() throws IOException {
    VdfsClient client = calls.client();
    long trashMinutes = HadoopErrors.translate(paths.root(), Intent.LOOKUP, client::trashMinutes);
    return settings.serverDefaults(checksumSettings.chunkBytes(), trashMinutes);
  }

  @Override
  public FsServerDefaults getServerDefaults(Path path) throws IOException {
    return getServerDefaults();
  }

  @Override
  @Deprecated
  public long getDefaultBlockSize() {
    return settings.blockSize();
  }

  @Override
  public long getDefaultBlockSize(Path path) {
    return settings.blockSize();
  }

  @Override
  @Deprecated
  public short getDefaultReplication() {
    return (short) settings.replication();
  }

  @Override
  public short getDefaultReplication(Path path) {
    return (short) settings.replication();
  }

  @Override
  public boolean recoverLease(Path path) throws IOException {
    return recovery.recover(path);
  }

  @Override
  public boolean isFileClosed(Path path) throws IOException {
    return recovery.isFileClosed(path);
  }

  /** Nothing to do: every call sees all that happened before. */
  @Override
  public void msync() throws IOException {
    calls.client();
  }

  /** Claims no capability that this Hadoop, being older, has no name for. */
  @Override
  public boolean hasPathCapability(Path path, String capability) throws IOException {
    String name =
        PathCapabilitiesSupport.validatePathCapabilityArgs(paths.qualified(path), capability)
            .toLowerCase(Locale.ENGLISH);
    return HadoopLine.hasCapability(name, getClass()) || super.hasPathCapability(path, capability);
  }

  @Override
  public StorageStatistics getStorageStatistics() {
    StorageStatistics operations =
        Objects.requireNonNullElseGet(
            GlobalStorageStatistics.INSTANCE.get(statistics.getScheme()),
            super::getStorageStatistics);
    StorageStatistics[] parts = {operations, new ContentStatistics(lease.client())};
    return new UnionStorageStatistics(operations.getName(), parts);
  }

  /**
   * The counts of reading, writing and metadata calls, of all filesystems that share the client;
   * null before this one is initialized.
   */
  @Override
  public IOStatistics getIOStatistics() {
    return lease == null ? null : new ContentStatistics(lease.client()).ioStatistics();
  }

  /**
   * Completes the files that are still open for writing through this filesystem, deletes what was
   * marked for it and releases the shared client. Completing takes at most 25 s in all; a file that
   * is not complete then stays open until its lease is recovered.
   *
   * @throws IOException also if files are not complete; it names them
   */
  @Override
  public void close() throws IOException {
    synchronized (closing) {
      if (lease == null || lease.isClosed()) {
        return;
      }
      try {
        openStreams.completeAll();
      } finally {
        closeWithoutFiles();
      }
    }
  }

  private void closeWithoutFiles() throws IOException {
    try {
      super.close();
    } finally {
      lease.close();
    }
  }

  @Override
  public String toString() {
    return "VdfsFileSystem[" + uri + ", user=" + user + "]";
  }
}
