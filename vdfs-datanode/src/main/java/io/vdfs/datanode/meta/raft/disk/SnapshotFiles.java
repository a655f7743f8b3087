package io.vdfs.datanode.meta.raft.disk;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.datanode.meta.ReplicatedState;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.Optional;
import org.apache.ratis.io.MD5Hash;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.storage.FileInfo;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.impl.SimpleStateMachineStorage;
import org.apache.ratis.statemachine.impl.SingleFileSnapshotInfo;
import org.apache.ratis.util.MD5FileUtil;

/**
 * Snapshots of the state as files that Ratis finds, sends to lagging members and cleans up. A
 * snapshot gets its name last, when its bytes and its digest are on disk. Confined to the thread on
 * which Ratis takes and loads snapshots, except {@link #write} and {@link #storage()}, which is
 * Ratis' own and thread-safe.
 */
public final class SnapshotFiles {
  private static final String DRAFT = "draft.tmp";
  private static final int BUFFER_BYTES = 1 << 16;

  private final KnownSnapshots storage = new KnownSnapshots();
  private Path directory;

  /**
   * Does not look for a snapshot where there is known to be none. Ratis asks with each batch of
   * entries that it sends, for which its own storage lists the directory as long as it has found
   * none. Thread-safe.
   */
  private static final class KnownSnapshots extends SimpleStateMachineStorage {
    private volatile boolean none;

    @Override
    public SingleFileSnapshotInfo getLatestSnapshot() {
      return none ? null : super.getLatestSnapshot();
    }
  }

  public void open(RaftStorage raftStorage) throws IOException {
    storage.init(raftStorage);
    directory = raftStorage.getStorageDir().getStateMachineDir().toPath();
  }

  public SimpleStateMachineStorage storage() {
    return storage;
  }

  /** An image that is on disk, but not yet a snapshot. */
  public record Draft(Path file, MD5Hash digest, TermIndex applied) {}

  /**
   * Writes an image, which stands as of {@code applied}; one at a time, on any thread. A draft that
   * was never published is overwritten by the next one.
   */
  public Draft write(ReplicatedState.Image image, TermIndex applied) throws IOException {
    Path draft =
        storage
            .getSnapshotFile(applied.getTerm(), applied.getIndex())
            .toPath()
            .resolveSibling(DRAFT);
    return new Draft(draft, write(image, draft), applied);
  }

  /** Makes a draft the newest snapshot. */
  public void publish(Draft draft) throws IOException {
    TermIndex applied = draft.applied();
    File file = storage.getSnapshotFile(applied.getTerm(), applied.getIndex());
    Path path = file.toPath();
    MD5FileUtil.saveMD5File(file, draft.digest());
    Files.move(draft.file(), path, StandardCopyOption.ATOMIC_MOVE);
    DiskForce.REAL.names(path.getParent());
    storage.updateLatestSnapshot(
        new SingleFileSnapshotInfo(
            new FileInfo(path, draft.digest()), applied.getTerm(), applied.getIndex()));
    storage.none = false;
  }

  private static MD5Hash write(ReplicatedState.Image image, Path path) throws IOException {
    MessageDigest md5 = MD5FileUtil.newMD5();
    try (FileChannel channel =
        FileChannel.open(
            path,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      OutputStream out =
          new BufferedOutputStream(
              new DigestOutputStream(Channels.newOutputStream(channel), md5), BUFFER_BYTES);
      image.write(out);
      out.flush();
      channel.force(true);
    }
    return MD5Hash.newInstance(md5.digest());
  }

  /**
   * Looks for the newest snapshot on disk.
   *
   * @return empty if there is none
   * @throws IOException if that cannot be told; Ratis' own storage takes that for none
   */
  public Optional<SingleFileSnapshotInfo> newest() throws IOException {
    SingleFileSnapshotInfo found = storage.loadLatestSnapshot();
    if (found == null) {
      requireNone();
    }
    storage.none = found == null;
    return Optional.ofNullable(found);
  }

  private void requireNone() throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        if (SimpleStateMachineStorage.SNAPSHOT_REGEX
            .matcher(file.getFileName().toString())
            .matches()) {
          throw new IOException("snapshots could not be listed at first: file=" + file);
        }
      }
    } catch (NoSuchFileException e) {
      // Ratis makes the directory
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
  }

  /**
   * Replaces {@code state} by the newest snapshot.
   *
   * @return what the state now stands as of; the initial value where there is no snapshot
   * @throws VdfsException naming the file: CORRUPT if the snapshot is damaged, UNSUPPORTED if it is
   *     of another feature level than the state has
   */
  public TermIndex loadLatest(ReplicatedState state) throws IOException {
    Optional<SingleFileSnapshotInfo> newest = newest();
    if (newest.isEmpty()) {
      return TermIndex.INITIAL_VALUE;
    }
    SingleFileSnapshotInfo snapshot = newest.get();
    Path path = snapshot.getFile().getPath();
    try (InputStream in = new BufferedInputStream(Files.newInputStream(path), BUFFER_BYTES)) {
      state.load(in);
    } catch (VdfsException e) {
      if (e.code() == ErrorCode.UNSUPPORTED) {
        throw new VdfsException(e.code(), "%s: file=%s".formatted(e.getMessage(), path), e);
      }
      throw new VdfsException(
          ErrorCode.CORRUPT,
          ("snapshot unusable, empty this member's directory and let it catch up from the"
                  + " others:%s")
              .formatted(" file=%s, error=%s".formatted(path, e.getMessage())),
          e);
    }
    return snapshot.getTermIndex();
  }
}
