package io.vdfs.client.hadoop;

import io.vdfs.client.hadoop.cluster.ClusterTarget;
import io.vdfs.client.names.FileInfo;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * Paths of this JVM that stand for a content fixed earlier: while one is pinned, opening it gives
 * that content up to that length, whatever has become of the path. A path can be pinned many times,
 * but to one content at a time. Pins are counted.
 *
 * <p>Thread-safe: {@code pins} and the counts in it are guarded by this object's lock.
 */
final class PinnedFiles {
  /** Those of this JVM. */
  static final PinnedFiles JVM = new PinnedFiles();

  private final Map<PinnedPath, Pin> pins = new HashMap<>();

  /** A path as one user of one cluster sees it. */
  record PinnedPath(ClusterTarget target, UserGroupInformation user, String path) {}

  /** Asks the metadata service for a file by its id. */
  @FunctionalInterface
  interface InfoSource {
    FileInfo get(long fileId) throws IOException;
  }

  private static final class Pin {
    private final FileInfo info;
    private int count = 1;

    Pin(FileInfo info) {
      this.info = info;
    }

    boolean isOf(long fileId, int generation, long length) {
      return info.inodeId() == fileId && info.generation() == generation && info.length() == length;
    }
  }

  /**
   * Pins a path. Asks the source where the path isn't pinned yet.
   *
   * @return ends the pin; closing it again does nothing
   * @throws VdfsException FILE_CHANGED if the content is gone or shorter, or the path is pinned to
   *     another content
   */
  AutoCloseable pin(PinnedPath path, long fileId, int generation, long length, InfoSource source)
      throws IOException {
    if (!join(path, fileId, generation, length)) {
      FileInfo info = load(path, fileId, generation, length, source);
      synchronized (this) {
        // another thread may have come first; then it must be for the same content
        if (!join(path, fileId, generation, length)) {
          pins.put(path, new Pin(info));
        }
      }
    }
    return ending(path);
  }

  /** False where the path isn't pinned. */
  private synchronized boolean join(PinnedPath path, long fileId, int generation, long length)
      throws VdfsException {
    Pin pin = pins.get(path);
    if (pin == null) {
      return false;
    }
    if (!pin.isOf(fileId, generation, length)) {
      throw changed(
          path,
          fileId,
          generation,
          length,
          "the path is pinned to fileId=%s, generation=%s, length=%s"
              .formatted(pin.info.inodeId(), pin.info.generation(), pin.info.length()),
          null);
    }
    pin.count++;
    return true;
  }

  private static FileInfo load(
      PinnedPath path, long fileId, int generation, long length, InfoSource source)
      throws IOException {
    FileInfo info;
    try {
      info = source.get(fileId);
    } catch (VdfsException e) {
      if (e.code() == ErrorCode.NOT_FOUND) {
        throw changed(path, fileId, generation, length, "it is gone", e);
      }
      throw e;
    }
    if (info.generation() != generation || info.length() < length) {
      throw changed(
          path,
          fileId,
          generation,
          length,
          "now generation=" + info.generation() + ", length=" + info.length(),
          null);
    }
    return info.limitedTo(length);
  }

  private static VdfsException changed(
      PinnedPath path,
      long fileId,
      int generation,
      long length,
      String reason,
      VdfsException cause) {
    return new VdfsException(
        ErrorCode.FILE_CHANGED,
        "the file is not what it was: path=%s, fileId=%s, generation=%s, length=%s; %s"
            .formatted(path.path(), fileId, generation, length, reason),
        cause);
  }

  private AutoCloseable ending(PinnedPath path) {
    AtomicBoolean ended = new AtomicBoolean();
    return () -> {
      if (ended.compareAndSet(false, true)) {
        unpin(path);
      }
    };
  }

  private synchronized void unpin(PinnedPath path) {
    Pin pin = pins.get(path);
    if (--pin.count == 0) {
      pins.remove(path);
    }
  }

  /** What the path is pinned to, with the pinned length. */
  synchronized Optional<FileInfo> find(PinnedPath path) {
    return pins.isEmpty()
        ? Optional.empty()
        : Optional.ofNullable(pins.get(path)).map(pin -> pin.info);
  }
}
