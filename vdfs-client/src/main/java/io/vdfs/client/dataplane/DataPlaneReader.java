package io.vdfs.client.dataplane;

import io.vdfs.client.files.ContentCursor;
import io.vdfs.client.files.ContentReader;
import io.vdfs.client.io.ReadTally;
import io.vdfs.client.read.FetchListener;
import io.vdfs.client.read.FileReader;
import io.vdfs.client.read.ReadCursor;
import io.vdfs.client.read.ReadPattern;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A reader of the data plane. Thread-safe. */
final class DataPlaneReader implements ContentReader {
  private final FileReader reader;
  private final ReadTally tally;

  DataPlaneReader(FileReader reader, ReadTally tally) {
    this.reader = reader;
    this.tally = tally;
  }

  @Override
  public int read(long position, ByteBuffer target) throws IOException {
    return reader.read(position, target, tally);
  }

  @Override
  public ContentCursor cursor(ReadPattern pattern) {
    return new Cursor(reader.cursor(pattern, tally));
  }

  @Override
  public ContentReader telling(ReadTally listener) {
    return new DataPlaneReader(reader, listener);
  }

  @Override
  public void listen(FetchListener listener) {
    reader.listen(listener);
  }

  @Override
  public long length() {
    return reader.length();
  }

  private record Cursor(ReadCursor cursor) implements ContentCursor {
    @Override
    public int read(ByteBuffer target) throws IOException {
      return cursor.read(target);
    }

    @Override
    public boolean readFromMemory(ByteBuffer target) {
      return cursor.readFromMemory(target);
    }

    @Override
    public long position() {
      return cursor.position();
    }

    @Override
    public void seek(long target) throws IOException {
      cursor.seek(target);
    }

    @Override
    public void release() {
      cursor.close();
    }
  }
}
