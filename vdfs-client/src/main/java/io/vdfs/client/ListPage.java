package io.vdfs.client;

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
