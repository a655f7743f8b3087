package io.vdfs.client.hadoop;

import io.vdfs.client.VdfsClient;
import io.vdfs.client.files.ContentReader;
import io.vdfs.client.files.OpenedFile;
import io.vdfs.client.hadoop.locality.DistanceTally;
import io.vdfs.client.hadoop.locality.NodeDistances;
import io.vdfs.client.hadoop.locality.ReadLocality;
import io.vdfs.client.hadoop.streams.VdfsInputStream;
import io.vdfs.client.hadoop.terms.HadoopErrors;
import io.vdfs.client.hadoop.terms.HadoopErrors.Intent;
import io.vdfs.client.hadoop.values.VdfsFileStatus;
import io.vdfs.client.hadoop.values.VdfsPathHandle;
import io.vdfs.client.io.ReadTally;
import io.vdfs.client.read.FetchListener;
import io.vdfs.client.read.ReadPattern;
import io.vdfs.common.error.VdfsException;
import java.io.IOException;
import java.util.function.Function;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.InvalidPathHandleException;
import org.apache.hadoop.fs.Options;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathHandle;

/** Opens files for reading: by path, by a status that is known, by a handle. Thread-safe. */
final class FileOpening {
  private final Calls calls;
  private final PathContents contents;
  private final NodeDistances distances;
  private volatile Function<Path, FetchListener> listeners = path -> FetchListener.NONE;

  /**
   * @param distances of the nodes that are read from
   */
  FileOpening(Calls calls, PathContents contents, NodeDistances distances) {
    this.calls = calls;
    this.contents = contents;
    this.distances = distances;
  }

  /** See {@link VdfsFileSystem#listenToFetches}. */
  void listenToFetches(Function<Path, FetchListener> newListeners) {
    listeners = newListeners;
  }

  FSDataInputStream open(Path path, ReadPattern pattern) throws IOException {
    return stream(path, calls.read(path, Intent.OPEN, contents::reader), pattern);
  }

  /**
   * Opens without asking the metadata service where the status is one of this filesystem and says
   * enough.
   *
   * @param known may be null
   * @throws IllegalArgumentException if the status is of a file with another name
   */
  FSDataInputStream open(Path path, FileStatus known, ReadPattern pattern) throws IOException {
    if (known != null && !path.getName().equals(known.getPath().getName())) {
      throw new IllegalArgumentException(
          "the status is of another file: path=" + path + ", status=" + known.getPath());
    }
    boolean pinned = contents.isPinned(calls.paths().name(path));
    if (pinned
        || !(known instanceof VdfsFileStatus ours)
        || !ours.getPath().equals(calls.paths().qualified(path))
        || !ours.isEnoughToOpen()) {
      return open(path, pattern);
    }
    ContentReader reader =
        calls.read(path, Intent.OPEN, (client, name) -> client.files().open(ours.info()).reader());
    return stream(path, reader, pattern);
  }

  /**
   * @throws InvalidPathHandleException if the file is gone, or changed in a way that the handle
   *     does not allow
   */
  FSDataInputStream open(PathHandle handle) throws IOException {
    calls.statistics().incrementReadOps(1);
    VdfsPathHandle ours = VdfsPathHandle.of(handle);
    VdfsClient client = calls.client();
    Path path = calls.paths().qualified(new Path(ours.name()));
    try {
      OpenedFile file =
          ours.mayMove()
              ? client.files().open(client.files().openInfo(ours.fileId()))
              : client.files().open(ours.name());
      ours.check(file.info());
      return stream(path, file.reader(), ReadPattern.ADAPTIVE);
    } catch (VdfsException e) {
      if (HadoopErrors.saysGone(e)) {
        throw new InvalidPathHandleException("file is gone: path=" + path, e);
      }
      throw HadoopErrors.exception(path, Intent.OPEN, e);
    }
  }

  private FSDataInputStream stream(Path path, ContentReader reader, ReadPattern pattern) {
    Path qualified = calls.paths().qualified(path);
    reader.listen(listeners.apply(qualified));
    ReadTally tally = new DistanceTally(distances, calls.statistics(), ReadLocality.ofThread());
    return new FSDataInputStream(
        new VdfsInputStream(
            qualified, reader.telling(tally), pattern, calls.lease(), calls.statistics()));
  }

  /**
   * @throws IllegalArgumentException for a directory, or for a status of another filesystem
   */
  PathHandle handle(FileStatus status, Options.HandleOpt... options) {
    if (!(status instanceof VdfsFileStatus ours) || ours.info() == null || ours.isDirectory()) {
      throw new IllegalArgumentException(
          "a path handle is made of a status of a file in %s: status=%s"
              .formatted(calls.paths().root(), status));
    }
    boolean mayChange =
        Options.HandleOpt.getOpt(Options.HandleOpt.Data.class, options)
            .orElse(Options.HandleOpt.changed(false))
            .allowChange();
    boolean mayMove =
        Options.HandleOpt.getOpt(Options.HandleOpt.Location.class, options)
            .orElse(Options.HandleOpt.moved(false))
            .allowChange();
    return new VdfsPathHandle(ours.info(), calls.paths().name(ours.getPath()), mayChange, mayMove);
  }
}
