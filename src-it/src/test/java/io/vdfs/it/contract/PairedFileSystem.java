package io.vdfs.it.contract;

import io.vdfs.client.hadoop.VdfsFileSystem;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.AclStatus;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.DistributedFileSystem;
import org.apache.hadoop.ipc.RemoteException;
import org.apache.hadoop.security.AccessControlException;
import org.apache.hadoop.util.Progressable;

/**
 * A client of HDFS that does everything on VDFS too, as the same user. Both must succeed with the
 * same result or fail for the same kind of reason; the caller gets VDFS' result, or the failure in
 * the words of HDFS. So HDFS' own suites, which also look into the NameNode, test VDFS.
 */
public final class PairedFileSystem extends DistributedFileSystem {
  private FileSystem vdfs;

  /** An operation on one of the two. */
  @FunctionalInterface
  private interface Operation<T> {
    T run() throws IOException;
  }

  /** An operation without a result. */
  @FunctionalInterface
  private interface Action {
    void run() throws IOException;
  }

  /** How one of the two ended. */
  private record Outcome<T>(T value, Exception failure) {
    static <T> Outcome<T> of(Operation<T> operation) {
      try {
        return new Outcome<>(operation.run(), null);
      } catch (IOException | RuntimeException e) {
        return new Outcome<>(null, e);
      }
    }

    /** What distinguishes failures for a caller. */
    String verdict() {
      Throwable reason =
          failure instanceof RemoteException remote ? remote.unwrapRemoteException() : failure;
      if (reason == null) {
        return "done";
      } else if (reason instanceof AccessControlException) {
        return "denied";
      } else if (reason instanceof FileNotFoundException) {
        return "not there";
      }
      return "refused";
    }

    T get() throws IOException {
      if (failure instanceof IOException e) {
        throw e;
      } else if (failure instanceof RuntimeException e) {
        throw e;
      }
      return value;
    }
  }

  @Override
  public void initialize(URI uri, Configuration conf) throws IOException {
    super.initialize(uri, conf);
    vdfs = FileSystem.newInstance(PairedCluster.get().uri(), conf);
    if (!(vdfs instanceof VdfsFileSystem)) {
      throw new AssertionError("not a client of VDFS: " + vdfs);
    }
  }

  @Override
  public void close() throws IOException {
    super.close();
    vdfs.close();
  }

  private static Path ours(Path path) {
    return new Path(path.toUri().getPath());
  }

  private static <T> T same(String what, Operation<T> hdfs, Operation<T> vdfs) throws IOException {
    return same(what, hdfs, vdfs, value -> value);
  }

  private static void same(String what, Action hdfs, Action vdfs) throws IOException {
    same(what, operation(hdfs), operation(vdfs));
  }

  private static Operation<Boolean> operation(Action action) {
    return () -> {
      action.run();
      return true;
    };
  }

  /** The part of a result that must be equal. */
  @FunctionalInterface
  private interface Likeness<T> {
    Object of(T value);
  }

  private static <T> T same(String what, Operation<T> hdfs, Operation<T> vdfs, Likeness<T> likeness)
      throws IOException {
    Outcome<T> theirs = Outcome.of(hdfs);
    Outcome<T> ours = Outcome.of(vdfs);
    if (!theirs.verdict().equals(ours.verdict())) {
      AssertionError difference =
          new AssertionError(what + ": hdfs=" + theirs.verdict() + ", vdfs=" + ours.verdict());
      for (Outcome<T> outcome : List.of(theirs, ours)) {
        if (outcome.failure() != null) {
          difference.addSuppressed(outcome.failure());
        }
      }
      throw difference;
    }
    if (theirs.failure() != null) {
      return theirs.get();
    }
    Object expected = likeness.of(theirs.value());
    Object actual = likeness.of(ours.value());
    if (!expected.equals(actual)) {
      throw new AssertionError(what + ": hdfs=" + expected + ", vdfs=" + actual);
    }
    return ours.get();
  }

  private record StatusParts(
      boolean directory, long length, String owner, String group, FsPermission mode, boolean acl) {
    static StatusParts of(FileStatus status) {
      return new StatusParts(
          status.isDirectory(),
          status.getLen(),
          status.getOwner(),
          status.getGroup(),
          new FsPermission(status.getPermission().toShort()),
          status.hasAcl());
    }
  }

  /** Writes to both. */
  private static final class PairedStream extends OutputStream {
    private final OutputStream hdfs;
    private final OutputStream vdfs;

    PairedStream(OutputStream hdfs, OutputStream vdfs) {
      this.hdfs = hdfs;
      this.vdfs = vdfs;
    }

    @Override
    public void write(int value) throws IOException {
      hdfs.write(value);
      vdfs.write(value);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      hdfs.write(bytes, offset, length);
      vdfs.write(bytes, offset, length);
    }

    @Override
    public void close() throws IOException {
      hdfs.close();
      vdfs.close();
    }
  }

  private static FSDataOutputStream both(
      String what, Operation<FSDataOutputStream> hdfs, Operation<FSDataOutputStream> vdfs)
      throws IOException {
    FSDataOutputStream[] theirs = new FSDataOutputStream[1];
    FSDataOutputStream ours = same(what, () -> theirs[0] = hdfs.run(), vdfs, any -> true);
    return new FSDataOutputStream(new PairedStream(theirs[0], ours), null);
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
    return create(path, permission, flags, bufferSize, replication, blockSize, progress, null);
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
      Options.ChecksumOpt checksum)
      throws IOException {
    return both(
        "create " + path,
        () ->
            super.create(
                path, permission, flags, bufferSize, replication, blockSize, progress, checksum),
        () ->
            vdfs.create(
                ours(path),
                permission,
                flags,
                bufferSize,
                replication,
                blockSize,
                progress,
                checksum));
  }

  @Override
  public FSDataInputStream open(Path path, int bufferSize) throws IOException {
    return same(
        "open " + path,
        () -> super.open(path, bufferSize),
        () -> vdfs.open(ours(path), bufferSize),
        any -> true);
  }

  @Override
  public boolean mkdirs(Path path, FsPermission permission) throws IOException {
    return same(
        "mkdirs " + path,
        () -> super.mkdirs(path, permission),
        () -> vdfs.mkdirs(ours(path), permission));
  }

  @Override
  public boolean delete(Path path, boolean recursive) throws IOException {
    return same(
        "delete " + path,
        () -> super.delete(path, recursive),
        () -> vdfs.delete(ours(path), recursive));
  }

  @Override
  public boolean rename(Path source, Path target) throws IOException {
    return same(
        "rename " + source + " to " + target,
        () -> super.rename(source, target),
        () -> vdfs.rename(ours(source), ours(target)));
  }

  @Override
  public void setPermission(Path path, FsPermission permission) throws IOException {
    same(
        "setPermission " + path,
        () -> super.setPermission(path, permission),
        () -> vdfs.setPermission(ours(path), permission));
  }

  @Override
  public void setOwner(Path path, String owner, String group) throws IOException {
    same(
        "setOwner " + path,
        () -> super.setOwner(path, owner, group),
        () -> vdfs.setOwner(ours(path), owner, group));
  }

  @Override
  public FileStatus getFileStatus(Path path) throws IOException {
    return same(
        "getFileStatus " + path,
        () -> super.getFileStatus(path),
        () -> vdfs.getFileStatus(ours(path)),
        StatusParts::of);
  }

  @Override
  public FileStatus[] listStatus(Path path) throws IOException {
    return same(
        "listStatus " + path,
        () -> super.listStatus(path),
        () -> vdfs.listStatus(ours(path)),
        entries -> {
          Map<String, StatusParts> byName = new TreeMap<>();
          for (FileStatus entry : entries) {
            byName.put(entry.getPath().getName(), StatusParts.of(entry));
          }
          return byName;
        });
  }

  @Override
  public void access(Path path, FsAction mode) throws IOException {
    same(
        "access " + mode + " " + path,
        () -> super.access(path, mode),
        () -> vdfs.access(ours(path), mode));
  }

  @Override
  public void modifyAclEntries(Path path, List<AclEntry> entries) throws IOException {
    same(
        "modifyAclEntries " + path,
        () -> super.modifyAclEntries(path, entries),
        () -> vdfs.modifyAclEntries(ours(path), entries));
  }

  @Override
  public void removeAclEntries(Path path, List<AclEntry> entries) throws IOException {
    same(
        "removeAclEntries " + path,
        () -> super.removeAclEntries(path, entries),
        () -> vdfs.removeAclEntries(ours(path), entries));
  }

  @Override
  public void removeDefaultAcl(Path path) throws IOException {
    same(
        "removeDefaultAcl " + path,
        () -> super.removeDefaultAcl(path),
        () -> vdfs.removeDefaultAcl(ours(path)));
  }

  @Override
  public void removeAcl(Path path) throws IOException {
    same("removeAcl " + path, () -> super.removeAcl(path), () -> vdfs.removeAcl(ours(path)));
  }

  @Override
  public void setAcl(Path path, List<AclEntry> entries) throws IOException {
    same(
        "setAcl " + path,
        () -> super.setAcl(path, entries),
        () -> vdfs.setAcl(ours(path), entries));
  }

  @Override
  public AclStatus getAclStatus(Path path) throws IOException {
    return same(
        "getAclStatus " + path,
        () -> super.getAclStatus(path),
        () -> vdfs.getAclStatus(ours(path)),
        status -> List.of(status, status.getEntries(), status.getPermission().toShort()));
  }

  @Override
  public void setXAttr(Path path, String name, byte[] value, EnumSet<XAttrSetFlag> flags)
      throws IOException {
    same(
        "setXAttr " + name + " of " + path,
        () -> super.setXAttr(path, name, value, flags),
        () -> vdfs.setXAttr(ours(path), name, value, flags));
  }

  @Override
  public byte[] getXAttr(Path path, String name) throws IOException {
    return same(
        "getXAttr " + name + " of " + path,
        () -> super.getXAttr(path, name),
        () -> vdfs.getXAttr(ours(path), name),
        ByteBuffer::wrap);
  }

  @Override
  public Map<String, byte[]> getXAttrs(Path path) throws IOException {
    return same(
        "getXAttrs " + path,
        () -> super.getXAttrs(path),
        () -> vdfs.getXAttrs(ours(path)),
        PairedFileSystem::readable);
  }

  @Override
  public Map<String, byte[]> getXAttrs(Path path, List<String> names) throws IOException {
    return same(
        "getXAttrs " + names + " of " + path,
        () -> super.getXAttrs(path, names),
        () -> vdfs.getXAttrs(ours(path), names),
        PairedFileSystem::readable);
  }

  private static Map<String, ByteBuffer> readable(Map<String, byte[]> attributes) {
    Map<String, ByteBuffer> readable = new TreeMap<>();
    attributes.forEach((name, value) -> readable.put(name, ByteBuffer.wrap(value)));
    return readable;
  }

  @Override
  public List<String> listXAttrs(Path path) throws IOException {
    return same(
        "listXAttrs " + path,
        () -> super.listXAttrs(path),
        () -> vdfs.listXAttrs(ours(path)),
        Set::copyOf);
  }

  @Override
  public void removeXAttr(Path path, String name) throws IOException {
    same(
        "removeXAttr " + name + " of " + path,
        () -> super.removeXAttr(path, name),
        () -> vdfs.removeXAttr(ours(path), name));
  }
}
