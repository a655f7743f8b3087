package io.vdfs.client.hadoop.values;

import io.vdfs.client.names.FileInfo;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.apache.hadoop.fs.InvalidPathHandleException;
import org.apache.hadoop.fs.PathHandle;

/**
 * A file as it once was, and how it may have changed since. Immutable.
 *
 * <p>Its bytes: version (1), flags (1: may have changed, 2: may have moved), file id, generation,
 * length, modification time, then the name in UTF-8.
 */
public final class VdfsPathHandle implements PathHandle {
  private static final long serialVersionUID = 1L;

  private static final byte VERSION = 1;
  private static final int CHANGED = 1;
  private static final int MOVED = 2;
  private static final int FIXED_BYTES = 2 + Long.BYTES + Integer.BYTES + 2 * Long.BYTES;

  private final int flags;
  private final long fileId;
  private final int generation;
  private final long length;
  private final long modificationMillis;
  private final String name;

  /**
   * A handle of a file.
   *
   * @param info as the file is now
   * @param name of the file to the metadata service
   * @param mayChange whether the file may have other content when it is opened
   * @param mayMove whether it may have another name then
   */
  public VdfsPathHandle(FileInfo info, String name, boolean mayChange, boolean mayMove) {
    this.flags = (mayChange ? CHANGED : 0) | (mayMove ? MOVED : 0);
    this.fileId = info.inodeId();
    this.generation = info.generation();
    this.length = info.length();
    this.modificationMillis = info.modificationMillis();
    this.name = name;
  }

  private VdfsPathHandle(ByteBuffer bytes) {
    this.flags = bytes.get();
    this.fileId = bytes.getLong();
    this.generation = bytes.getInt();
    this.length = bytes.getLong();
    this.modificationMillis = bytes.getLong();
    this.name = StandardCharsets.UTF_8.decode(bytes).toString();
  }

  /**
   * Reads a handle, which may come from another process.
   *
   * @throws InvalidPathHandleException if it is no handle of this filesystem
   */
  public static VdfsPathHandle of(PathHandle handle) throws IOException {
    if (handle instanceof VdfsPathHandle ours) {
      return ours;
    }
    ByteBuffer bytes = handle.bytes().duplicate();
    if (bytes.remaining() < FIXED_BYTES || bytes.get() != VERSION) {
      throw new InvalidPathHandleException(
          "not a handle of VDFS: class=" + handle.getClass().getName());
    }
    return new VdfsPathHandle(bytes);
  }

  /** Whether the file is followed wherever it goes; else it is looked for at its name. */
  public boolean mayMove() {
    return (flags & MOVED) != 0;
  }

  /** Id of the file. */
  public long fileId() {
    return fileId;
  }

  /** Name of the file to the metadata service when the handle was made. */
  public String name() {
    return name;
  }

  /**
   * Makes sure that the file found is the one that the handle stands for.
   *
   * @param found at the name, or by the id, as {@link #mayMove} asks
   * @throws InvalidPathHandleException if the file changed in a way that the handle does not allow
   */
  public void check(FileInfo found) throws IOException {
    boolean mayChange = (flags & CHANGED) != 0;
    boolean same = found.inodeId() == fileId;
    boolean unchanged =
        same
            && found.generation() == generation
            && found.length() == length
            && found.modificationMillis() == modificationMillis;
    if (mayChange ? !same && mayMove() : !unchanged) {
      throw new InvalidPathHandleException(
          "file is not what it was: name=%s, fileId=%s, found=%s, length=%s, found=%s"
              .formatted(name, fileId, found.inodeId(), length, found.length()));
    }
  }

  @Override
  public ByteBuffer bytes() {
    byte[] text = name.getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(FIXED_BYTES + text.length)
        .put(VERSION)
        .put((byte) flags)
        .putLong(fileId)
        .putInt(generation)
        .putLong(length)
        .putLong(modificationMillis)
        .put(text)
        .flip();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof VdfsPathHandle handle && bytes().equals(handle.bytes());
  }

  @Override
  public int hashCode() {
    return Objects.hash(flags, fileId, name);
  }
}
