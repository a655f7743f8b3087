package io.vdfs.datanode.store.volume;

import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import io.vdfs.common.store.BlockFooter;
import io.vdfs.common.store.CombinedFileHeader;
import io.vdfs.common.store.CombinedFileLayout;
import io.vdfs.datanode.store.disk.DiskFile;
import io.vdfs.datanode.store.disk.DiskTransfer;
import io.vdfs.datanode.store.status.StoreCounter;
import io.vdfs.datanode.store.status.StoreCounters;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks whether the header page of a data file is right, and if not, whether the footers say that
 * the file is the right one all the same. Then the page, which says nothing that its path and they
 * do not say, is written anew. Confined to one call.
 */
public final class HeaderRepair {
  private static final Logger LOG = LoggerFactory.getLogger(HeaderRepair.class);

  private final DiskFile file;
  private final CombinedFileHeader header;
  private final Path path;
  private final StoreCounters counters;

  public HeaderRepair(DiskFile file, CombinedFileHeader header, Path path, StoreCounters counters) {
    this.file = file;
    this.header = header;
    this.path = path;
    this.counters = counters;
  }

  /** What is wrong with the header page; empty if it is right. */
  public Optional<String> problem() throws IOException {
    ByteBuffer page = ByteBuffer.allocate(CombinedFileHeader.SIZE);
    DiskTransfer.readUpTo(file, page, 0);
    return header.problemWith(page.flip());
  }

  /** Whether a footer in the file says whose the file is, and that it is the right one. */
  public boolean isVouchedFor() throws IOException {
    CombinedFileLayout layout = header.layout();
    int slots = layout.slotCount(file.size());
    for (int slot = 0; slot < slots; slot++) {
      for (int copy = 0; copy < CombinedFileLayout.FOOTER_COPIES; copy++) {
        ByteBuffer footer = ByteBuffer.allocate(layout.footerSize());
        DiskTransfer.readUpTo(file, footer, layout.footerOffset(slot, copy));
        if (BlockFooter.problemWith(footer.flip(), header).isEmpty()) {
          return true;
        }
      }
    }
    return false;
  }

  /**
   * Makes sure that the file is the right one, before it is served. A page that cannot be written
   * anew does not keep it from being served.
   *
   * @throws VdfsException CORRUPT if neither header nor any footer says so
   */
  void ensure() throws IOException {
    Optional<String> problem = problem();
    if (problem.isEmpty()) {
      return;
    }
    if (!isVouchedFor()) {
      throw new VdfsException(
          ErrorCode.CORRUPT, "not the expected combined file: file=" + path + ", " + problem.get());
    }
    try {
      write();
      LOG.warn("header rewritten: file={}, why={}", path, problem.get());
    } catch (IOException e) {
      LOG.warn("header is damaged and cannot be rewritten: file={}, why={}", path, problem, e);
    }
  }

  /** Writes the page, and returns when it is on stable storage. */
  public void write() throws IOException {
    DiskTransfer.writeFully(file, header.encode(), 0);
    file.force();
    counters.increment(StoreCounter.REWRITTEN_HEADERS);
  }
}
