package io.vdfs.client.hadoop;

import io.vdfs.client.VdfsClient;
import io.vdfs.client.files.ContentReader;
import io.vdfs.client.hadoop.PinnedFiles.PinnedPath;
import io.vdfs.client.hadoop.streams.LimitedReader;
import io.vdfs.client.hadoop.terms.HadoopErrors;
import io.vdfs.client.hadoop.terms.HadoopErrors.Intent;
import io.vdfs.client.names.FileInfo;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.fs.Path;

/**
 * What the paths of one filesystem stand for: the content that a path is pinned to, else what the
 * metadata service says. Thread-safe.
 */
final class PathContents {
  private final Calls calls;
  private final PinnedFiles pins;

  PathContents(Calls calls, PinnedFiles pins) {
    this.calls = calls;
    this.pins = pins;
  }

  /** See {@link VdfsFileSystem#pin}. */
  AutoCloseable pin(Path path, long fileId, int generation, long length) throws IOException {
    VdfsClient client = calls.client();
    return HadoopErrors.translate(
        path,
        Intent.OPEN,
        () ->
            pins.pin(
                pinnedPath(calls.paths().name(path)),
                fileId,
                generation,
                length,
                client.files()::openInfo));
  }

  boolean isPinned(String name) {
    return pins.isPinned(pinnedPath(name));
  }

  private PinnedPath pinnedPath(String name) {
    return new PinnedPath(calls.lease().key().target(), calls.lease().key().user(), name);
  }

  /** Of a file or a directory. Counts no operation. */
  FileInfo info(Path path) throws IOException {
    String name = calls.paths().name(path);
    VdfsClient client = calls.client();
    return HadoopErrors.translate(
        path,
        Intent.LOOKUP,
        () -> {
          Optional<FileInfo> pinned = pins.find(pinnedPath(name));
          return pinned.isPresent() ? pinned.get() : client.names().status(name);
        });
  }

  /** As {@link #info}, of a file. */
  FileInfo fileInfo(Path path) throws IOException {
    FileInfo info = info(path);
    if (info.isDirectory()) {
      throw new FileNotFoundException("path is a directory, not a file: path=" + path);
    }
    return info;
  }

  /** Opens what the path stands for. */
  ContentReader reader(VdfsClient client, String name) throws IOException {
    Optional<FileInfo> pinned = pins.find(pinnedPath(name));
    if (pinned.isPresent()) {
      ContentReader reader = client.files().open(pinned.get()).reader();
      return new LimitedReader(name, reader, pinned.get().length());
    }
    return client.files().open(name).reader();
  }
}
