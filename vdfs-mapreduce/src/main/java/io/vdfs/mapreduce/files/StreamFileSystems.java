package io.vdfs.mapreduce.files;

import io.vdfs.client.hadoop.VdfsFileSystem;
import io.vdfs.client.hadoop.trace.TracingFileSystem;
import java.io.IOException;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.viewfs.ViewFileSystem;

/**
 * Finds the filesystem whose metadata service holds a stream, through all filesystems before it:
 * {@code trace://}, {@code viewfs://}, any filter. Stateless.
 */
public final class StreamFileSystems {
  private StreamFileSystems() {}

  /**
   * The VDFS that a file is in, if tasks can get its path there and still open it under the path
   * that it has here.
   */
  public static Optional<ReachedFiles> find(Path path, Configuration conf) throws IOException {
    FileSystem fileSystem = path.getFileSystem(conf);
    Path qualified = fileSystem.makeQualified(path);
    return find(fileSystem, qualified).filter(files -> files.leadsBackTo(qualified));
  }

  private static Optional<ReachedFiles> find(FileSystem fileSystem, Path path) throws IOException {
    if (fileSystem instanceof VdfsFileSystem vdfs) {
      return Optional.of(ReachedFiles.in(vdfs));
    }
    if (fileSystem instanceof TracingFileSystem traced) {
      return find(traced.getRawFileSystem(), traced.innerPath(path))
          .map(files -> files.through(traced::innerPath, traced::outerPath));
    }
    if (fileSystem instanceof ViewFileSystem view) {
      return findMounted(new Mounts(view), path);
    }
    if (fileSystem instanceof FilterFileSystem filter) {
      FileSystem inner = filter.getRawFileSystem();
      UnaryOperator<Path> inward = outer -> inner.makeQualified(nameOf(outer));
      return find(inner, inward.apply(path))
          .map(files -> files.through(inward, name -> filter.makeQualified(nameOf(name))));
    }
    return Optional.empty();
  }

  private static Path nameOf(Path path) {
    return new Path(path.toUri().getPath());
  }

  private static Optional<ReachedFiles> findMounted(Mounts mounts, Path path) throws IOException {
    Optional<Path> target = mounts.target(path);
    Optional<FileSystem> below = target.isEmpty() ? Optional.empty() : mounts.below(target.get());
    return below.isEmpty()
        ? Optional.empty()
        : find(below.get(), target.get())
            .map(
                files -> files.through(outer -> mounts.target(outer).orElse(outer), mounts::point));
  }

  /**
   * @throws IOException if {@code path} is of another filesystem
   */
  public static ReachedFiles of(Path path, Configuration conf) throws IOException {
    Optional<ReachedFiles> files = find(path, conf);
    if (files.isPresent()) {
      return files.get();
    }
    throw new IOException(
        ("logical splits need a vdfs:// filesystem: path=%s, filesystem=%s; set"
                + " fs.vdfs.impl to %s")
            .formatted(
                path,
                path.getFileSystem(conf).getClass().getName(),
                VdfsFileSystem.class.getName()));
  }
}
