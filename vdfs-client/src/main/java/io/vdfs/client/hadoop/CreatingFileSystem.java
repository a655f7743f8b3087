package io.vdfs.client.hadoop;

import java.io.IOException;
import java.util.EnumSet;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/**
 * The calls of Hadoop's filesystem that make files and directories, handed on to {@link
 * FileCreation}. Thread-safe; has no state of its own.
 */
public abstract class CreatingFileSystem extends AttributedFileSystem {
  CreatingFileSystem() {}

  /** That of the filesystem, once it is initialized. */
  abstract FileCreation creation();

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
    return creation()
        .open(path, creation().masked(permission), flags, replication, blockSize, true);
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
    return creation()
        .open(path, creation().masked(permission), flags, replication, blockSize, true);
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
    return creation()
        .open(path, creation().masked(permission), flags, replication, blockSize, false);
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
    return creation().open(path, absolutePermission, flags, replication, blockSize, true);
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
    return creation().open(path, permission, flags, replication, blockSize, createParents);
  }

  @Override
  public FSDataOutputStream append(Path path, int bufferSize, Progressable progress)
      throws IOException {
    return creation().append(path);
  }

  @Override
  public boolean mkdirs(Path path, FsPermission permission) throws IOException {
    creation().mkdir(path, creation().maskedOfDirectory(permission), true);
    return true;
  }

  @Override
  @SuppressWarnings("deprecation") // what FileContext calls, with the umask already applied
  protected boolean primitiveMkdir(Path path, FsPermission absolutePermission) throws IOException {
    creation().mkdir(path, absolutePermission, true);
    return true;
  }

  @Override
  @SuppressWarnings("deprecation") // as above
  protected void primitiveMkdir(Path path, FsPermission absolutePermission, boolean createParent)
      throws IOException {
    creation().mkdir(path, absolutePermission, createParent);
  }
}
