package io.vdfs.client.hadoop;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.DelegateToFileSystem;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.LocatedFileStatus;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RemoteIterator;
import org.apache.hadoop.fs.XAttrSetFlag;
import org.apache.hadoop.fs.permission.AclEntry;
import org.apache.hadoop.fs.permission.AclStatus;
import org.apache.hadoop.fs.permission.FsAction;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/**
 * {@code vdfs://} for {@code FileContext}. Passes everything on to a {@link VdfsFileSystem}, where
 * each call is one step: Hadoop's own delegate would look first and act later. Thread-safe.
 */
public final class VdfsAbstractFileSystem extends DelegateToFileSystem {
  private final VdfsFileSystem fileSystem;

  /** Called by Hadoop, by reflection. */
  public VdfsAbstractFileSystem(URI uri, Configuration configuration)
      throws IOException, URISyntaxException {
    this(uri, configuration, new VdfsFileSystem());
  }

  VdfsAbstractFileSystem(URI uri, Configuration configuration, VdfsFileSystem fileSystem)
      throws IOException, URISyntaxException {
    super(uri, fileSystem, configuration, uri.getScheme(), false);
    this.fileSystem = fileSystem;
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
    checkPath(path);
    return fileSystem.openForWriting(
        path, absolutePermission, flags, replication, blockSize, createParent);
  }

  @Override
  public void renameInternal(Path source, Path target, boolean overwrite) throws IOException {
    checkPath(source);
    checkPath(target);
    fileSystem.rename(source, target, overwrite ? Options.Rename.OVERWRITE : Options.Rename.NONE);
  }

  @Override
  public RemoteIterator<FileStatus> listStatusIterator(Path path) throws IOException {
    checkPath(path);
    return fileSystem.listStatusIterator(path);
  }

  @Override
  public RemoteIterator<LocatedFileStatus> listLocatedStatus(Path path) throws IOException {
    checkPath(path);
    return fileSystem.listLocatedStatus(path);
  }

  @Override
  public void access(Path path, FsAction mode) throws IOException {
    checkPath(path);
    fileSystem.access(path, mode);
  }

  @Override
  public void modifyAclEntries(Path path, List<AclEntry> entries) throws IOException {
    checkPath(path);
    fileSystem.modifyAclEntries(path, entries);
  }

  @Override
  public void removeAclEntries(Path path, List<AclEntry> entries) throws IOException {
    checkPath(path);
    fileSystem.removeAclEntries(path, entries);
  }

  @Override
  public void removeDefaultAcl(Path path) throws IOException {
    checkPath(path);
    fileSystem.removeDefaultAcl(path);
  }

  @Override
  public void removeAcl(Path path) throws IOException {
    checkPath(path);
    fileSystem.removeAcl(path);
  }

  @Override
  public void setAcl(Path path, List<AclEntry> entries) throws IOException {
    checkPath(path);
    fileSystem.setAcl(path, entries);
  }

  @Override
  public AclStatus getAclStatus(Path path) throws IOException {
    checkPath(path);
    return fileSystem.getAclStatus(path);
  }

  @Override
  public void setXAttr(Path path, String name, byte[] value, EnumSet<XAttrSetFlag> flags)
      throws IOException {
    checkPath(path);
    fileSystem.setXAttr(path, name, value, flags);
  }

  @Override
  public byte[] getXAttr(Path path, String name) throws IOException {
    checkPath(path);
    return fileSystem.getXAttr(path, name);
  }

  @Override
  public Map<String, byte[]> getXAttrs(Path path) throws IOException {
    checkPath(path);
    return fileSystem.getXAttrs(path);
  }

  @Override
  public Map<String, byte[]> getXAttrs(Path path, List<String> names) throws IOException {
    checkPath(path);
    return fileSystem.getXAttrs(path, names);
  }

  @Override
  public List<String> listXAttrs(Path path) throws IOException {
    checkPath(path);
    return fileSystem.listXAttrs(path);
  }

  @Override
  public void removeXAttr(Path path, String name) throws IOException {
    checkPath(path);
    fileSystem.removeXAttr(path, name);
  }

  @Override
  public void msync() throws IOException {
    fileSystem.msync();
  }
}
