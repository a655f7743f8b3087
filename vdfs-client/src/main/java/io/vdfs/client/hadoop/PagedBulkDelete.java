package io.vdfs.client.hadoop;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.fs.BulkDelete;
import org.apache.hadoop.fs.BulkDeleteUtils;
import org.apache.hadoop.fs.Path;

/**
 * Deletes files, and directories that are empty at that moment, a page at a time and each page in
 * one call. Thread-safe.
 */
final class PagedBulkDelete implements BulkDelete {
  /** Paths that the metadata service takes at once. */
  private static final int PAGE = 1_000;

  private final Deletion deletion;
  private final Calls.Paths paths;
  private final Path basePath;

  private PagedBulkDelete(Deletion deletion, Calls.Paths paths, Path basePath) {
    this.deletion = deletion;
    this.paths = paths;
    this.basePath = basePath;
  }

  /**
   * Has Hadoop's type, so that methods that return it can be verified beside a Hadoop that lacks
   * the type.
   */
  static BulkDelete of(Deletion deletion, Calls.Paths paths, Path basePath) {
    return new PagedBulkDelete(deletion, paths, basePath);
  }

  @Override
  public int pageSize() {
    return PAGE;
  }

  @Override
  public Path basePath() {
    return basePath;
  }

  /** A path that was not there counts as deleted. */
  @Override
  public List<Map.Entry<Path, String>> bulkDelete(Collection<Path> targets) throws IOException {
    BulkDeleteUtils.validateBulkDeletePaths(
        targets.stream().map(this::qualified).toList(), PAGE, basePath);
    return List.copyOf(deletion.deleteAll(targets).entrySet());
  }

  /** A relative path stays relative, and is refused. */
  private Path qualified(Path path) {
    return path.isAbsolute() ? paths.qualified(path) : path;
  }

  @Override
  public void close() {
    // holds nothing
  }
}
