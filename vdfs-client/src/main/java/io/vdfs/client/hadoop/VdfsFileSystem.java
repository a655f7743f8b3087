package io.vdfs.client.hadoop;

import io.vdfs.client.AttributeChange;
import io.vdfs.client.ContentReader;
import io.vdfs.client.ContentTotals;
import io.vdfs.client.ContentWriter;
import io.vdfs.client.CreateOptions;
import io.vdfs.client.FileInfo;
import io.vdfs.client.OpenedFile;
import io.vdfs.client.VdfsClient;
import io.vdfs.client.hadoop.HadoopErrors.Intent;
import io.vdfs.client.hadoop.PinnedFiles.PinnedPath;
import io.vdfs.client.io.ReadPattern;
import io.vdfs.client.meta.ClusterSpace;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.proto.AclChangeProto;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.HadoopIllegalArgumentException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.BlockLocation;
import org.apache.hadoop.fs.BulkDelete;
import org.apache.hadoop.fs.CommonPathCapabilities;
import org.apache.hadoop.fs.CompositeCrcFileChecksum;
import org.apache.hadoop.fs.ContentSummary;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileChecksum;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FsServerDefaults;
import org.apache.hadoop.fs.FsStatus;
import org.apache.hadoop.fs.GlobalStorageStatistics;
import org.apache.hadoop.fs.InvalidPathHandleException;
import org.apache.hadoop.fs.LeaseRecoverable;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathFilter;
import org.apache.hadoop.fs.PathHandle;
import org.apache.hadoop.fs.QuotaUsage;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.StorageStatistics;
import org.apache.hadoop.fs.UnionStorageStatistics;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.fs.impl.AbstractFSBuilderImpl;
import org.apache.hadoop.fs.impl.FileSystemMultipartUploaderBuilder;
import org.apache.hadoop.fs.impl.OpenFileParameters;
import org.apache.hadoop.fs.impl.PathCapabilitiesSupport;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.AclStatus;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsCreateModes;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;
import org.apache.hadoop.fs.statistics.impl.DynamicIOStatisticsBuilder;
import org.apache.hadoop.fs.statistics.impl.IOStatisticsBinding;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.util.DataChecksum;
import org.apache.hadoop.util.LambdaUtils;
import org.apache.hadoop.util.Progressable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The filesystem {@code vdfs://}. Semantics are HDFS': each change of names is one atomic step that
 * every later call of any client sees.
 *
 * <p>{@code vdfs://NAME/} means the cluster NAME of {@code fs.vdfs.cluster.NAME.zookeeper}, {@code
 * vdfs://host:port/} the cluster of that DataNode, {@code vdfs:///} the default cluster. Creating
 * an instance contacts nobody; instances of one cluster and user share a client.
 *
 * <p>{@link #getFileChecksum} equals that of HDFS for the same bytes, block size and {@code
 * dfs.bytes-per-checksum}, in the mode of {@code dfs.checksum.combine.mode}. Nodes make the
 * checksums that it takes; bytes are read where {@code dfs.bytes-per-checksum} does not divide the
 * cluster's chunks.
 *
 * <p>Thread-safe, but for the working directory, which belongs to the one who sets it.
 */
public final class VdfsFileSystem extends FileSystem
    implements LeaseRecoverable, IOStatisticsSource {
  /** The usual URI scheme. */
  public static final String SCHEME = "vdfs";

  private static final Logger LOG = LoggerFactory.getLogger(VdfsFileSystem.class);

  private static final int PACKET_BYTES = 1 << 20;
  private static final int IO_BUFFER_BYTES = 64 << 10;
  private static final long NO_QUOTA = -1;

  /** What HDFS says of files that are not erasure-coded. */
  private static final String REPLICATED = "Replicated";

  private static final long UNCHANGED_QUOTA = Long.MAX_VALUE;

  static {
    HadoopLine.completeTypes();
    LibraryLogs.quieten();
  }

  private final SharedClients clients;
  private final ClientFactory factory;
  private final PinnedFiles pins;
  private final OpenStreams openStreams;

  /** Whoever closes second waits for the first. */
  private final Object closing = new Object();

  private URI uri;
  private ClientSettings settings;
  private ChecksumSettings checksums;
  private UserGroupInformation user;
  private SharedClients.Lease lease;
  private StatusMapper statuses;
  private RenameRules renames;
  private Path workingDirectory;

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
    checksums = ChecksumSettings.read(configuration);
    user = UserGroupInformation.getCurrentUser();
    ClientKey key = new ClientKey(ClusterTargets.resolve(name, configuration), user, settings);
    lease = clients.acquire(key, () -> factory.open(key, configuration, user));
    statuses = new StatusMapper(lease.client());
    renames = new RenameRules(lease.client());
    workingDirectory = getHomeDirectory();
  }

  /**
   * The client behind this filesystem, for those that need more than Hadoop's interface.
   *
   * @throws IOException if the filesystem is closed
   */
  public VdfsClient vdfsClient() throws IOException {
    return client();
  }

  /**
   * Has a path stand for a fixed content in this JVM: until the pin is closed, opening the path, or
   * asking for its status, gives the file {@code fileId} of that generation, cut to {@code length},
   * without asking the metadata service and whatever became of the path.
   *
   * @throws FileChangedException if that content is gone or shorter, or the path is pinned to
   *     another one
   */
  public AutoCloseable pin(Path path, long fileId, int generation, long length) throws IOException {
    VdfsClient client = client();
    return HadoopErrors.translate(
        path,
        Intent.OPEN,
        () -> pins.pin(pinnedPath(name(path)), fileId, generation, length, client::openInfo));
  }

  private PinnedPath pinnedPath(String name) {
    return new PinnedPath(lease.key().target(), lease.key().user(), name);
  }

  private VdfsClient client() throws IOException {
    if (lease.isClosed()) {
      throw new IOException("Filesystem closed: uri=" + uri);
    }
    return lease.client();
  }

  private String name(Path path) {
    checkPath(path);
    return PathNames.of(fixRelativePart(path));
  }

  private Path qualified(Path path) {
    return makeQualified(fixRelativePart(path));
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
    return open(path, ReadPattern.ADAPTIVE);
  }

  private FSDataInputStream open(Path path, ReadPattern pattern) throws IOException {
    statistics.incrementReadOps(1);
    String name = name(path);
    VdfsClient client = client();
    ContentReader reader =
        HadoopErrors.translate(path, Intent.OPEN, () -> openReader(client, name));
    return stream(path, reader, pattern);
  }

  private FSDataInputStream stream(Path path, ContentReader reader, ReadPattern pattern) {
    return new FSDataInputStream(
        new VdfsInputStream(qualified(path), reader, pattern, lease, statistics));
  }

  /**
   * A status of this filesystem saves the question for the file, where it says that the file is
   * closed and readable: what is read then is what the status saw. The read policy and the end of
   * the split bound what is fetched ahead, see {@link OpenFileOptions}. Other standard options are
   * hints that change nothing.
   */
  @Override
  protected CompletableFuture<FSDataInputStream> openFileWithOptions(
      Path path, OpenFileParameters parameters) throws IOException {
    AbstractFSBuilderImpl.rejectUnknownMandatoryKeys(
        parameters.getMandatoryKeys(), HadoopLine.openFileOptions(), "for " + path);
    ReadPattern pattern = OpenFileOptions.pattern(parameters.getOptions());
    return LambdaUtils.eval(
        new CompletableFuture<>(), () -> open(path, parameters.getStatus(), pattern));
  }

  private FSDataInputStream open(Path path, FileStatus known, ReadPattern pattern)
      throws IOException {
    if (known != null && !path.getName().equals(known.getPath().getName())) {
      throw new IllegalArgumentException(
          "the status is of another file: path=" + path + ", status=" + known.getPath());
    }
    boolean pinned = pins.find(pinnedPath(name(path))).isPresent();
    if (pinned
        || !(known instanceof VdfsFileStatus ours)
        || !ours.getPath().equals(qualified(path))
        || !ours.isEnoughToOpen()) {
      return open(path, pattern);
    }
    statistics.incrementReadOps(1);
    VdfsClient client = client();
    ContentReader reader =
        HadoopErrors.translate(path, Intent.OPEN, () -> client.open(ours.info()).reader());
    return stream(path, reader, pattern);
  }

  @Override
  public FSDataInputStream open(PathHandle handle, int bufferSize) throws IOException {
    statistics.incrementReadOps(1);
    VdfsPathHandle ours = VdfsPathHandle.of(handle);
    VdfsClient client = client();
    Path path = makeQualified(new Path(ours.name()));
    try {
      OpenedFile file =
          ours.mayMove() ? client.open(client.openInfo(ours.fileId())) : client.open(ours.name());
      ours.check(file.info());
      return stream(path, file.reader(), ReadPattern.ADAPTIVE);
    } catch (VdfsException e) {
      if (HadoopErrors.saysGone(e)) {
        throw new InvalidPathHandleException("file is gone: path=" + path, e);
      }
      throw HadoopErrors.exception(path, Intent.OPEN, e);
    }
  }

  /**
   * @throws IllegalArgumentException of a directory, or of a status of another filesystem
   */
  @Override
  protected PathHandle createPathHandle(FileStatus status, Options.HandleOpt... options) {
    if (!(status instanceof VdfsFileStatus ours) || ours.info() == null || ours.isDirectory()) {
      throw new IllegalArgumentException(
          "a path handle is made of a status of a file in " + uri + ": status=" + status);
    }
    boolean mayChange =
        Options.HandleOpt.getOpt(Options.HandleOpt.Data.class, options)
            .orElse(Options.HandleOpt.changed(false))
            .allowChange();
    boolean mayMove =
        Options.HandleOpt.getOpt(Options.HandleOpt.Location.class, options)
            .orElse(Options.HandleOpt.moved(false))
            .allowChange();
    return new VdfsPathHandle(ours.info(), name(ours.getPath()), mayChange, mayMove);
  }

  @Override
  public FileSystemMultipartUploaderBuilder createMultipartUploader(Path basePath) {
    return new FileSystemMultipartUploaderBuilder(this, basePath);
  }

  private ContentReader openReader(VdfsClient client, String name) throws IOException {
    Optional<FileInfo> pinned = pins.find(pinnedPath(name));
    if (pinned.isPresent()) {
      return new LimitedReader(client.open(pinned.get()).reader(), pinned.get().length());
    }
    return client.open(name).reader();
  }

  @Override
  public FSDataOutputStream create(
      Path path,
      FsPermission permission,
      boolean overwrite,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress)
      throws IOException {
    EnumSet<CreateFlag> flags = EnumSet.of(CreateFlag.CREATE);
    if (overwrite) {
      flags.add(CreateFlag.OVERWRITE);
    }
    return openForWriting(path, masked(permission), flags, replication, blockSize, true);
  }

  @Override
  public FSDataOutputStream create(
      Path path,
      FsPermission permission,
      EnumSet<CreateFlag> flags,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress,
      Options.ChecksumOpt checksumOpt)
      throws IOException {
    return openForWriting(path, masked(permission), flags, replication, blockSize, true);
  }

  @Override
  public FSDataOutputStream createNonRecursive(
      Path path,
      FsPermission permission,
      EnumSet<CreateFlag> flags,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress)
      throws IOException {
    return openForWriting(path, masked(permission), flags, replication, blockSize, false);
  }

  @Override
  @SuppressWarnings("deprecation") // what FileContext calls, with the umask already applied
  protected FSDataOutputStream primitiveCreate(
      Path path,
      FsPermission absolutePermission,
      EnumSet<CreateFlag> flags,
      int bufferSize,
      short replication,
      long blockSize,
      Progressable progress,
      Options.ChecksumOpt checksumOpt)
      throws IOException {
    return openForWriting(path, absolutePermission, flags, replication, blockSize, true);
  }

  private FsPermission masked(FsPermission permission) {
    FsPermission asked = permission == null ? FsPermission.getFileDefault() : permission;
    return FsCreateModes.applyUMask(asked, FsPermission.getUMask(getConf()));
  }

  /**
   * Creates or appends in one atomic step.
   *
   * @param permission with the umask applied
   */
  FSDataOutputStream openForWriting(
      Path path,
      FsPermission permission,
      EnumSet<CreateFlag> flags,
      short replication,
      long blockSize,
      boolean createParents)
      throws IOException {
    CreateFlag.validate(flags);
    if (flags.contains(CreateFlag.APPEND)) {
      return appendOrCreate(path, permission, flags, replication, blockSize, createParents);
    }
    if (!flags.contains(CreateFlag.CREATE)) {
      getFileStatus(path); // only what is there can be overwritten
    }
    CreateOptions options =
        new CreateOptions(
            mode(permission),
            unmaskedMode(permission),
            flags.contains(CreateFlag.OVERWRITE),
            createParents,
            replication,
            blockSize);
    String name = name(path);
    VdfsClient client = client();
    statistics.incrementWriteOps(1);
    return stream(path, Intent.CREATE, () -> client.create(name, options));
  }

  private FSDataOutputStream appendOrCreate(
      Path path,
      FsPermission permission,
      EnumSet<CreateFlag> flags,
      short replication,
      long blockSize,
      boolean createParents)
      throws IOException {
    if (flags.contains(CreateFlag.CREATE) && !exists(path)) {
      EnumSet<CreateFlag> create = EnumSet.of(CreateFlag.CREATE);
      return openForWriting(path, permission, create, replication, blockSize, createParents);
    }
    return append(path, IO_BUFFER_BYTES, null);
  }

  @Override
  public FSDataOutputStream append(Path path, int bufferSize, Progressable progress)
      throws IOException {
    String name = name(path);
    VdfsClient client = client();
    statistics.incrementWriteOps(1);
    return stream(path, Intent.OPEN, () -> client.append(name));
  }

  private FSDataOutputStream stream(
      Path path, Intent intent, HadoopErrors.Call<ContentWriter> opener) throws IOException {
    VdfsOutputStream stream =
        openStreams.open(
            () ->
                new VdfsOutputStream(
                    qualified(path),
                    HadoopErrors.translate(path, intent, opener),
                    lease,
                    openStreams::remove));
    return new FSDataOutputStream(stream, statistics, stream.startPosition());
  }

  private static int mode(FsPermission permission) {
    return permission.toShort() & 01777;
  }

  /** What was asked for before the umask, where the caller tells. */
  private static int unmaskedMode(FsPermission permission) {
    FsPermission unmasked = permission.getUnmasked();
    return mode(unmasked == null ? permission : unmasked);
  }

  @Override
  public boolean rename(Path source, Path target) throws IOException {
    String from = name(source);
    String to = name(target);
    client();
    statistics.incrementWriteOps(1);
    return HadoopErrors.translate(source, Intent.CHANGE, () -> renames.renameInto(from, to));
  }

  /** To exactly {@code target}, with an exception for each refusal; one atomic step. */
  @Override
  @SuppressWarnings("deprecation") // deprecated for users; Trash and FileContext call it
  public void rename(Path source, Path target, Options.Rename... options) throws IOException {
    String from = name(source);
    String to = name(target);
    boolean overwrite = List.of(options).contains(Options.Rename.OVERWRITE);
    client();
    statistics.incrementWriteOps(1);
    HadoopErrors.run(source, Intent.CHANGE, () -> renames.renameTo(from, to, overwrite));
  }

  @Override
  public boolean delete(Path path, boolean recursive) throws IOException {
    String name = name(path);
    VdfsClient client = client();
    statistics.incrementWriteOps(1);
    return HadoopErrors.translate(path, Intent.LOOKUP, () -> delete(client, name, recursive));
  }

  /** The root stays: false, or an exception where a file's parent would be refused too. */
  private static boolean delete(VdfsClient client, String name, boolean recursive)
      throws IOException {
    if (!name.equals(PathNames.ROOT)) {
      return client.delete(name, recursive);
    }
    if (!recursive && !client.list(name, "", 1).entries().isEmpty()) {
      throw new VdfsException(
          ErrorCode.DIRECTORY_NOT_EMPTY, "directory is not empty: path=" + name);
    }
    return false;
  }

  /** Whole pages are deleted in one step each. */
  @Override
  public BulkDelete createBulkDelete(Path basePath) throws IOException {
    name(basePath);
    return PagedBulkDelete.of(this, qualified(basePath));
  }

  /** What stays and why; see {@link VdfsClient#deleteAll}. */
  Map<Path, String> deleteAll(Collection<Path> paths) throws IOException {
    Map<String, Path> byName = new LinkedHashMap<>();
    for (Path path : paths) {
      byName.put(name(path), path);
    }
    VdfsClient client = client();
    statistics.incrementWriteOps(1);
    Map<Path, String> failures = new LinkedHashMap<>();
    HadoopErrors.run(
        new Path(uri),
        Intent.LOOKUP,
        () ->
            client
                .deleteAll(List.copyOf(byName.keySet()))
                .forEach((name, reason) -> failures.put(byName.get(name), reason)));
    return failures;
  }

  @Override
  public FileStatus[] listStatus(Path path) throws IOException {
    List<FileStatus> entries = new ArrayList<>();
    for (Listing listing = list(path); listing.hasNext(); ) {
      entries.add(listing.next());
    }
    return entries.toArray(FileStatus[]::new);
  }

  @Override
  public RemoteIterator<FileStatus> listStatusIterator(Path path) throws IOException {
    return widened(list(path));
  }

  @Override
  public RemoteIterator<LocatedFileStatus> listLocatedStatus(Path path) throws IOException {
    return widened(list(path));
  }

  @Override
  protected RemoteIterator<LocatedFileStatus> listLocatedStatus(Path path, PathFilter filter)
      throws IOException {
    name(path);
    statistics.incrementLargeReadOps(1);
    return widened(Listing.of(client(), qualified(path), settings.listPage(), filter));
  }

  private Listing list(Path path) throws IOException {
    name(path);
    statistics.incrementLargeReadOps(1);
    return Listing.of(client(), qualified(path), settings.listPage());
  }

  private static <T extends FileStatus> RemoteIterator<T> widened(
      RemoteIterator<? extends T> listing) {
    return new RemoteIterator<>() {
      @Override
      public boolean hasNext() throws IOException {
        return listing.hasNext();
      }

      @Override
      public T next() throws IOException {
        return listing.next();
      }
    };
  }

  @Override
  public void setWorkingDirectory(Path directory) {
    Path absolute = qualified(directory);
    name(absolute);
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
  public boolean mkdirs(Path path, FsPermission permission) throws IOException {
    FsPermission asked = permission == null ? FsPermission.getDirDefault() : permission;
    mkdir(path, FsCreateModes.applyUMask(asked, FsPermission.getUMask(getConf())), true);
    return true;
  }

  @Override
  @SuppressWarnings("deprecation") // what FileContext calls, with the umask already applied
  protected boolean primitiveMkdir(Path path, FsPermission absolutePermission) throws IOException {
    mkdir(path, absolutePermission, true);
    return true;
  }

  @Override
  @SuppressWarnings("deprecation") // as above
  protected void primitiveMkdir(Path path, FsPermission absolutePermission, boolean createParent)
      throws IOException {
    mkdir(path, absolutePermission, createParent);
  }

  private void mkdir(Path path, FsPermission permission, boolean createParents) throws IOException {
    String name = name(path);
    VdfsClient client = client();
    statistics.incrementWriteOps(1);
    HadoopErrors.translate(
        path,
        Intent.CREATE,
        () -> client.mkdirs(name, mode(permission), unmaskedMode(permission), createParents));
  }

  @Override
  public FileStatus getFileStatus(Path path) throws IOException {
    statistics.incrementReadOps(1);
    return statuses.status(info(path), qualified(path));
  }

  private FileInfo info(Path path) throws IOException {
    String name = name(path);
    VdfsClient client = client();
    Optional<FileInfo> pinned = pins.find(pinnedPath(name));
    return pinned.isPresent()
        ? pinned.get()
        : HadoopErrors.translate(path, Intent.LOOKUP, () -> client.status(name));
  }

  private FileInfo fileInfo(Path path) throws IOException {
    FileInfo info = info(path);
    if (info.isDirectory()) {
      throw new FileNotFoundException("path is a directory, not a file: path=" + path);
    }
    return info;
  }

  @Override
  public BlockLocation[] getFileBlockLocations(FileStatus file, long start, long length)
      throws IOException {
    if (file == null) {
      return null;
    }
    if (start < 0 || length < 0) {
      throw new IllegalArgumentException(
          "a range begins and extends at 0 or above: path="
              + file.getPath()
              + ", start="
              + start
              + ", length="
              + length);
    }
    if (file.isDirectory() || start >= file.getLen()) {
      return new BlockLocation[0];
    }
    statistics.incrementReadOps(1);
    FileInfo known = file instanceof VdfsFileStatus ours ? ours.info() : null;
    FileInfo info = known == null ? fileInfo(file.getPath()) : known;
    return start >= info.length() ? new BlockLocation[0] : statuses.locations(info, start, length);
  }

  @Override
  public FileChecksum getFileChecksum(Path path) throws IOException {
    return checksum(path, fileInfo(path), Long.MAX_VALUE);
  }

  @Override
  public FileChecksum getFileChecksum(Path path, long length) throws IOException {
    if (length < 0) {
      throw new IllegalArgumentException(
          "a length is 0 or above: path=" + path + ", length=" + length);
    }
    return checksum(path, fileInfo(path), length);
  }

  private FileChecksum checksum(Path path, FileInfo info, long length) throws IOException {
    statistics.incrementReadOps(1);
    VdfsClient client = client();
    long covered = Math.min(length, info.length());
    if (checksums.composite()) {
      int crc = HadoopErrors.translate(path, Intent.OPEN, () -> client.checksum(info, covered));
      return new CompositeCrcFileChecksum(crc, DataChecksum.Type.CRC32C, checksums.chunkBytes());
    }
    String name = name(path);
    return HadoopErrors.translate(
        path, Intent.OPEN, () -> md5Checksum(client, name, covered, info.blockSize()));
  }

  private FileChecksum md5Checksum(VdfsClient client, String name, long covered, long blockSize)
      throws IOException {
    int chunkBytes = checksums.chunkBytes();
    if (pins.find(pinnedPath(name)).isEmpty()) {
      FileInfo opened = client.open(name).info();
      Optional<FileChecksum> byNodes =
          opened.isUnderConstruction() || opened.length() < covered
              ? Optional.empty()
              : Md5Checksum.byNodes(client, opened, covered, chunkBytes);
      if (byNodes.isPresent()) {
        return byNodes.get();
      }
    }
    return Md5Checksum.byReading(openReader(client, name), covered, blockSize, chunkBytes);
  }

  /** Done when it returns; copies what stays, see {@link VdfsClient#truncate}. */
  @Override
  public boolean truncate(Path path, long newLength) throws IOException {
    String name = name(path);
    VdfsClient client = client();
    statistics.incrementWriteOps(1);
    HadoopErrors.run(path, Intent.OPEN, () -> client.truncate(name, newLength));
    return true;
  }

  /** By the rules of HDFS: other files of the same directory, none of them empty or named twice. */
  @Override
  public void concat(Path target, Path[] sources) throws IOException {
    String name = name(target);
    List<String> names = new ArrayList<>();
    for (Path source : sources) {
      names.add(name(source));
    }
    VdfsClient client = client();
    statistics.incrementWriteOps(1);
    HadoopErrors.run(
        target,
        Intent.OPEN,
        () -> {
          ConcatRules.check(client, name, names);
          client.concat(name, names);
        });
  }

  @Override
  public ContentSummary getContentSummary(Path path) throws IOException {
    String name = name(path);
    VdfsClient client = client();
    statistics.incrementReadOps(1);
    ContentTotals totals =
        HadoopErrors.translate(path, Intent.LOOKUP, () -> client.contentSummary(name));
    return new ContentSummary.Builder()
        .length(totals.length())
        .fileCount(totals.files())
        .directoryCount(totals.directories())
        .spaceConsumed(totals.spaceConsumed())
        .quota(totals.inodeLimit().orElse(NO_QUOTA))
        .spaceQuota(totals.spaceLimit().orElse(NO_QUOTA))
        .erasureCodingPolicy(totals.directories() > 0 ? "" : REPLICATED)
        .build();
  }

  @Override
  public QuotaUsage getQuotaUsage(Path path) throws IOException {
    String name = name(path);
    VdfsClient client = client();
    statistics.incrementReadOps(1);
    ContentTotals totals =
        HadoopErrors.translate(path, Intent.LOOKUP, () -> client.quotaUsage(name));
    return new QuotaUsage.Builder()
        .fileAndDirectoryCount(totals.inodes())
        .spaceConsumed(totals.spaceConsumed())
        .quota(totals.inodeLimit().orElse(NO_QUOTA))
        .spaceQuota(totals.spaceLimit().orElse(NO_QUOTA))
        .build();
  }

  /**
   * As HDFS: {@code Long.MAX_VALUE} leaves a quota as it is, -1 lifts it.
   *
   * @throws IllegalArgumentException if both stay as they are
   */
  @Override
  public void setQuota(Path path, long namespaceQuota, long storageSpaceQuota) throws IOException {
    OptionalLong inodes = quota(namespaceQuota);
    OptionalLong space = quota(storageSpaceQuota);
    if (inodes.isEmpty() && space.isEmpty()) {
      throw new IllegalArgumentException("no quota to set: path=" + path);
    }
    String name = name(path);
    VdfsClient client = client();
    statistics.incrementWriteOps(1);
    HadoopErrors.run(path, Intent.LOOKUP, () -> client.setQuota(name, inodes, space));
  }

  private static OptionalLong quota(long quota) {
    return quota == UNCHANGED_QUOTA ? OptionalLong.empty() : OptionalLong.of(quota);
  }

  /** Room on the volumes of all nodes that answer, whatever path is asked for. */
  @Override
  public FsStatus getStatus(Path path) throws IOException {
    VdfsClient client = client();
    statistics.incrementReadOps(1);
    ClusterSpace space =
        HadoopErrors.translate(path == null ? new Path(uri) : path, Intent.LOOKUP, client::space);
    return new FsStatus(space.capacity(), space.used(), space.free());
  }

  @Override
  @Deprecated
  public FsServerDefaults getServerDefaults() throws IOException {
    VdfsClient client = client();
    long trashMinutes = HadoopErrors.translate(new Path(uri), Intent.LOOKUP, client::trashMinutes);
    return new FsServerDefaults(
        settings.blockSize(),
        checksums.chunkBytes(),
        PACKET_BYTES,
        (short) settings.replication(),
        IO_BUFFER_BYTES,
        false,
        trashMinutes,
        DataChecksum.Type.CRC32C);
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
  public void setPermission(Path path, FsPermission permission) throws IOException {
    change(path, AttributeChange.mode(mode(permission)));
  }

  @Override
  public void setOwner(Path path, String owner, String group) throws IOException {
    if (owner == null && group == null) {
      throw new IllegalArgumentException("neither owner nor group given: path=" + path);
    }
    change(path, AttributeChange.owner(owner, group));
  }

  @Override
  public void setTimes(Path path, long modificationMillis, long accessMillis) throws IOException {
    change(path, AttributeChange.times(modificationMillis, accessMillis));
  }

  /**
   * False for a directory, as in HDFS, and where the file would need copies that nothing makes yet.
   * The latter is no exception, as MapReduce raises the replication of what it submits and has no
   * use for one.
   */
  @Override
  public boolean setReplication(Path path, short replication) throws IOException {
    if (info(path).isDirectory()) {
      return false;
    }
    String name = name(path);
    VdfsClient client = client();
    statistics.incrementWriteOps(1);
    return HadoopErrors.translate(
        path, Intent.LOOKUP, () -> setReplication(client, name, replication));
  }

  private static boolean setReplication(VdfsClient client, String name, short replication)
      throws IOException {
    try {
      client.setAttributes(name, AttributeChange.replication(replication));
      return true;
    } catch (VdfsException e) {
      if (e.code() != ErrorCode.UNSUPPORTED) {
        throw e;
      }
      LOG.warn("Replication stays as it is: {}", e.getMessage());
      return false;
    }
  }

  private void change(Path path, AttributeChange change) throws IOException {
    String name = name(path);
    VdfsClient client = client();
    statistics.incrementWriteOps(1);
    HadoopErrors.run(path, Intent.LOOKUP, () -> client.setAttributes(name, change));
  }

  @Override
  public void access(Path path, FsAction mode) throws IOException {
    String name = name(path);
    VdfsClient client = client();
    statistics.incrementReadOps(1);
    HadoopErrors.run(path, Intent.LOOKUP, () -> client.checkAccess(name, Acls.bits(mode)));
  }

  @Override
  public void modifyAclEntries(Path path, List<AclEntry> entries) throws IOException {
    changeAcl(path, AclChangeProto.ACL_MODIFY, entries);
  }

  @Override
  public void removeAclEntries(Path path, List<AclEntry> entries) throws IOException {
    changeAcl(path, AclChangeProto.ACL_REMOVE_ENTRIES, entries);
  }

  @Override
  public void removeDefaultAcl(Path path) throws IOException {
    changeAcl(path, AclChangeProto.ACL_REMOVE_DEFAULT, List.of());
  }

  @Override
  public void removeAcl(Path path) throws IOException {
    changeAcl(path, AclChangeProto.ACL_REMOVE_ALL, List.of());
  }

  @Override
  public void setAcl(Path path, List<AclEntry> entries) throws IOException {
    changeAcl(path, AclChangeProto.ACL_SET, entries);
  }

  private void changeAcl(Path path, AclChangeProto change, List<AclEntry> entries)
      throws IOException {
    String name = name(path);
    VdfsClient client = client();
    statistics.incrementWriteOps(1);
    HadoopErrors.run(
        path, Intent.LOOKUP, () -> client.changeAcl(name, change, Acls.encode(entries)));
  }

  @Override
  public AclStatus getAclStatus(Path path) throws IOException {
    String name = name(path);
    VdfsClient client = client();
    statistics.incrementReadOps(1);
    return Acls.status(
        HadoopErrors.translate(path, Intent.LOOKUP, () -> client.statusWithAcl(name)));
  }

  @Override
  public void setXAttr(Path path, String name, byte[] value, EnumSet<XAttrSetFlag> flags)
      throws IOException {
    String pathName = name(path);
    String attribute = XAttrNames.check(name);
    if (flags == null || flags.isEmpty()) {
      throw new HadoopIllegalArgumentException(
          "an attribute is set with CREATE, REPLACE or both: path=" + path + ", name=" + name);
    }
    byte[] bytes = value == null ? new byte[0] : value;
    boolean create = flags.contains(XAttrSetFlag.CREATE);
    boolean replace = flags.contains(XAttrSetFlag.REPLACE);
    VdfsClient client = client();
    statistics.incrementWriteOps(1);
    HadoopErrors.run(
        path, Intent.LOOKUP, () -> client.setXAttr(pathName, attribute, bytes, create, replace));
  }

  @Override
  public byte[] getXAttr(Path path, String name) throws IOException {
    String attribute = XAttrNames.check(name);
    return xattrs(path, List.of(attribute)).get(attribute);
  }

  @Override
  public Map<String, byte[]> getXAttrs(Path path) throws IOException {
    return xattrs(path, List.of());
  }

  /**
   * @param names none for all that the caller may see
   */
  private Map<String, byte[]> xattrs(Path path, List<String> names) throws IOException {
    String name = name(path);
    VdfsClient client = client();
    statistics.incrementReadOps(1);
    return HadoopErrors.translate(path, Intent.LOOKUP, () -> client.xattrs(name, names));
  }

  @Override
  public Map<String, byte[]> getXAttrs(Path path, List<String> names) throws IOException {
    return xattrs(path, XAttrNames.check(names));
  }

  @Override
  public List<String> listXAttrs(Path path) throws IOException {
    return List.copyOf(getXAttrs(path).keySet());
  }

  @Override
  public void removeXAttr(Path path, String name) throws IOException {
    String pathName = name(path);
    String attribute = XAttrNames.check(name);
    VdfsClient client = client();
    statistics.incrementWriteOps(1);
    HadoopErrors.run(path, Intent.LOOKUP, () -> client.removeXAttr(pathName, attribute));
  }

  @Override
  public boolean recoverLease(Path path) throws IOException {
    String name = name(path);
    VdfsClient client = client();
    statistics.incrementWriteOps(1);
    try {
      return client.recoverLease(name);
    } catch (VdfsException e) {
      throw HadoopErrors.ofRecovery(path, e);
    }
  }

  @Override
  public boolean isFileClosed(Path path) throws IOException {
    String name = name(path);
    VdfsClient client = client();
    statistics.incrementReadOps(1);
    try {
      FileInfo info = client.status(name);
      if (info.isDirectory()) {
        throw new VdfsException(ErrorCode.IS_A_DIRECTORY, "not a file: path=" + name);
      }
      return !info.isUnderConstruction();
    } catch (VdfsException e) {
      throw HadoopErrors.ofRecovery(path, e);
    }
  }

  /** Nothing to do: every call sees all that happened before. */
  @Override
  public void msync() throws IOException {
    client();
  }

  /** What this Hadoop has no name for, as it is older, is not claimed. */
  @Override
  public boolean hasPathCapability(Path path, String capability) throws IOException {
    String name = capabilityName(path, capability);
    return switch (name) {
      case CommonPathCapabilities.ETAGS_AVAILABLE,
          CommonPathCapabilities.ETAGS_PRESERVED_IN_RENAME,
          CommonPathCapabilities.FS_ACLS,
          CommonPathCapabilities.FS_APPEND,
          CommonPathCapabilities.FS_CHECKSUMS,
          CommonPathCapabilities.FS_CONCAT,
          CommonPathCapabilities.FS_MULTIPART_UPLOADER,
          CommonPathCapabilities.FS_PATHHANDLES,
          CommonPathCapabilities.FS_PERMISSIONS,
          CommonPathCapabilities.FS_TRUNCATE,
          CommonPathCapabilities.FS_XATTRS ->
          HadoopLine.names(CommonPathCapabilities.class, name);
      case CommonPathCapabilities.LEASE_RECOVERABLE ->
          HadoopLine.names(CommonPathCapabilities.class, name) && HadoopLine.knowsLeaseRecovery();
      default -> super.hasPathCapability(path, capability);
    };
  }

  private String capabilityName(Path path, String capability) {
    return PathCapabilitiesSupport.validatePathCapabilityArgs(qualified(path), capability)
        .toLowerCase(Locale.ENGLISH);
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
    if (lease == null) {
      return null;
    }
    VdfsClient client = lease.client();
    DynamicIOStatisticsBuilder counters = IOStatisticsBinding.dynamicIOStatistics();
    for (String name : client.ioCounters().keySet()) {
      counters.withLongFunctionCounter(name, key -> client.ioCounters().get(key));
    }
    return counters.build();
  }

  /**
   * Completes the files that are still open for writing through this filesystem, deletes what was
   * marked for it and lets the shared client go. Completing takes at most 25 s in all; what then is
   * not complete stays open until its lease is recovered.
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
