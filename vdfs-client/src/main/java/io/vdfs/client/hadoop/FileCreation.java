package io.vdfs.client.hadoop;

import io.vdfs.client.files.ContentWriter;
import io.vdfs.client.files.CreateOptions;
import io.vdfs.client.hadoop.streams.OpenStreams;
import io.vdfs.client.hadoop.streams.VdfsOutputStream;
import io.vdfs.client.hadoop.terms.HadoopErrors;
import io.vdfs.client.hadoop.terms.HadoopErrors.Intent;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.EnumSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.CreateFlag;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsCreateModes;
import org.apache.hadoop.fs.permission.FsPermission;

/** Makes files and directories, and opens files for writing. Thread-safe. */
final class FileCreation {
  private final Calls calls;
  private final PathContents contents;
  private final OpenStreams openStreams;
  private final Configuration configuration;

  /**
   * @param configuration holds the umask
   */
  FileCreation(
      Calls calls, PathContents contents, OpenStreams openStreams, Configuration configuration) {
    this.calls = calls;
    this.contents = contents;
    this.openStreams = openStreams;
    this.configuration = configuration;
  }

  /** The permission of a new file after the umask; null stands for the default. */
  FsPermission masked(FsPermission permission) {
    return applied(permission == null ? FsPermission.getFileDefault() : permission);
  }

  /** As {@link #masked}, of a directory. */
  FsPermission maskedOfDirectory(FsPermission permission) {
    return applied(permission == null ? FsPermission.getDirDefault() : permission);
  }

  private FsPermission applied(FsPermission asked) {
    return FsCreateModes.applyUMask(asked, FsPermission.getUMask(configuration));
  }

  /**
   * Creates or appends in one atomic step.
   *
   * @param permission with the umask applied
   */
  FSDataOutputStream open(
      Path path,
      FsPermission permission,
      EnumSet<CreateFlag> flags,
      short replication,
      long blockSize,
      boolean createParents)
      throws IOException {
    CreateFlag.validate(flags);
    if (flags.contains(CreateFlag.APPEND)) {
      if (!flags.contains(CreateFlag.CREATE) || exists(path)) {
        return append(path);
      }
    } else if (!flags.contains(CreateFlag.CREATE)) {
      requireThere(path); // only an existing file can be overwritten
    }
    CreateOptions options =
        new CreateOptions(
            mode(permission),
            unmaskedMode(permission),
            flags.contains(CreateFlag.OVERWRITE),
            createParents,
            replication,
            blockSize);
    return track(
        path,
        () ->
            calls.change(
                path, Intent.CREATE, (client, name) -> client.files().create(name, options)));
  }

  FSDataOutputStream append(Path path) throws IOException {
    return track(
        path, () -> calls.change(path, Intent.OPEN, (client, name) -> client.files().append(name)));
  }

  private boolean exists(Path path) throws IOException {
    try {
      requireThere(path);
      return true;
    } catch (FileNotFoundException e) {
      return false;
    }
  }

  private void requireThere(Path path) throws IOException {
    calls.statistics().incrementReadOps(1);
    contents.info(path);
  }

  private FSDataOutputStream track(Path path, HadoopErrors.Call<ContentWriter> opener)
      throws IOException {
    calls.client(); // a late caller is told which filesystem is closed
    VdfsOutputStream stream =
        openStreams.open(
            () ->
                new VdfsOutputStream(
                    calls.paths().qualified(path),
                    opener.run(),
                    calls.lease(),
                    openStreams::remove));
    return new FSDataOutputStream(stream, calls.statistics(), stream.startPosition());
  }

  /**
   * @param permission with the umask applied
   */
  void mkdir(Path path, FsPermission permission, boolean createParents) throws IOException {
    calls.change(
        path,
        Intent.CREATE,
        (client, name) ->
            client.names().mkdirs(name, mode(permission), unmaskedMode(permission), createParents));
  }

  /** The bits of a mode that are kept. */
  static int mode(FsPermission permission) {
    return permission.toShort() & 01777;
  }

  /** The mode asked for before the umask, where the caller gives it. */
  private static int unmaskedMode(FsPermission permission) {
    FsPermission unmasked = permission.getUnmasked();
    return mode(unmasked == null ? permission : unmasked);
  }
}
