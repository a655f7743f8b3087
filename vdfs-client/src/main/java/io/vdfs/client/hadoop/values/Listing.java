package io.vdfs.client.hadoop.values;

import io.vdfs.client.VdfsClient;
import io.vdfs.client.hadoop.terms.HadoopErrors;
import io.vdfs.client.hadoop.terms.HadoopErrors.Intent;
import io.vdfs.client.hadoop.terms.PathNames;
import io.vdfs.client.names.FileInfo;
import io.vdfs.client.names.ListPage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.PathFilter;
import org.apache.hadoop.fs.RemoteIterator;

/**
 * Lists a directory page by page; what is created or deleted meanwhile may be seen or not. Confined
 * to one thread.
 */
public final class Listing implements RemoteIterator<VdfsFileStatus> {
  private final VdfsClient client;
  private final StatusMapper statuses;
  private final Path directory;
  private final String name;
  private final int pageSize;
  private final PathFilter filter;
  private Iterator<FileInfo> page;
  private boolean more;
  private String last = "";
  private VdfsFileStatus next;

  private Listing(
      VdfsClient client, StatusMapper statuses, Path directory, int pageSize, PathFilter filter) {
    this.client = client;
    this.statuses = statuses;
    this.directory = directory;
    this.name = PathNames.of(directory);
    this.pageSize = pageSize;
    this.filter = filter;
  }

  /**
   * Fetches the first page.
   *
   * @param path qualified
   * @param filter rejects entries to leave out
   * @throws java.io.FileNotFoundException if it isn't there
   */
  public static Listing of(VdfsClient client, Path path, int pageSize, PathFilter filter)
      throws IOException {
    Listing listing = new Listing(client, new StatusMapper(client), path, pageSize, filter);
    listing.fetch();
    return listing;
  }

  private void fetch() throws IOException {
    ListPage fetched =
        HadoopErrors.translate(
            directory, Intent.LOOKUP, () -> client.names().list(name, last, pageSize));
    page = fetched.entries().iterator();
    more = fetched.more() && page.hasNext();
  }

  @Override
  public boolean hasNext() throws IOException {
    while (next == null) {
      if (page.hasNext()) {
        FileInfo info = page.next();
        last = info.name();
        VdfsFileStatus status = statuses.entry(info, directory);
        next = filter.accept(status.getPath()) ? status : null;
      } else if (more) {
        fetch();
      } else {
        return false;
      }
    }
    return true;
  }

  @Override
  public VdfsFileStatus next() throws IOException {
    if (!hasNext()) {
      throw new NoSuchElementException("no more entries: directory=" + directory);
    }
    VdfsFileStatus status = next;
    next = null;
    return status;
  }

  /** What is left to list. */
  public FileStatus[] all() throws IOException {
    List<FileStatus> entries = new ArrayList<>();
    while (hasNext()) {
      entries.add(next());
    }
    return entries.toArray(FileStatus[]::new);
  }

  /** The same as an iterator of a wider type. */
  public static <T extends FileStatus> RemoteIterator<T> widened(
      RemoteIterator<? extends T> listing) {
    return new RemoteIterator<>() {
      @Override
      public boolean hasNext() throws IOException {
        return listing.hasNext();
      }

      @Override
      public T next() throws IOException {
        return listing.next();
      }
    };
  }
}
