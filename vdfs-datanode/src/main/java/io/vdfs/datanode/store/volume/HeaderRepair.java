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
 * do not say, is written anew, which mends a place that cannot be read. Confined to one call.
 */
public final class HeaderRepair {
  private static final Logger LOG = LoggerFactory.getLogger(HeaderRepair.class);

  private final DiskFile file;
  private final CombinedFileHeader header;
  private final Path path;
  private final StoreCounters counters;

  /** Of what could say that the file is the right one. */
  private Optional<IOException> unread = Optional.empty();

  public HeaderRepair(DiskFile file, CombinedFileHeader header, Path path, StoreCounters counters) {
    this.file = file;
    this.header = header;
    this.path = path;
    this.counters = counters;
  }

  /** What is wrong with the header page; empty if it is right. */
  public Optional<String> problem() {
    ByteBuffer page = ByteBuffer.allocate(CombinedFileHeader.SIZE);
    try {
      DiskTransfer.readUpTo(file, page, 0);
    } catch (IOException e) {
      unread = Optional.of(e);
      return Optional.of("header cannot be read: cause=" + e.getMessage());
    }
    return header.problemWith(page.flip());
  }

  /**
   * Whether a footer in the file says whose the file is, and that it is the right one.
   *
   * @throws IOException if none does that can be read, and not all can be, or the header can't
   */
  public boolean isVouchedFor() throws IOException {
    CombinedFileLayout layout = header.layout();
    int slots = layout.slotCount(file.size());
    for (int slot = 0; slot < slots; slot++) {
      for (int copy = 0; copy < CombinedFileLayout.FOOTER_COPIES; copy++) {
        if (vouches(layout.footerOffset(slot, copy))) {
          return true;
        }
      }
    }
    if (unread.isPresent()) {
      throw unread.get();
    }
    return false;
  }

  private boolean vouches(long position) {
    ByteBuffer footer = ByteBuffer.allocate(header.layout().footerSize());
    try {
      DiskTransfer.readUpTo(file, footer, position);
    } catch (IOException e) {
      unread = Optional.of(e);
      return false;
    }
    return BlockFooter.problemWith(footer.flip(), header).isEmpty();
  }

  /**
   * Makes sure that the file is the right one, before it is served. A page that cannot be written
   * anew does not keep it from being served.
   *
   * @throws VdfsException CORRUPT if neither header nor any footer says so, and all can be read
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
