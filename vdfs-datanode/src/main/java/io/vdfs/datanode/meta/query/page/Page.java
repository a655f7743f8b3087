package io.vdfs.datanode.meta.query.page;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.ring.RingMap;
import io.vdfs.datanode.meta.state.MetaContext;
import io.vdfs.datanode.meta.state.settings.MetadataLimits;

/** How many entries one answer holds. */
public final class Page {
  private Page() {}

  /**
   * @throws VdfsException UNAVAILABLE before a ring map was recorded
   */
  public static RingMap recordedRing(MetaContext context) throws VdfsException {
    return context
        .ring()
        .orElseThrow(
            () ->
                new VdfsException(
                    ErrorCode.UNAVAILABLE, "no ring map is recorded yet; ask again in a moment"));
  }

  /** {@code asked}, unsigned, but at most the limit; the limit for 0. */
  public static int entries(int asked, MetadataLimits limits) {
    boolean bounded = Integer.compareUnsigned(asked - 1, limits.pageEntries()) < 0;
    return bounded ? asked : limits.pageEntries();
  }
}
