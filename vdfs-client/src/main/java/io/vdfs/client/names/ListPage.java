package io.vdfs.client.names;

import java.util.List;

/**
 * Part of a directory's listing, in order of names. Immutable.
 *
 * @param more there are entries after the last of these
 */
public record ListPage(List<FileInfo> entries, boolean more) {
  public ListPage {
    entries = List.copyOf(entries);
  }
}
