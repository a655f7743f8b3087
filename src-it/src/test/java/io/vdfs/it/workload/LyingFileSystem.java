package io.vdfs.it.workload;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.util.Progressable;

/** A local directory as a filesystem that does one thing wrong, every tenth time. Thread-safe. */
final class LyingFileSystem extends FilterFileSystem {
  /** What it does wrong. */
  enum Lie {
    NONE,
    /** The last byte that was written is not there. */
    LOST_TAIL,
    /** A deleted file is still there. */
    NAME_BACK,
    /** A moved file is where it was, too. */
    MOVED_TWICE,
    /** Appended bytes overwrite the existing ones. */
    APPENDED_OVER,
    /** A truncated file keeps what was cut off. */
    NOT_CUT,
    /** A byte of a file is wrong. */
    WRONG_BYTE
  }

  private static final int EACH = 10;

  private final Path root;
  private final Lie lie;
  private final AtomicInteger chances = new AtomicInteger();
  private final AtomicInteger lies = new AtomicInteger();

  private LyingFileSystem(FileSystem local, Path root, Lie lie) {
    super(local);
    this.root = root;
    this.lie = lie;
  }

  static LyingFileSystem in(java.nio.file.Path directory, Lie lie) throws IOException {
    RawLocalFileSystem local = new RawLocalFileSystem();
    local.initialize(URI.create("file:///"), new Configuration());
    return new LyingFileSystem(local, new Path(directory.toString()), lie);
  }

  /** How often it lied. */
  int lies() {
    return lies.get();
  }

  private boolean liesNow(Lie kind) {
    boolean now = lie == kind && chances.incrementAndGet() % EACH == 0;
    if (now) {
      lies.incrementAndGet();
    }
    return now;
  }

  private Path below(Path path) {
    return new Path(root + Path.getPathWithoutSchemeAndAuthority(path).toString());
  }

  @Override
  public boolean mkdirs(Path path, FsPermission permission) throws IOException {
    return super.mkdirs(below(path), permission);
  }

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
    return shortened(
        super.create(
            below(path), permission, overwrite, bufferSize, replication, blockSize, progress));
  }

  private FSDataOutputStream shortened(FSDataOutputStream out) throws IOException {
    if (!liesNow(Lie.LOST_TAIL)) {
      return out;
    }
    return new FSDataOutputStream(
        new OutputStream() {
          private boolean written;

          @Override
          public void write(int b) throws IOException {
            out.write(b);
          }

          @Override
          public void write(byte[] bytes, int offset, int length) throws IOException {
            out.write(bytes, offset, written ? length : length - 1);
            written = true;
          }

          @Override
          public void close() throws IOException {
            out.close();
          }
        },
        null);
  }

  @Override
  public FSDataOutputStream append(Path path, int bufferSize, Progressable progress)
      throws IOException {
    Path file = below(path);
    long length = super.getFileStatus(file).getLen();
    if (length > 0 && liesNow(Lie.APPENDED_OVER)) {
      super.truncate(file, length - 1);
    }
    return super.append(file, bufferSize, progress);
  }

  @Override
  public boolean truncate(Path path, long length) throws IOException {
    return liesNow(Lie.NOT_CUT) || super.truncate(below(path), length);
  }

  @Override
  public boolean rename(Path source, Path target) throws IOException {
    boolean moved = super.rename(below(source), below(target));
    if (liesNow(Lie.MOVED_TWICE)) {
      fs.create(below(source), true).close();
    }
    return moved;
  }

  @Override
  public boolean delete(Path path, boolean recursive) throws IOException {
    return liesNow(Lie.NAME_BACK) || super.delete(below(path), recursive);
  }

  @Override
  public FSDataInputStream open(Path path, int bufferSize) throws IOException {
    Path file = below(path);
    if (super.getFileStatus(file).getLen() > 0 && liesNow(Lie.WRONG_BYTE)) {
      try (FSDataInputStream in = super.open(file, bufferSize)) {
        byte[] bytes = in.readAllBytes();
        bytes[bytes.length / 2] ^= 1;
        try (FSDataOutputStream out = fs.create(file, true)) {
          out.write(bytes);
        }
      }
    }
    return super.open(file, bufferSize);
  }

  @Override
  public FileStatus getFileStatus(Path path) throws IOException {
    return super.getFileStatus(below(path));
  }

  @Override
  public FileStatus[] listStatus(Path path) throws IOException {
    FileStatus[] all = super.listStatus(below(path));
    int rootLength = root.toUri().getPath().length();
    for (FileStatus status : all) {
      status.setPath(new Path(status.getPath().toUri().getPath().substring(rootLength)));
    }
    return all;
  }
}
