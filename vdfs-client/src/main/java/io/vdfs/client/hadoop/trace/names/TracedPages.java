package io.vdfs.client.hadoop.trace.names;

import java.io.IOException;
import java.util.function.UnaryOperator;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.PartialListing;
import org.apache.hadoop.ipc.RemoteException;

/** Pages of listings of several directories, with the paths that callers use. Stateless. */
public final class TracedPages {
  private TracedPages() {}

  /** A page with the same entries, or the same failure. */
  public static <T extends FileStatus> PartialListing<T> of(
      PartialListing<T> page, TracedUri uri, UnaryOperator<T> translation) {
    try {
      return new PartialListing<>(
          uri.outer(page.getListedPath()), page.get().stream().map(translation).toList());
    } catch (IOException e) {
      return new PartialListing<>(
          uri.outer(page.getListedPath()),
          new RemoteException(e.getClass().getName(), e.getMessage()));
    }
  }
}
