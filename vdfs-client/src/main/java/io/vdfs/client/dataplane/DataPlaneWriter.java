package io.vdfs.client.dataplane;

import io.vdfs.client.files.ContentWriter;
import io.vdfs.client.write.FileWriter;
import java.io.IOException;

/** A writer of the data plane. Thread-safe as its delegate. */
final class DataPlaneWriter implements ContentWriter {
  private final FileWriter writer;

  DataPlaneWriter(FileWriter writer) {
    this.writer = writer;
  }

  @Override
  public long position() {
    return writer.position();
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    writer.write(bytes, offset, length);
  }

  @Override
  public void flush() throws IOException {
    writer.flush();
  }

  @Override
  public void sync() throws IOException {
    writer.sync();
  }

  @Override
  public void close() throws IOException {
    writer.close();
  }

  @Override
  public void abort() {
    writer.abort();
  }
}
