package io.vdfs.datanode.store.disk;

import java.io.IOException;
import java.nio.ByteBuffer;

/** Passes all on to another file; a test overrides what is to go another way. */
public class ForwardingFile implements DiskFile {
  private final DiskFile file;

  public ForwardingFile(DiskFile file) {
    this.file = file;
  }

  @Override
  public int read(ByteBuffer target, long position) throws IOException {
    return file.read(target, position);
  }

  @Override
  public boolean isCached(long position, long length) {
    return file.isCached(position, length);
  }

  @Override
  public int write(ByteBuffer source, long position) throws IOException {
    return file.write(source, position);
  }

  @Override
  public void force() throws IOException {
    file.force();
  }

  @Override
  public void truncate(long size) throws IOException {
    file.truncate(size);
  }

  @Override
  public void deallocate(long position, long length) throws IOException {
    file.deallocate(position, length);
  }

  @Override
  public long size() throws IOException {
    return file.size();
  }

  @Override
  public void close() throws IOException {
    file.close();
  }

  @Override
  public String toString() {
    return file.toString();
  }
}
