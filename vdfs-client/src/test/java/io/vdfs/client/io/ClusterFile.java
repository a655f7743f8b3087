package io.vdfs.client.io;

import io.vdfs.client.files.ContentCursor;
import io.vdfs.client.files.ContentReader;
import io.vdfs.client.files.ContentWriter;
import io.vdfs.client.read.FileReader;
import io.vdfs.client.read.ReadCursor;
import io.vdfs.client.read.ReadPattern;
import io.vdfs.client.write.FileWriter;
import java.io.IOException;
import java.nio.ByteBuffer;

/** One file on real servers, written by real writers, for tests of other packages. */
public final class ClusterFile implements AutoCloseable {
  private final TestCluster cluster = new TestCluster(3, 3, TestCluster.UNHURRIED);

  public ClusterFile() throws IOException {}

  /** A writer of the file, which has no bytes yet. */
  public ContentWriter create() {
    return new Writer(cluster.create());
  }

  /** A reader of the completed bytes, on which a stream can be put. */
  public ContentReader reader() {
    return new Reader(cluster.freshReader(), ReadTally.NONE);
  }

  /** Memory that this JVM's readers and writers have now. */
  public long bufferBytes() {
    return cluster.io.budget().used();
  }

  public boolean isOpenForWriting() {
    return cluster.metadata.view().open();
  }

  /** What readers see of it. */
  public byte[] content() throws IOException {
    return TestCluster.readAll(cluster.freshReader());
  }

  /** Makes all nodes unreachable, or reachable again. */
  public void setReachable(boolean reachable) {
    for (TestNode node : cluster.nodes) {
      if (reachable) {
        node.proxy.accept(true);
      } else {
        node.proxy.refuse();
      }
    }
  }

  /** Nodes take in nothing, without refusing it. */
  public void stall() {
    cluster.nodes.forEach(node -> node.store.stall());
  }

  public void goOn() {
    cluster.nodes.forEach(node -> node.store.goOn());
  }

  @Override
  public void close() throws IOException {
    cluster.close();
  }

  private record Writer(FileWriter writer) implements ContentWriter {
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

  private record Reader(FileReader reader, ReadTally tally) implements ContentReader {
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
      return new Reader(reader, listener);
    }

    @Override
    public long length() {
      return reader.length();
    }
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
