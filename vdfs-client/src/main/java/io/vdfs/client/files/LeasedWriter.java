package io.vdfs.client.files;

import io.vdfs.client.meta.LeaseRenewer;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;

/** Has the lease renewed for as long as the writer is open. Confined as its delegate. */
final class LeasedWriter implements ContentWriter {
  private final ContentWriter delegate;
  private final LeaseRenewer leases;
  private final long fileId;
  private final AtomicBoolean released = new AtomicBoolean();

  /** Takes over one {@link LeaseRenewer#fileOpened()} of the caller. */
  LeasedWriter(ContentWriter delegate, LeaseRenewer leases, long fileId) {
    this.delegate = delegate;
    this.leases = leases;
    this.fileId = fileId;
  }

  @Override
  public long position() {
    return delegate.position();
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    delegate.write(bytes, offset, length);
  }

  @Override
  public void flush() throws IOException {
    delegate.flush();
  }

  @Override
  public void sync() throws IOException {
    delegate.sync();
  }

  @Override
  public void close() throws IOException {
    try {
      delegate.close();
    } finally {
      release();
    }
  }

  @Override
  public void abort() {
    try {
      delegate.abort();
    } finally {
      release();
    }
  }

  private void release() {
    if (released.compareAndSet(false, true)) {
      leases.fileClosed(fileId);
    }
  }
}
