package io.vdfs.client.files;

import io.vdfs.client.names.FileInfo;
import io.vdfs.common.error.ErrorCode;
import io.vdfs.common.error.VdfsException;
import java.io.IOException;

/**
 * Stops a writer where a space quota ends, so that it fails while it writes rather than when it
 * closes the file. The writer is dead then: the refused bytes are missing. Confined as its
 * delegate.
 */
final class QuotaWriter implements ContentWriter {
  private final ContentWriter delegate;
  private final FileInfo file;
  private final long lengthLimit;
  private VdfsException refusal;

  /**
   * @param spaceLeft bytes of all replicas that the quota leaves
   */
  QuotaWriter(ContentWriter delegate, FileInfo file, long spaceLeft) {
    this.delegate = delegate;
    this.file = file;
    this.lengthLimit = delegate.position() + spaceLeft / Math.max(1, file.countedCopies());
  }

  @Override
  public long position() {
    return delegate.position();
  }

  /**
   * @throws VdfsException QUOTA_EXCEEDED; nothing of this call was written
   */
  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    requireNotRefused();
    if (length > lengthLimit - delegate.position()) {
      refusal =
          new VdfsException(
              ErrorCode.QUOTA_EXCEEDED,
              "space quota above the file is exceeded: file=%s, asked=%s, allowed=%s, copies=%s"
                  .formatted(
                      file.key(), delegate.position() + length, lengthLimit, file.countedCopies()));
      delegate.abort();
      throw refusal;
    }
    delegate.write(bytes, offset, length);
  }

  private void requireNotRefused() throws VdfsException {
    if (refusal != null) {
      throw new VdfsException(
          refusal.code(), "the writer failed before: reason=" + refusal.getMessage(), refusal);
    }
  }

  @Override
  public void flush() throws IOException {
    requireNotRefused();
    delegate.flush();
  }

  @Override
  public void sync() throws IOException {
    requireNotRefused();
    delegate.sync();
  }

  /** After a refusal the delegate, which was given up, fails once. */
  @Override
  public void close() throws IOException {
    try {
      delegate.close();
    } catch (IOException e) {
      requireNotRefused();
      throw e;
    }
  }

  @Override
  public void abort() {
    delegate.abort();
  }
}
