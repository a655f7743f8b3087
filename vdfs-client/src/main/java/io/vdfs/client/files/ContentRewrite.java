package io.vdfs.client.files;

import io.vdfs.client.meta.MetadataCalls;
import io.vdfs.client.names.FileInfo;
import io.vdfs.client.names.Names;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.wire.WireIds;
import io.vdfs.common.wire.proto.MetaRequest;
import io.vdfs.common.wire.proto.PinnedFileProto;
import io.vdfs.common.wire.proto.ReplaceFileOp;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Changes of a file that are more than appending: what stays is copied into a new file beside it,
 * which takes its place in one atomic step, if nothing changed meanwhile. Readers of the old
 * contents never see other bytes. Thread-safe.
 *
 * <p>A client that dies leaves a file {@code ._vdfs_rewrite_ID} in the directory.
 */
public final class ContentRewrite {
  private static final int BUFFER_BYTES = 1 << 20;
  private static final int WRITE = 2;

  private final Names names;
  private final Files files;
  private final MetadataCalls metadata;

  /**
   * All three of one cluster and in the name of one user.
   *
   * @param metadata asked for the last step
   */
  public ContentRewrite(Names names, Files files, MetadataCalls metadata) {
    this.names = names;
    this.files = files;
    this.metadata = metadata;
  }

  /**
   * Truncates a closed file; all other clients see one step.
   *
   * @param length in bytes, at most the file's
   * @throws VdfsException INVALID_ARGUMENT; IS_A_DIRECTORY; LEASE_CONFLICT if it is being written;
   *     FILE_CHANGED if it changed meanwhile
   */
  public void truncate(String path, long length) throws IOException {
    names.checkAccess(path, WRITE);
    FileInfo file = names.status(path);
    requireClosed(path, file);
    if (length < 0 || length > file.length()) {
      throw new VdfsException(
          ErrorCode.INVALID_ARGUMENT,
          "a file is truncated to at most its length: path=%s, asked=%s, length=%s"
              .formatted(path, length, file.length()));
    }
    if (length == file.length()) {
      return;
    }
    if (length == 0) {
      replace(path, file, List.of(), writer -> {});
    } else {
      OpenedFile opened = openClosed(path);
      replace(path, opened.info(), List.of(), writer -> copy(opened.reader(), length, writer));
    }
  }

  /**
   * Appends closed files to a closed one and removes them; all other clients see one step. Throws
   * as {@link #truncate}.
   */
  public void concat(String target, List<String> sources) throws IOException {
    OpenedFile first = openClosed(target);
    List<OpenedFile> opened = new ArrayList<>();
    List<PinnedFileProto> pins = new ArrayList<>();
    for (String source : sources) {
      OpenedFile file = openClosed(source);
      opened.add(file);
      pins.add(pin(source, file.info()));
    }
    replace(
        target,
        first.info(),
        pins,
        writer -> {
          copy(first.reader(), first.info().length(), writer);
          for (OpenedFile file : opened) {
            copy(file.reader(), file.info().length(), writer);
          }
        });
  }

  private OpenedFile openClosed(String path) throws IOException {
    OpenedFile file = files.open(path);
    requireClosed(path, file.info());
    return file;
  }

  private static void requireClosed(String path, FileInfo file) throws VdfsException {
    if (file.isDirectory()) {
      throw new VdfsException(ErrorCode.IS_A_DIRECTORY, "is a directory: path=" + path);
    }
    if (file.isUnderConstruction()) {
      throw new VdfsException(ErrorCode.LEASE_CONFLICT, "file is being written: path=" + path);
    }
  }

  private interface Filling {
    void fill(ContentWriter writer) throws IOException;
  }

  private void replace(String path, FileInfo old, List<PinnedFileProto> sources, Filling filling)
      throws IOException {
    String fresh =
        path.substring(0, path.lastIndexOf('/') + 1) + "._vdfs_rewrite_" + UUID.randomUUID();
    boolean replaced = false;
    try {
      write(fresh, old, filling);
      ReplaceFileOp operation =
          ReplaceFileOp.newBuilder()
              .setTarget(pin(path, old))
              .setReplacement(fresh)
              .addAllSources(sources)
              .build();
      metadata.call(MetaRequest.newBuilder().setReplaceFile(operation).build());
      replaced = true;
    } finally {
      if (!replaced) {
        remove(fresh);
      }
    }
  }

  private void write(String path, FileInfo old, Filling filling) throws IOException {
    int ownerOnly = 0600;
    CreateOptions options =
        new CreateOptions(ownerOnly, ownerOnly, false, false, old.replication(), old.blockSize());
    ContentWriter writer = files.create(path, options);
    boolean filled = false;
    try {
      filling.fill(writer);
      filled = true;
    } finally {
      if (!filled) {
        writer.abort();
      }
    }
    writer.close();
  }

  /** Throws nothing: the failure that led here is the one to report. */
  @SuppressWarnings("EmptyCatch")
  private void remove(String path) {
    try {
      names.delete(path, false);
    } catch (IOException e) {
      // the file stays; its name says where it comes from
    }
  }

  private static PinnedFileProto pin(String path, FileInfo file) {
    return PinnedFileProto.newBuilder()
        .setPath(path)
        .setFile(WireIds.encode(file.key()))
        .setLength(file.length())
        .build();
  }

  private static void copy(ContentReader reader, long length, ContentWriter writer)
      throws IOException {
    ContentCursor cursor = reader.cursor();
    try {
      byte[] buffer = new byte[(int) Math.min(BUFFER_BYTES, Math.max(1, length))];
      for (long done = 0; done < length; ) {
        int read = cursor.read(buffer, 0, (int) Math.min(buffer.length, length - done));
        if (read < 0) {
          throw new EOFException("file ends early: asked=" + length + ", end=" + done);
        }
        writer.write(buffer, 0, read);
        done += read;
      }
    } finally {
      cursor.release();
    }
  }
}
