package io.vdfs.datanode.meta.query;

import io.vdfs.datanode.meta.state.MetadataLimits;

/** How many entries one answer holds. */
final class Page {
  private Page() {}

  /** {@code asked}, unsigned, but at most the limit; the limit for 0. */
  static int entries(int asked, MetadataLimits limits) {
    boolean bounded = Integer.compareUnsigned(asked - 1, limits.pageEntries()) < 0;
    return bounded ? asked : limits.pageEntries();
  }
}
