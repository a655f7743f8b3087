package io.vdfs.client.hadoop;

import io.vdfs.client.hadoop.cluster.ClusterTarget;
import io.vdfs.client.names.FileInfo;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * Paths of this JVM that stand for a content fixed earlier: while one is pinned, opening it gives
 * that content up to that length, whatever has become of the path. Where threads have pinned it to
 * different contents, as tasks of two jobs may, each of them gets its own.
 *
 * <p>Thread-safe: {@code pins} and the lists in it are guarded by this object's lock.
 */
final class PinnedFiles {
  /** Those of this JVM. */
  static final PinnedFiles JVM = new PinnedFiles();

  private final Map<PinnedPath, List<Pin>> pins = new HashMap<>();

  /** A path as one user of one cluster sees it. */
  record PinnedPath(ClusterTarget target, UserGroupInformation user, String path) {}

  /** Asks the metadata service for a file by its id. */
  @FunctionalInterface
  interface InfoSource {
    FileInfo get(long fileId) throws IOException;
  }

  /** By one thread, which may make several of one path. */
  private static final class Pin {
    private final Thread thread = Thread.currentThread();
    private final FileInfo info;

    Pin(FileInfo info) {
      this.info = info;
    }

    boolean isOf(long fileId, int generation, long length) {
      return info.inodeId() == fileId && info.generation() == generation && info.length() == length;
    }
  }

  /**
   * Pins a path for the calling thread, and for those that have not pinned it themselves. Asks the
   * source where it is not pinned to that content yet.
   *
   * @return ends the pin, on any thread; closing it again does nothing
   * @throws VdfsException FILE_CHANGED if the content is gone or shorter
   */
  AutoCloseable pin(PinnedPath path, long fileId, int generation, long length, InfoSource source)
      throws IOException {
    Optional<FileInfo> known = known(path, fileId, generation, length);
    FileInfo info =
        known.isPresent() ? known.get() : load(path, fileId, generation, length, source);
    Pin pin = new Pin(info);
    synchronized (this) {
      pins.computeIfAbsent(path, unused -> new ArrayList<>()).add(pin);
    }
    return ending(path, pin);
  }

  private synchronized Optional<FileInfo> known(
      PinnedPath path, long fileId, int generation, long length) {
    return pins.getOrDefault(path, List.of()).stream()
        .filter(pin -> pin.isOf(fileId, generation, length))
        .map(pin -> pin.info)
        .findFirst();
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

  private AutoCloseable ending(PinnedPath path, Pin pin) {
    AtomicBoolean ended = new AtomicBoolean();
    return () -> {
      if (ended.compareAndSet(false, true)) {
        unpin(path, pin);
      }
    };
  }

  private synchronized void unpin(PinnedPath path, Pin pin) {
    List<Pin> left = pins.get(path);
    left.remove(pin);
    if (left.isEmpty()) {
      pins.remove(path);
    }
  }

  synchronized boolean isPinned(PinnedPath path) {
    return pins.containsKey(path);
  }

  /**
   * What the calling thread pinned the path to last, with the pinned length; for a thread that has
   * not, what the others did.
   *
   * @throws VdfsException FILE_CHANGED if the others pinned it to different contents
   */
  synchronized Optional<FileInfo> find(PinnedPath path) throws VdfsException {
    List<Pin> all = pins.getOrDefault(path, List.of());
    if (all.isEmpty()) {
      return Optional.empty();
    }
    Pin found = all.get(0);
    boolean several = false;
    for (Pin pin : all) {
      if (pin.thread == Thread.currentThread()) {
        found = pin;
      }
      several |= !pin.isOf(found.info.inodeId(), found.info.generation(), found.info.length());
    }
    if (several && found.thread != Thread.currentThread()) {
      throw new VdfsException(
          ErrorCode.FILE_CHANGED,
          "tasks of this process read different contents of the path, so it must be opened by the"
              + " threads that draw their input: path="
              + path.path());
    }
    return Optional.of(found.info);
  }
}
