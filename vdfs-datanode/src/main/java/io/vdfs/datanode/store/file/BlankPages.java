package io.vdfs.datanode.store.file;

import io.vdfs.common.store.CombinedFileLayout;
import java.nio.ByteBuffer;

/**
 * The pages of a blank file to which nothing was written yet. The first bytes and the first footer
 * are written as whole pages: the pages are not in memory, and a partial write would have to read
 * them first. Writes are filled up with the zeros that stand there. Guarded by the guard of the
 * stored file.
 */
final class BlankPages {
  private static final int PAGE = 4096;

  private final CombinedFileLayout layout;
  private boolean hasData;
  private boolean hasFooter;

  BlankPages(CombinedFileLayout layout) {
    this.layout = layout;
  }

  /**
   * The bytes to write for {@code source} at {@code position}.
   *
   * @param size bytes of the blank file; 0 where the file is none
   */
  ByteBuffer padded(ByteBuffer source, long position, int size) {
    boolean first =
        (!hasData && position == layout.dataOffset(0))
            || (!hasFooter && position == layout.footerOffset(0, 0));
    hasData |= position >= layout.dataOffset(0);
    hasFooter |= position < layout.dataOffset(0);
    int padded = (int) roundUp(source.remaining());
    if (!first || position + padded > size) {
      return source;
    }
    return ByteBuffer.allocate(padded).put(source).rewind();
  }

  private static long roundUp(long size) {
    return (size + PAGE - 1) / PAGE * PAGE;
  }
}
